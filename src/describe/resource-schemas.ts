/** The published schemas of a resource, each with a name and a URI. */

import {
  createSchema,
  nestedItemSchema,
  nestedSchema,
  patchSchema,
  replaceSchema,
  rowSchema,
} from '../definition/json-schemas.ts'
import { cleanText } from '../definition/kinds/text.ts'
import type { FieldModel, JsonSchema, Model, ResourceModel } from '../definition/model.ts'
import { schemaUri } from '../views/uri.ts'
import { aggregateSchema } from './aggregate-schemas.ts'
import type { Components } from './component-registry.ts'
import { pascalCase } from './generated-names.ts'
import type { AudienceResource, AudienceRight } from './permitted-resources.ts'
import { choiceOf, choiceReference, referToSharedSchema, replaceAssertions } from './shared-value-schemas.ts'

export type SchemaTitle = 'Item' | 'Create' | 'Replace' | 'Patch' | 'Aggregate'

export interface PublishedSchema {
  /** The last segment of its URI: `articles`, `articles.create`. */
  readonly name: string
  readonly title: SchemaTitle
  schema(): JsonSchema
}

type Maker = (resource: ResourceModel, part: AudienceResource) => JsonSchema

const makers: readonly { suffix: string; title: SchemaTitle; right: AudienceRight; make: Maker }[] = [
  { suffix: '', title: 'Item', right: 'read', make: rowSchema },
  { suffix: '.create', title: 'Create', right: 'create', make: creationSchema },
  { suffix: '.replace', title: 'Replace', right: 'update', make: replaceSchema },
  { suffix: '.patch', title: 'Patch', right: 'update', make: patchSchema },
  { suffix: '.aggregate', title: 'Aggregate', right: 'read', make: aggregateSchema },
]

/** Returns the schemas that the audience may use. A caller that creates an item needs the schema of items too. */
export function schemasOf(part: AudienceResource): readonly PublishedSchema[] {
  const { resource, may } = part
  return makers
    .filter(({ right, title }) => may[right] !== 'never' || isNeeded(title, part))
    .map(({ suffix, title, make }) => ({
      name: resource.name + suffix,
      title,
      schema: () => make(resource, part),
    }))
}

/** Schemas that operations refer to besides: PUT may be offered for creating only. */
function isNeeded(title: SchemaTitle, { may, itemMethods }: AudienceResource): boolean {
  if (title === 'Item') return may.create !== 'never' || may.update !== 'never'
  return title === 'Replace' && itemMethods.includes('PUT')
}

/** Returns the schema as a document: JSON Schema 2020-12 with its URI as `$id`. */
export function schemaDocument(model: Model, { name, schema }: PublishedSchema): JsonSchema {
  const { $schema, ...rest } = schema()
  return { $schema, $id: schemaUri(model, name), ...rest }
}

/** Returns a reference to the schema as an OpenAPI component, such as `ArticlesItem`. */
export function schemaReference(
  components: Components,
  part: AudienceResource,
  title: SchemaTitle,
): JsonSchema {
  const { resource } = part
  return components.refer('schemas', pascalCase(resource.name) + title, () => {
    const maker = makers.find((one) => one.title === title)
    if (!maker) throw new Error(`No schema is called ${title}`)
    return describedPart(components, part, maker.make(resource, part))
  })
}

/** The content of a POST to a sub-collection may leave out the reference to the parent. */
export function schemaWithin(components: Components, part: AudienceResource, given: FieldModel): JsonSchema {
  const { resource } = part
  const { required, ...schema } = creationSchema(resource, part)
  const names = (required as readonly string[] | undefined) ?? []
  if (!names.includes(given.name)) return schemaReference(components, part, 'Create')
  const others = names.filter((name) => name !== given.name)
  return components.refer('schemas', `${pascalCase(resource.name)}Create.${given.name}`, () =>
    describedPart(components, part, { ...schema, required: others }),
  )
}

/** The content of a POST, with the items that it may contain. */
function creationSchema(resource: ResourceModel, part: AudienceResource): JsonSchema {
  const schema = createSchema(resource, part)
  const nested = part.nested.map((one) => [
    one.relation.name,
    nestedSchema(one.relation, nestedItemSchema(one.relation, one.part)),
  ])
  return { ...schema, properties: { ...(schema.properties as JsonSchema), ...Object.fromEntries(nested) } }
}

/** The schema as a part of an OpenAPI document, with references to those of the items that it may contain. */
function describedPart(components: Components, part: AudienceResource, schema: JsonSchema): JsonSchema {
  const { resource, nested } = part
  const { properties, ...rest } = schemaPart(components, resource, schema)
  const items = nested.flatMap((one) => {
    const { name } = one.relation
    if (!Object.hasOwn(properties as JsonSchema, name)) return []
    const reference = components.refer('schemas', `${pascalCase(resource.name)}Create.${name}`, () =>
      schemaPart(components, one.part.resource, nestedItemSchema(one.relation, one.part)),
    )
    return [[name, nestedSchema(one.relation, reference)]]
  })
  return { ...rest, properties: { ...(properties as JsonSchema), ...Object.fromEntries(items) } }
}

/** Returns the schema as a part of an OpenAPI document, without a dialect of its own. */
export function schemaPart(
  components: Components,
  resource: ResourceModel,
  { $schema: _dialect, properties, ...rest }: JsonSchema,
): JsonSchema {
  return { ...rest, properties: withSharedSchemas(components, resource, properties as JsonSchema) }
}

/** Returns the properties with references to shared schemas. */
export function withSharedSchemas(
  components: Components,
  resource: ResourceModel,
  properties: JsonSchema,
): JsonSchema {
  const entries = Object.entries(properties).map(([name, property]) => [
    name,
    shareProperty(components, resource, name, property as JsonSchema),
  ])
  return Object.fromEntries(entries)
}

function shareProperty(
  components: Components,
  resource: ResourceModel,
  name: string,
  property: JsonSchema,
): JsonSchema {
  const field = name === 'id' ? resource.keyField : resource.fieldByName.get(name)
  const named = choiceOf(field) ?? (hasOwnPattern(field) ? field : undefined)
  if (!field || !named) return referToSharedSchema(components, property)
  const { items, anyOf } = property
  const share = (one: unknown) => shareProperty(components, resource, name, one as JsonSchema)
  if (items) return { ...property, items: share(items) }
  if (Array.isArray(anyOf)) return { ...property, anyOf: anyOf.map(share) }
  const values = JSON.stringify(named.schema)
  return replaceAssertions(property, (asserted) =>
    asserted === values ? choiceReference(components, resource, field) : undefined,
  )
}

/** Whether the definition gives the text a pattern, so that its schema is long. */
function hasOwnPattern(field: FieldModel | undefined): boolean {
  return field?.kind.isText === true && field.schema.pattern !== cleanText
}
