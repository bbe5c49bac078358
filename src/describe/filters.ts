/** What a list can be asked by: filters, as parameters and as the content of a QUERY; the order. */

import { cleanText } from '../declare/kinds/text.ts'
import type { JsonSchema } from '../declare/model.ts'
import { mostValues, operatorsOf } from '../query/comparison.ts'
import { mostConditions } from '../query/filter.ts'
import type { Attribute } from '../query/sight.ts'
import { isSortable, mostTerms } from '../query/sort.ts'
import { longestValue } from '../query/value.ts'
import type { Operator } from '../store/condition.ts'
import type { Part } from './audience.ts'
import { pascalCase } from './naming.ts'

/** A part of `components.parameters`: each filter of the collection under a name of its own. */
export function filterComponents(part: Part, parts: readonly Part[]): JsonSchema {
  return Object.fromEntries(
    comparisonsOf(part, parts).map((comparison) => [
      componentName(part, comparison),
      filterParameter(comparison),
    ]),
  )
}

export function filterReferences(part: Part, parts: readonly Part[]): readonly JsonSchema[] {
  return comparisonsOf(part, parts).map((comparison) => ({
    $ref: `#/components/parameters/${componentName(part, comparison)}`,
  }))
}

interface Comparison {
  /** As a query names it: `name`, or `author.name`. */
  readonly name: string
  readonly attribute: Attribute
  readonly operator: Operator
}

function comparisonsOf(part: Part, parts: readonly Part[]): readonly Comparison[] {
  return [...filterablesOf(part, parts)].flatMap(([name, attribute]) =>
    operatorsOf(attribute).map((operator) => ({ name, attribute, operator })),
  )
}

/**
 * What is filtered by, by its name in a query: of the items themselves, and of those they refer to.
 * Further references can be followed too, but listing them would have no end.
 */
function filterablesOf(part: Part, parts: readonly Part[]): ReadonlyMap<string, Attribute> {
  const own = [...part.attributes.values()].filter(({ filterable }) => filterable)
  const referred = own.flatMap((reference) => {
    const target = parts.find(({ resource }) => resource === reference.field?.ref?.resource)
    if (!target || target.may.read === 'never') return []
    const inner = [...target.attributes.values()].filter(({ filterable }) => filterable)
    return inner.map((attribute) => [`${reference.name}.${attribute.name}`, attribute] as const)
  })
  return new Map([...own.map((attribute) => [attribute.name, attribute] as const), ...referred])
}

function componentName({ resource }: Part, { name, operator }: Comparison): string {
  return `${pascalCase(resource.name)}.${name}.${operator}`
}

function filterParameter({ name, attribute, operator }: Comparison): JsonSchema {
  return {
    name: operator === 'eq' ? name : `${name}[${operator}]`,
    in: 'query',
    description: `Only items whose \`${name}\` ${meanings[operator]}.`,
    ...(operator === 'in' ? { style: 'form', explode: false } : {}),
    schema: operandSchema(attribute, operator),
  }
}

const meanings: Readonly<Record<Operator, string>> = {
  eq: 'is this',
  ne: 'is there and is not this',
  lt: 'is less',
  lte: 'is not more',
  gt: 'is more',
  gte: 'is not less',
  in: 'is one of these; a comma within one is written `\\,`',
  contains: 'has this in it',
  starts: 'begins with this',
  has: 'has this among its values',
  missing: 'is missing, or with `false` is there',
}

/** The type alone: a value that no item can have is not wrong, it matches nothing. */
function operandSchema(attribute: Attribute, operator: Operator): JsonSchema {
  if (operator === 'missing') return { type: 'boolean' }
  const value = valueSchema(attribute)
  return operator === 'in'
    ? { type: 'array', items: value, minItems: 1, maxItems: mostValues }
    : value
}

function valueSchema({ isId, field }: Attribute): JsonSchema {
  const own = field?.item ?? field
  if (isId || !own || own.ref) return anyText
  switch (own.kind) {
    case 'integer':
    case 'number':
    case 'boolean':
      return { type: own.kind }
    case 'decimal':
      return { type: 'string', pattern: '^-?[0-9]{1,60}(?:\\.[0-9]{1,60})?$' }
    case 'date':
    case 'timestamp':
      return own.schema
    case 'choice':
    case 'state':
      return { ...anyText, examples: own.schema.enum }
    default:
      return anyText
  }
}

const anyText: JsonSchema = { type: 'string', maxLength: longestValue, pattern: cleanText }

/** The content of a QUERY (RFC 10008), as a component that refers to itself. */
export function filterSchema(part: Part, parts: readonly Part[]): JsonSchema {
  const self = { $ref: filterReference(part) }
  const several = { type: 'array', items: self, maxItems: mostConditions }
  const members = [...filterablesOf(part, parts)].map(([name, attribute]) => [
    name,
    comparisonSchema(attribute),
  ])
  return {
    type: 'object',
    description: `What items must be like; at most ${mostConditions} comparisons in all.`,
    properties: { any: several, all: several, not: self, ...Object.fromEntries(members) },
    // Through more than one reference: `author.team.name`.
    patternProperties: { '^[a-z][A-Za-z0-9]*\\.[a-z][A-Za-z0-9]*\\.': {} },
    additionalProperties: false,
  }
}

export function filterReference({ resource }: Part): string {
  return `#/components/schemas/${pascalCase(resource.name)}Filter`
}

/** A value to equal, or operators with theirs. */
function comparisonSchema(attribute: Attribute): JsonSchema {
  const operators = operatorsOf(attribute)
  const each = operators.map((operator) => [operator, operandSchema(attribute, operator)])
  const comparing = {
    type: 'object',
    properties: Object.fromEntries(each),
    additionalProperties: false,
  }
  if (!operators.includes('eq')) return comparing
  return { anyOf: [valueSchema(attribute), comparing] }
}

/** `sort`: names to order by, those with `-` before them downwards. */
export function sortParameter({ attributes }: Part): JsonSchema {
  const names = [...attributes.values()].filter(isSortable).map(({ name }) => name)
  const orders = names.flatMap((name) => [name, `-${name}`])
  return {
    ...namesParameter('sort', orders, mostTerms),
    description: 'The order; `-` before a name turns it around. Ties are broken by id.',
  }
}

/** A list of names, parted by commas. */
export function namesParameter(name: string, names: readonly string[], most: number): JsonSchema {
  return {
    name,
    in: 'query',
    style: 'form',
    explode: false,
    schema: {
      type: 'array',
      items: { type: 'string', enum: names },
      minItems: 1,
      maxItems: most,
      uniqueItems: true,
    },
  }
}
