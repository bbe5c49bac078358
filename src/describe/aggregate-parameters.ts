/** The parameters of groups in an OpenAPI document, and their rows. */

import type { JsonSchema } from '../definition/model.ts'
import { aggregateTermsOf, groupTermsOf } from '../query/aggregate-terms.ts'
import { maxAggregates, maxGroupTerms } from '../query/aggregation.ts'
import { maxSortTerms } from '../query/sort-parameter.ts'
import { aggregateSchema } from './aggregate-schemas.ts'
import { listed, namesParameter } from './filter-parameters.ts'
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
      ...namesParameter('group-by', listed(groups), maxGroupTerms),
      description: 'Items with the same values of these make a group. Without it there is one group.',
    }),
    aggregates: () => ({
      ...namesParameter('aggregate', listed(aggregates), maxAggregates),
      required: true,
      description: 'The values that are computed of each group.',
    }),
  }
}

/** Returns a reference to `sort`, which names members of the groups. */
export function groupOrder({ components }: OperationContext): JsonSchema {
  return components.refer('parameters', 'GroupSort', () => ({
    name: 'sort',
    in: 'query',
    style: 'form',
    explode: false,
    schema: {
      type: 'array',
      items: { type: 'string' },
      minItems: 1,
      maxItems: maxSortTerms,
      uniqueItems: true,
    },
    description: 'Names of `group-by` and `aggregate`; `-` before a name means descending.',
  }))
}

/**
 * Returns a reference to the schema of a group; no member is required. Names with dots have a pattern in common: many
 * languages have no members of such names, and `/schemas` has the exact schema.
 */
export function aggregateReference(part: AudienceResource, { components }: OperationContext): JsonSchema {
  const { resource } = part
  return components.refer('schemas', `${pascalCase(resource.name)}Aggregate`, () => {
    const { $schema: _dialect, properties, ...schema } = aggregateSchema(resource, part)
    const plain = Object.entries(properties as JsonSchema).filter(([name]) => !name.includes('.'))
    return {
      ...schema,
      properties: withSharedSchemas(components, resource, Object.fromEntries(plain)),
      patternProperties: { '\\.': { type: ['string', 'number'] } },
    }
  })
}
