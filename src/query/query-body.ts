/**
 * The content of QUERY (RFC 10008): a filter in JSON, which unlike a query string has `any`, `all`
 * and `not`. All faults are collected.
 */

import type { Reading } from '../definition/field-kind.ts'
import type { JsonValue } from '../definition/model.ts'
import { formatPointer } from '../http/json-patch.ts'
import { type ContentFault, invalidContent } from '../refusal.ts'
import { isObject } from '../tools/plain-object.ts'
import { operatorNames } from './comparison.ts'
import {
  type Filter,
  type LeafFault,
  maxConditions,
  maxFilterDepth,
  maxFilterNodes,
  parseLeaf,
} from './filter.ts'
import { joinValues } from './parse-filters.ts'
import type { QueryableFields } from './queryable-fields.ts'

/** Parses the filter, beside so many conditions of the query string; refuses 422 with all faults. */
export function parseQueryBody(queryable: QueryableFields, body: unknown, conditions: number): Filter {
  const reader = new BodyReader(queryable, conditions)
  // The content was parsed as JSON.
  const filter = reader.filter(body as JsonValue, '', 1)
  if (reader.faults.length === 0) return filter
  throw invalidContent(reader.faults)
}

const emptyFilter: Filter = { kind: 'all', of: [] }

class BodyReader {
  readonly #queryable: QueryableFields
  readonly faults: ContentFault[] = []
  #conditions: number
  #nodes = 0

  constructor(queryable: QueryableFields, conditions: number) {
    this.#queryable = queryable
    this.#conditions = conditions
  }

  filter(value: JsonValue, pointer: string, depth: number): Filter {
    this.#count(pointer)
    if (!isObject(value)) return this.#fault(pointer, 'type', 'Must be an object.')
    if (depth > maxFilterDepth) {
      return this.#fault(pointer, 'depth', `Must have at most ${maxFilterDepth} levels.`)
    }
    const of = Object.entries(value).map(([name, member]) => {
      const memberPointer = pointer + formatPointer([name])
      if (name === 'not') return { kind: 'not', of: this.filter(member, memberPointer, depth + 1) } as const
      if (name === 'any' || name === 'all') return this.#several(name, member, memberPointer, depth + 1)
      return this.#member(name, member, memberPointer)
    })
    return of.length === 1 && of[0] ? of[0] : { kind: 'all', of }
  }

  #several(kind: 'any' | 'all', value: JsonValue, pointer: string, depth: number): Filter {
    if (!Array.isArray(value)) return this.#fault(pointer, 'type', 'Must be an array.')
    if (value.length > maxConditions) {
      return this.#fault(pointer, 'maxItems', `Must have at most ${maxConditions} filters.`)
    }
    const filters = value as readonly JsonValue[]
    return { kind, of: filters.map((filter, at) => this.filter(filter, `${pointer}/${at}`, depth)) }
  }

  /** A member is a value for `eq`, or an object of operators. */
  #member(path: string, value: JsonValue, pointer: string): Filter {
    if (!isObject(value)) return this.#leaf(path, 'eq', value, pointer)
    const entries = Object.entries(value)
    if (entries.length > operatorNames.length) {
      return this.#fault(pointer, 'maxProperties', `Must have at most ${operatorNames.length} operators.`)
    }
    const of = entries.map(([operator, operand]) =>
      this.#leaf(path, operator, operand, pointer + formatPointer([operator])),
    )
    return of.length === 1 && of[0] ? of[0] : { kind: 'all', of }
  }

  /** Refuses at the first node beyond the limit, so that the work is bounded. */
  #count(pointer: string): void {
    this.#nodes += 1
    if (this.#nodes <= maxFilterNodes) return
    this.#fault(pointer, 'conditions', `Must have at most ${maxFilterNodes} filters and conditions.`)
    throw invalidContent(this.faults)
  }

  #leaf(path: string, operator: string, value: JsonValue, pointer: string): Filter {
    this.#count(pointer)
    this.#conditions += 1
    if (this.#conditions > maxConditions) {
      return this.#fault(pointer, 'conditions', `Must have at most ${maxConditions} conditions.`)
    }
    const comparand = {
      path,
      operator,
      // A getter, because only valid comparisons, which have few values, need it.
      get text() {
        return formatOperand(value)
      },
      values: () => readOperands(operator, value),
    }
    const leaf = parseLeaf(this.#queryable, comparand)
    if (leaf.kind === 'leaf') return leaf
    return this.#fault(pointer, ...describeFault(path, leaf))
  }

  #fault(pointer: string, rule: string, detail: string): Filter {
    this.faults.push({ pointer, rule, detail })
    return emptyFilter
  }
}

function describeFault(path: string, fault: LeafFault): readonly [rule: string, detail: string] {
  switch (fault.kind) {
    case 'unknown-field': {
      const detail = `Unknown field '${path}'.`
      return ['field', fault.hint === undefined ? detail : `${detail} ${fault.hint}`]
    }
    case 'unknown-operator':
      return ['operator', fault.detail]
    case 'invalid':
      return ['value', `'${path}' ${fault.reason}.`]
  }
}

function readOperands(operator: string, value: JsonValue): Reading<readonly JsonValue[]> {
  if (operator !== 'in') return { value: [value] }
  return Array.isArray(value) && value.length > 0 ? { value } : { expected: 'an array of values' }
}

function formatOperand(value: JsonValue): string {
  if (Array.isArray(value)) return joinValues(value.map(formatOperand))
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
