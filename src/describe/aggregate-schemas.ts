/** The JSON Schema of an aggregated row. */

import { averageDigits } from '../definition/derived-field.ts'
import { idSchema } from '../definition/item-id.ts'
import type { FieldModel, JsonSchema, ResourceModel } from '../definition/model.ts'
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

function aggregateValueSchema(term: AggregateTerm): JsonSchema {
  if (term.operation === 'count') return { type: 'integer', minimum: 0 }
  // Only fields have aggregates other than `count`.
  const field = term.attribute.field as FieldModel
  if (term.operation === 'min' || term.operation === 'max') return field.schema
  if (field.kind !== 'decimal') {
    return { type: field.kind === 'integer' && term.operation === 'sum' ? 'integer' : 'number' }
  }
  const scale = (field.scale ?? 0) + (term.operation === 'avg' ? averageDigits : 0)
  return { type: 'string', pattern: scale === 0 ? '^-?[0-9]+$' : `^-?[0-9]+\\.[0-9]{${scale}}$` }
}
