/** The JSON Schema of an aggregated row. */

import { aggregateValues } from '../definition/derived-field.ts'
import { idSchema } from '../definition/item-id.ts'
import type { JsonSchema, ResourceModel } from '../definition/model.ts'
import {
  type AggregateTerm,
  aggregateTermsOf,
  type GroupTerm,
  groupTermsOf,
} from '../query/aggregate-terms.ts'
import type { AudienceResource } from './permitted-resources.ts'

/** Returns the schema of a row with any groups and aggregates; none of them is required. */
export function aggregateSchema(resource: ResourceModel, { attributes }: AudienceResource): JsonSchema {
  const groups = [...groupTermsOf(attributes).values()].map((term) => [
    term.name,
    groupSchema(resource, term),
  ])
  const aggregates = [...aggregateTermsOf(attributes).values()].map((term) => [
    term.name,
    aggregateValueSchema(term),
  ])
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `${resource.name}: aggregates`,
    type: 'object',
    properties: Object.fromEntries([...aggregates, ...groups]),
    additionalProperties: false,
  }
}

const partSchemas: Readonly<Record<NonNullable<GroupTerm['part']>, JsonSchema>> = {
  year: { type: 'string', pattern: '^[0-9]{4}$' },
  month: { type: 'string', pattern: '^[0-9]{4}-[0-9]{2}$' },
  day: { type: 'string', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' },
}

function groupSchema(resource: ResourceModel, { attribute, part }: GroupTerm): JsonSchema {
  if (part) return partSchemas[part]
  const { field, isId } = attribute
  return isId || !field ? idSchema(resource.keyField) : field.schema
}

function aggregateValueSchema({ operation, attribute }: AggregateTerm): JsonSchema {
  const { schema } = aggregateValues(operation, attribute?.field)
  const { examples: _, ...limits } = schema
  return limits
}
