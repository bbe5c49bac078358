/** The parameters of lists: filters, as parameters and as the content of QUERY, and the order. */

import type { JsonSchema } from '../definition/model.ts'
import { maxPathSteps } from '../definition/rule.ts'
import { maxConditions } from '../query/filter.ts'
import { idAttribute } from '../query/queryable-fields.ts'
import { isSortable, maxSortTerms } from '../query/sort-parameter.ts'
import { comparableRelations } from './audience-relations.ts'
import {
  type ComparedAttribute,
  comparisonName,
  comparisonReference,
  conditionReference,
  operatorGuide,
} from './comparison-schemas.ts'
import { pascalCase } from './generated-names.ts'
import type { OperationContext } from './operation-context.ts'
import type { AudienceResource } from './permitted-resources.ts'

/** Returns references to the filter parameters: one for each field, with its operators. */
export function filterReferences(part: AudienceResource, context: OperationContext): readonly JsonSchema[] {
  return [...filterableAttributes(part, context)].map(([name, compared]) =>
    // Fields with the same name and schema share a parameter across collections.
    context.components.refer('parameters', `${name}.${comparisonName(compared)}`, () => ({
      name,
      in: 'query',
      style: 'deepObject',
      explode: true,
      schema: comparisonReference(context.components, compared),
    })),
  )
}

/** The rules of filters that OpenAPI parameters cannot express. */
export const filterGuide = `Filter a list by its fields with operators: \`price[gte]=10\`. Without an operator, \`eq\` applies. ${operatorGuide} Filter by fields of related items with a path of at most ${maxPathSteps} steps: \`author.name=Ada\`; of several items one must match. \`sort\` and \`embed\` take paths too. At most ${maxConditions} filters.`

/** More filters through references are not listed, because they would be most of the document. */
const maxReferredFilters = 20

/** The attributes to filter by, by their name in a query: of the items and of the items they refer to. */
function filterableAttributes(
  part: AudienceResource,
  context: OperationContext,
): ReadonlyMap<string, ComparedAttribute> {
  const referred = referredAttributes(part, context)
  const own = [...ownAttributes(part), ...inverseAttributes(part, context)]
  return new Map([...own, ...(referred.length > maxReferredFilters ? [] : referred)])
}

type Named = readonly [string, ComparedAttribute]

function ownAttributes(part: AudienceResource): readonly Named[] {
  const attributes = [...part.attributes.values()].filter(({ filterable }) => filterable)
  return attributes.map((attribute) => [attribute.name, { part, attribute }])
}

/** Whether an item has any item of an inverse. */
function inverseAttributes(part: AudienceResource, { findPart }: OperationContext): readonly Named[] {
  const inverses = comparableRelations(part, findPart).filter(({ relation }) => relation.kind === 'inverse')
  return inverses.map(({ relation: { name }, target }) => [
    name,
    { part: target, attribute: { ...idAttribute(target.resource), name, kind: 'inverse' } },
  ])
}

/** One level of relations; queries may follow more. */
function referredAttributes(part: AudienceResource, { findPart }: OperationContext): readonly Named[] {
  return comparableRelations(part, findPart).flatMap(({ relation, target }) =>
    ownAttributes(target).map(([name, compared]): Named => [`${relation.name}.${name}`, compared]),
  )
}

/** Returns a reference to the schema of the content of QUERY (RFC 10008), which is recursive. */
export function filterReference(part: AudienceResource, context: OperationContext): JsonSchema {
  const name = `${pascalCase(part.resource.name)}Filter`
  return context.components.refer('schemas', name, () => filterSchema(part, context))
}

function filterSchema(part: AudienceResource, context: OperationContext): JsonSchema {
  const self = filterReference(part, context)
  const several = { type: 'array', items: self, maxItems: maxConditions }
  const referred = referredAttributes(part, context)
  const members = [...filterableAttributes(part, context)].map(([name, compared]) => [
    name,
    conditionReference(context.components, compared),
  ])
  return {
    type: 'object',
    description: `The conditions that items must satisfy, at most ${maxConditions} comparisons.`,
    properties: { any: several, all: several, not: self, ...Object.fromEntries(members) },
    // Paths that are not listed: through several relations, `author.team.name`, or through any.
    patternProperties: { [referred.length > maxReferredFilters ? throughAny : throughMany]: {} },
    additionalProperties: false,
  }
}

const throughAny = '^[a-z][A-Za-z0-9]*\\.'
const throughMany = `${throughAny}[a-z][A-Za-z0-9]*\\.`

/** Returns the parameter `sort`. */
export function sortParameter(part: AudienceResource, { findPart }: OperationContext): JsonSchema {
  const names = [...part.attributes.values()].filter(isSortable).map(({ name }) => name)
  const references = comparableRelations(part, findPart).filter(
    ({ relation }) => relation.kind === 'reference',
  )
  const paths = references.map(({ relation }) => relation.name)
  return {
    ...namesParameter('sort', sortTerms(names, paths), maxSortTerms),
    description: `The order of the list. \`-\` before a name means descending. Ties are ordered by id.${defaultOrder(part)}`,
  }
}

/** A sentence about the order without the parameter; empty where it is by id, or by a field that a version lacks. */
function defaultOrder({ resource, attributes }: AudienceResource): string {
  const { defaultSort } = resource.presentation
  if (defaultSort.length === 0) return ''
  const shownNames = new Map([...attributes].map(([shown, { column }]) => [column, shown]))
  shownNames.set('id', 'id')
  if (!defaultSort.every(({ name }) => shownNames.has(name))) return ''
  const terms = defaultSort.map(({ name, descending }) => `${descending ? '-' : ''}${shownNames.get(name)}`)
  return ` Without it: \`${terms.join(',')}\`.`
}

/** A term of `sort`: a name, or a path that begins with a reference. */
function sortTerms(names: readonly string[], references: readonly string[]): JsonSchema {
  if (references.length === 0) return listed(names.flatMap((name) => [name, `-${name}`]))
  const paths = `(?:${references.join('|')})${furtherSteps(1)}`
  const own = names.length === 0 ? '' : `(?:${names.join('|')})|`
  return { type: 'string', pattern: `^-?(?:${own}${paths})$` }
}

/** A name, or a path that begins with one. One schema, because generators make no type of alternatives in a list. */
export function pathsFrom(names: readonly string[]): JsonSchema {
  return { type: 'string', pattern: `^(?:${names.join('|')})${furtherSteps(0)}$` }
}

function furtherSteps(least: number): string {
  return `(?:\\.[a-z][A-Za-z0-9]*){${least},${maxPathSteps - 1}}`
}

export function listed(names: readonly string[]): JsonSchema {
  return { type: 'string', enum: names }
}

/** Returns a parameter that is a list of names or paths, separated by commas. */
export function namesParameter(name: string, items: JsonSchema, most: number): JsonSchema {
  const schema = { type: 'array', items, minItems: 1, maxItems: most, uniqueItems: true }
  return { name, in: 'query', style: 'form', explode: false, schema }
}
