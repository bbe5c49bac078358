/** The parameters `fields` and `embed`, and the schema of the items they return. */

import { rowSchema } from '../definition/json-schemas.ts'
import type { JsonSchema } from '../definition/model.ts'
import { maxEmbeddedItems, maxEmbeds } from '../query/embed-parameter.ts'
import { maxNames } from '../query/query-parameter.ts'
import { type AudienceRelation, audienceRelations } from './audience-relations.ts'
import { listed, namesParameter, pathsFrom } from './filter-parameters.ts'
import { pascalCase } from './generated-names.ts'
import type { OperationContext } from './operation-context.ts'
import type { AudienceResource } from './permitted-resources.ts'
import { schemaReference, withSharedSchemas } from './resource-schemas.ts'

/** Returns references to `fields` and, if there are relations to embed, `embed`. */
export function selectionParameters(
  part: AudienceResource,
  context: OperationContext,
): readonly JsonSchema[] {
  const fields = fieldsParameter(part, context)
  const relations = audienceRelations(part, context.findPart)
  if (relations.length === 0) return [fields]
  const names = relations.map(({ relation }) => relation.name)
  const embed = referToOwn('embed', part, context, () => ({
    ...namesParameter('embed', pathsFrom(names), maxEmbeds),
    description: 'Includes the related items under `_embedded`.',
  }))
  return [fields, embed]
}

/** Returns a reference to `fields`. */
export function fieldsParameter(part: AudienceResource, context: OperationContext): JsonSchema {
  return referToOwn('fields', part, context, () => {
    const { properties } = rowSchema(part.resource, part)
    const names = Object.keys(properties as JsonSchema)
    return {
      ...namesParameter('fields', listed(names), Math.min(maxNames, names.length)),
      description: 'Returns only these fields and the id.',
    }
  })
}

function referToOwn(
  name: string,
  { resource }: AudienceResource,
  { components }: OperationContext,
  describe: () => JsonSchema,
): JsonSchema {
  return components.refer('parameters', `${pascalCase(resource.name)}.${name}`, describe)
}

/** Returns a reference to the schema of an item, complete or as selected by `fields` and `embed`. */
export function shownReference(part: AudienceResource, context: OperationContext): JsonSchema {
  const { components } = context
  const name = pascalCase(part.resource.name)
  return components.refer('schemas', `${name}Shown`, () => {
    const selection = components.refer('schemas', `${name}Selection`, () => selectionSchema(part, context))
    return { anyOf: [schemaReference(context.components, part, 'Item'), selection] }
  })
}

/** An item with only `id` required, and embedded items. */
function selectionSchema(part: AudienceResource, context: OperationContext): JsonSchema {
  const { $schema: _dialect, properties, ...row } = rowSchema(part.resource, part)
  const relations = audienceRelations(part, context.findPart)
  return {
    ...row,
    title: `${part.resource.name}: a selection`,
    properties: {
      ...withSharedSchemas(context.components, part.resource, properties as JsonSchema),
      ...(relations.length > 0 && embeddedProperties(relations, context)),
    },
    required: ['id'],
  }
}

/** The embedded items, and links to the lists that are embedded in part. */
function embeddedProperties(relations: readonly AudienceRelation[], context: OperationContext): JsonSchema {
  const inverses = relations.filter(({ relation }) => relation.kind === 'inverse')
  const embedded = relations.map(({ relation, target }) => {
    const item = shownReference(target, context)
    const maxItems = relation.field.refs?.max ?? maxEmbeddedItems
    return [relation.name, relation.kind === 'reference' ? item : { type: 'array', items: item, maxItems }]
  })
  const links = inverses.map(({ relation }) => [relation.name, linkSchema])
  return {
    _embedded: objectSchema(Object.fromEntries(embedded)),
    ...(inverses.length > 0 && { _links: objectSchema(Object.fromEntries(links)) }),
  }
}

function objectSchema(properties: JsonSchema): JsonSchema {
  return { type: 'object', properties, additionalProperties: false }
}

/** The URI of all items of an inverse. */
const linkSchema: JsonSchema = {
  ...objectSchema({ href: { type: 'string', format: 'uri-reference' } }),
  required: ['href'],
}
