/** Keywords of JSON Schema with bounded time: `pattern` and `uniqueItems`. */

import type { Ajv, AnySchemaObject, FuncKeywordDefinition, SchemaValidateFunction } from 'ajv'
import type { Ajv2020 } from 'ajv/dist/2020.js'
import { excludeSurrogates } from './kinds/text.ts'
import { createBacktrackingBound } from './pattern-cost.ts'

/** The backtracking steps of one validation, for patterns that are not linear. */
const maxWork = 20_000_000
let work = 0

/** Begins a validation: resets the count of backtracking steps. */
export function beginValidation(): void {
  work = 0
}

/** Whether the pattern of this schema is one of the built-in kinds. */
export type IsTrustedSchema = (schema: AnySchemaObject) => boolean

/** Replaces the keywords of the validator. Patterns of trusted schemas are not counted. */
export function addBoundedKeywords(ajv: Ajv | Ajv2020, isTrusted: IsTrustedSchema): void {
  for (const definition of [patternKeyword(isTrusted), uniqueItems]) {
    ajv.removeKeyword(definition.keyword as string)
    ajv.addKeyword(definition)
  }
}

/** Skips texts that `maxLength` refuses, and fails when a validation takes too many steps. */
function patternKeyword(isTrusted: IsTrustedSchema): FuncKeywordDefinition {
  return {
    keyword: 'pattern',
    type: 'string',
    schemaType: 'string',
    compile(source: string, beside) {
      const expression = new RegExp(excludeSurrogates(source), 'u')
      const longest = 2 * (beside.maxLength ?? Number.POSITIVE_INFINITY)
      let steps: ((length: number) => number) | undefined = isTrusted(beside) ? () => 0 : undefined
      const validate: SchemaValidateFunction = (text: string) => {
        // `maxLength` refuses it, even if every character is a surrogate pair.
        if (text.length > longest) return true
        steps ??= createBacktrackingBound(source)
        work += steps(text.length)
        const excess = work > maxWork
        if (!excess && expression.test(text)) return true
        validate.errors = [{ keyword: excess ? 'x-patternWork' : 'pattern', params: {} }]
        return false
      }
      return validate
    },
  }
}

/** Compares canonical texts in linear time. */
const uniqueItems: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  compile(wanted: boolean) {
    const validate: SchemaValidateFunction = (items: readonly unknown[]) => {
      const repetition = wanted ? findDuplicate(items) : undefined
      if (!repetition) return true
      validate.errors = [{ keyword: 'uniqueItems', params: repetition }]
      return false
    }
    return validate
  },
}

function findDuplicate(items: readonly unknown[]): { i: number; j: number } | undefined {
  const indexByText = new Map<string, number>()
  for (const [j, item] of items.entries()) {
    const text = canonicalText(item)
    const i = indexByText.get(text)
    if (i !== undefined) return { i, j }
    indexByText.set(text, j)
  }
  return undefined
}

/** Returns the same text for equal values only: members are sorted by name. */
function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_name, one: unknown) => {
    if (typeof one !== 'object' || one === null || Array.isArray(one)) return one
    const members = Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(members)
  })
}
