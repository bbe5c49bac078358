/** The parameters `fields` and `embed`, and the schema of the items they return. */

import { rowSchema } from '../definition/json-schemas.ts'
import type { FieldModel, JsonSchema } from '../definition/model.ts'
import { maxEmbeds } from '../query/embed-parameter.ts'
import { maxNames } from '../query/query-parameter.ts'
import type { AudienceResource } from './audience.ts'
import { namesParameter } from './filter-parameters.ts'
import { pascalCase } from './generated-names.ts'
import type { OperationContext } from './operation-context.ts'
import { schemaOf } from './operation-parts.ts'
import { shareProperties } from './resource-schemas.ts'

/** A reference whose target the audience may read. */
interface Reference {
  readonly field: FieldModel
  readonly target: AudienceResource
}

function referencesOf(part: AudienceResource, { findPart: partOf }: OperationContext): readonly Reference[] {
  const seen = part.resource.fields.filter((field) => part.sees(field) !== 'never')
  return seen.flatMap((field) => {
    const target = partOf(field.ref?.resource)
    return target && target.may.read !== 'never' ? [{ field, target }] : []
  })
}

/** Returns references to `fields` and, if there are references to embed, `embed`. */
export function selectionParameters(
  part: AudienceResource,
  context: OperationContext,
): readonly JsonSchema[] {
  const refer = (name: string, describe: () => JsonSchema) =>
    context.components.refer('parameters', `${pascalCase(part.resource.name)}.${name}`, describe)
  const fields = refer('fields', () => {
    const { properties } = rowSchema(part.resource, part)
    const names = Object.keys(properties as JsonSchema)
    return {
      ...namesParameter('fields', names, Math.min(maxNames, names.length)),
      description: 'Returns only these fields and the id.',
    }
  })
  const references = referencesOf(part, context)
  if (references.length === 0) return [fields]
  const names = references.map(({ field }) => field.name)
  const embed = refer('embed', () => ({
    ...namesParameter('embed', names, maxEmbeds),
    description: 'Includes the referenced items under `_embedded`.',
  }))
  return [fields, embed]
}

/** Returns the schema of an item, complete or as selected by `fields` and `embed`. */
export function shownSchema(
  part: AudienceResource,
  context: OperationContext,
): { readonly anyOf: readonly JsonSchema[] } {
  const name = `${pascalCase(part.resource.name)}Selection`
  const selection = context.components.refer('schemas', name, () => selectionSchema(part, context))
  return { anyOf: [schemaOf(part, 'Item', context), selection] }
}

/** An item with only `id` required, and embedded items. */
function selectionSchema(part: AudienceResource, context: OperationContext): JsonSchema {
  const { $schema: _dialect, properties, ...row } = rowSchema(part.resource, part)
  const references = referencesOf(part, context)
  const embedded = references.map(({ field, target }) => [field.name, schemaOf(target, 'Item', context)])
  return {
    ...row,
    title: `${part.resource.name}: a selection`,
    properties: {
      ...shareProperties(context.components, part.resource, properties as JsonSchema),
      ...(references.length > 0 && {
        _embedded: {
          type: 'object',
          properties: Object.fromEntries(embedded),
          additionalProperties: false,
        },
      }),
    },
    required: ['id'],
  }
}
