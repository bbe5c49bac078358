/** What a list can be asked by: filters, as parameters and as the content of a QUERY; the order. */

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

/** References to the filters of the collection: one for each field, with all its operators. */
export function filterReferences(
  part: AudienceResource,
  context: OperationContext,
): readonly JsonSchema[] {
  return [...filterableAttributes(part, context)].map(([name, compared]) =>
    // Fields of one name that are compared alike are one parameter, in whichever collections.
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

/** What parameters of OpenAPI cannot say of filters. */
export const filterGuide = `A list is filtered by its fields, each with operators: \`price[gte]=10\`. A filter without an operator is one with \`eq\`. ${operatorGuide} Fields of items referred to are filtered by too: \`author.name=Ada\`. At most ${maxConditions} filters in all.`

/** Beyond so many, filters through references are told of in words: listed, they would be most of the document. */
const maxReferredFilters = 20

/** What is filtered by, by its name in a query: of the items themselves, and of those they refer to. */
function filterableAttributes(
  part: AudienceResource,
  context: OperationContext,
): ReadonlyMap<string, ComparedAttribute> {
  const referred = referredAttributes(part, context)
  return new Map([
    ...ownAttributes(part),
    ...(referred.length > maxReferredFilters ? [] : referred),
  ])
}

type Named = readonly [string, ComparedAttribute]

function ownAttributes(part: AudienceResource): readonly Named[] {
  const attributes = [...part.attributes.values()].filter(({ filterable }) => filterable)
  return attributes.map((attribute) => [attribute.name, { part, attribute }])
}

/** Further references can be followed too, but listing them would have no end. */
function referredAttributes(
  part: AudienceResource,
  { findPart: partOf }: OperationContext,
): readonly Named[] {
  return ownAttributes(part).flatMap(([reference, { attribute }]) => {
    const target = partOf(attribute.field?.ref?.resource)
    if (!target || target.may.read === 'never') return []
    return ownAttributes(target).map(
      ([name, compared]): Named => [`${reference}.${name}`, compared],
    )
  })
}

/** The content of a QUERY (RFC 10008): a schema that refers to itself. */
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
    description: `What items must be like; at most ${maxConditions} comparisons in all.`,
    properties: { any: several, all: several, not: self, ...Object.fromEntries(members) },
    // What is not listed: through more than one reference, `author.team.name`, or through any.
    patternProperties: { [referred.length > maxReferredFilters ? throughAny : throughMany]: {} },
    additionalProperties: false,
  }
}

const throughAny = '^[a-z][A-Za-z0-9]*\\.'
const throughMany = `${throughAny}[a-z][A-Za-z0-9]*\\.`

/** `sort`: names to order by, those with `-` before them downwards. */
export function sortParameter({ attributes }: AudienceResource): JsonSchema {
  const names = [...attributes.values()].filter(isSortable).map(({ name }) => name)
  const orders = names.flatMap((name) => [name, `-${name}`])
  return {
    ...namesParameter('sort', orders, maxSortTerms),
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
