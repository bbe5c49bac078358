/** Parts of a record: what `fields` and `embed` make of it. */

import type { FieldModel, JsonSchema } from '../declare/model.ts'
import { rowSchema } from '../declare/schema.ts'
import { mostEmbeds } from '../query/embed.ts'
import { mostNames } from '../query/parameter.ts'
import type { Part } from './audience.ts'
import { namesParameter } from './filters.ts'
import { pascalCase } from './naming.ts'

/** The references that can be followed, each with the collection it leads into. */
export interface Reference {
  readonly field: FieldModel
  readonly target: Part
}

export function referencesOf(part: Part, parts: readonly Part[]): readonly Reference[] {
  const seen = part.resource.fields.filter((field) => part.sees(field) !== 'never')
  return seen.flatMap((field) => {
    const target = parts.find(({ resource }) => resource === field.ref?.resource)
    return target && target.may.read !== 'never' ? [{ field, target }] : []
  })
}

/** `fields` and, where there is something to embed, `embed`. */
export function selectionParameters(
  part: Part,
  references: readonly Reference[],
): readonly JsonSchema[] {
  const { properties } = rowSchema(part.resource, part)
  const names = Object.keys(properties as JsonSchema)
  const fields = {
    ...namesParameter('fields', names, Math.min(mostNames, names.length)),
    description: 'Shows only these fields, and the id.',
  }
  if (references.length === 0) return [fields]
  const embed = {
    ...namesParameter(
      'embed',
      references.map(({ field }) => field.name),
      mostEmbeds,
    ),
    description: 'Shows the items that these references name, under `_embedded`.',
  }
  return [fields, embed]
}

/** A record of which all but the id may be left out, and to which others may be added. */
export function selectionSchema(part: Part, references: readonly Reference[]): JsonSchema {
  const { $schema: _dialect, properties, ...row } = rowSchema(part.resource, part)
  const embedded = references.map(({ field, target }) => [
    field.name,
    { $ref: `#/components/schemas/${pascalCase(target.resource.name)}Item` },
  ])
  return {
    ...row,
    title: `${part.resource.name}: a selection`,
    properties: {
      ...(properties as JsonSchema),
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
