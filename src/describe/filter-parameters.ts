/** The parameters of lists: filters, as parameters and as the content of QUERY, and the order. */

import type { JsonSchema } from '../definition/model.ts'
import { maxConditions } from '../query/filter.ts'
import { isSortable, maxSortTerms } from '../query/sort-parameter.ts'
import type { AudienceResource } from './audience.ts'
import {
  type ComparedAttribute,
  comparisonName,
  comparisonReference,
  conditionReference,
  operatorGuide,
} from './comparison-schemas.ts'
import { pascalCase } from './generated-names.ts'
import type { OperationContext } from './operation-context.ts'

/** Returns references to the filter parameters: one for each field, with its operators. */
export function filterReferences(part: AudienceResource, context: OperationContext): readonly JsonSchema[] {
  return [...filterableAttributes(part, context)].map(([name, compared]) =>
    // Fields with the same name and schema share a parameter across collections.
    context.components.refer('parameters', `${name}.${comparisonName(compared)}`, () => ({
      name,
      in: 'query',
      style: 'deepObject',
      explode: true,
      description: `Filters by \`${name}\`.`,
      schema: comparisonReference(context.components, compared),
    })),
  )
}

/** The rules of filters that OpenAPI parameters cannot express. */
export const filterGuide = `Filter a list by its fields with operators: \`price[gte]=10\`. Without an operator, \`eq\` applies. ${operatorGuide} Filter by fields of referenced items with a path: \`author.name=Ada\`. At most ${maxConditions} filters.`

/** More filters through references are not listed, because they would be most of the document. */
const maxReferredFilters = 20

/** The attributes to filter by, by their name in a query: of the items and of the items they refer to. */
function filterableAttributes(
  part: AudienceResource,
  context: OperationContext,
): ReadonlyMap<string, ComparedAttribute> {
  const referred = referredAttributes(part, context)
  return new Map([...ownAttributes(part), ...(referred.length > maxReferredFilters ? [] : referred)])
}

type Named = readonly [string, ComparedAttribute]

function ownAttributes(part: AudienceResource): readonly Named[] {
  const attributes = [...part.attributes.values()].filter(({ filterable }) => filterable)
  return attributes.map((attribute) => [attribute.name, { part, attribute }])
}

/** One level of references; queries may follow more. */
function referredAttributes(
  part: AudienceResource,
  { findPart: partOf }: OperationContext,
): readonly Named[] {
  return ownAttributes(part).flatMap(([reference, { attribute }]) => {
    const target = partOf(attribute.field?.ref?.resource)
    if (!target || target.may.read === 'never') return []
    return ownAttributes(target).map(([name, compared]): Named => [`${reference}.${name}`, compared])
  })
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
    // Paths that are not listed: through several references, `author.team.name`, or through any.
    patternProperties: { [referred.length > maxReferredFilters ? throughAny : throughMany]: {} },
    additionalProperties: false,
  }
}

const throughAny = '^[a-z][A-Za-z0-9]*\\.'
const throughMany = `${throughAny}[a-z][A-Za-z0-9]*\\.`

/** Returns the parameter `sort`. */
export function sortParameter({ attributes }: AudienceResource): JsonSchema {
  const names = [...attributes.values()].filter(isSortable).map(({ name }) => name)
  const orders = names.flatMap((name) => [name, `-${name}`])
  return {
    ...namesParameter('sort', orders, maxSortTerms),
    description: 'The order of the list. `-` before a name means descending. Ties are ordered by id.',
  }
}

/** Returns a parameter that is a list of names, separated by commas. */
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
