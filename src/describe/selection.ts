/** Parts of a record: what `fields` and `embed` make of it. */

import type { FieldModel, JsonSchema } from '../declare/model.ts'
import { rowSchema } from '../declare/schema.ts'
import { mostEmbeds } from '../query/embed.ts'
import { mostNames } from '../query/parameter.ts'
import type { Part } from './audience.ts'
import { namesParameter } from './filters.ts'
import { pascalCase } from './naming.ts'
import { reference } from './operation.ts'
import type { OperationContext } from './operation-context.ts'
import { shareProperties } from './schemas.ts'

/** A reference that can be followed, with the collection it leads into. */
interface Reference {
  readonly field: FieldModel
  readonly target: Part
}

function referencesOf(part: Part, { partOf }: OperationContext): readonly Reference[] {
  const seen = part.resource.fields.filter((field) => part.sees(field) !== 'never')
  return seen.flatMap((field) => {
    const target = partOf(field.ref?.resource)
    return target && target.may.read !== 'never' ? [{ field, target }] : []
  })
}

/** References to `fields` and, where there is something to embed, `embed`. */
export function selectionParameters(part: Part, telling: OperationContext): readonly JsonSchema[] {
  const refer = (name: string, describe: () => JsonSchema) =>
    telling.components.refer('parameters', `${pascalCase(part.resource.name)}.${name}`, describe)
  const fields = refer('fields', () => {
    const { properties } = rowSchema(part.resource, part)
    const names = Object.keys(properties as JsonSchema)
    return {
      ...namesParameter('fields', names, Math.min(mostNames, names.length)),
      description: 'Shows only these fields, and the id.',
    }
  })
  const references = referencesOf(part, telling)
  if (references.length === 0) return [fields]
  const names = references.map(({ field }) => field.name)
  const embed = refer('embed', () => ({
    ...namesParameter('embed', names, mostEmbeds),
    description: 'Shows the items that these references name, under `_embedded`.',
  }))
  return [fields, embed]
}

/** A record, or what `fields` and `embed` make of it. */
export function shownSchema(part: Part, telling: OperationContext): JsonSchema {
  const name = `${pascalCase(part.resource.name)}Selection`
  const selection = telling.components.refer('schemas', name, () => selectionSchema(part, telling))
  return { anyOf: [reference(part, 'Item', telling), selection] }
}

/** A record of which all but the id may be left out, and to which others may be added. */
function selectionSchema(part: Part, telling: OperationContext): JsonSchema {
  const { $schema: _dialect, properties, ...row } = rowSchema(part.resource, part)
  const references = referencesOf(part, telling)
  const embedded = references.map(({ field, target }) => [
    field.name,
    reference(target, 'Item', telling),
  ])
  return {
    ...row,
    title: `${part.resource.name}: a selection`,
    properties: {
      ...shareProperties(telling.components, part.resource, properties as JsonSchema),
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
