/** The parameters `group-by` and `aggregate` in an OpenAPI document, and the rows they return. */

import { rowSchema } from '../definition/json-schemas.ts'
import type { JsonSchema } from '../definition/model.ts'
import { aggregateTermsOf, groupTermsOf } from '../query/aggregate-terms.ts'
import { maxAggregates, maxGroupTerms } from '../query/aggregation.ts'
import { namesParameter } from './filter-parameters.ts'
import { pascalCase } from './generated-names.ts'
import type { OperationContext } from './operation-context.ts'
import type { AudienceResource } from './permitted-resources.ts'
import { withSharedSchemas } from './resource-schemas.ts'

/** Returns the parameters, by the end of their component's name. */
export function aggregateParameters({
  attributes,
}: AudienceResource): Readonly<Record<string, () => JsonSchema>> {
  const groups = [...groupTermsOf(attributes).keys()]
  const aggregates = [...aggregateTermsOf(attributes).keys()]
  return {
    groupBy: () => ({
      ...namesParameter('group-by', groups, maxGroupTerms),
      description: 'With `aggregate`: the groups.',
    }),
    aggregate: () => ({
      ...namesParameter('aggregate', aggregates, maxAggregates),
      description:
        'Returns these values of each group instead of items; `sort` names a member. Not with `limit`, `after`, `before`, `fields`, `embed`.',
    }),
  }
}

/**
 * Returns a reference to the schema of an aggregated row in a list. It has the fields of items, all
 * optional, so that generated types of the list still have them. `/schemas` has the exact schema.
 */
export function aggregateReference(part: AudienceResource, { components }: OperationContext): JsonSchema {
  const { resource } = part
  return components.refer('schemas', `${pascalCase(resource.name)}Aggregate`, () => {
    const { properties } = rowSchema(resource, part)
    const members = { count: { type: 'integer', minimum: 0 }, ...(properties as JsonSchema) }
    return {
      type: 'object',
      properties: withSharedSchemas(components, resource, members),
      patternProperties: { '\\.': { type: ['string', 'number'] } },
      additionalProperties: false,
    }
  })
}
