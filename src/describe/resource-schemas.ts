/** The schemas of a resource as they are published: each with a name, and a URI that resolves. */

import { createSchema, patchSchema, replaceSchema, rowSchema } from '../definition/json-schemas.ts'
import type { JsonSchema, Model, ResourceModel } from '../definition/model.ts'
import { formatPath } from '../http/request-target.ts'
import type { AudienceResource, AudienceRight } from './audience.ts'
import { choiceReference, isChoice } from './choice-schemas.ts'
import type { Components } from './components.ts'
import { pascalCase } from './generated-names.ts'
import { replaceAssertions, shareSchema } from './shared-schemas.ts'

export type SchemaTitle = 'Item' | 'Create' | 'Replace' | 'Patch'

export interface PublishedSchema {
  /** The last segment of its URI: `articles`, `articles.create`. */
  readonly name: string
  readonly title: SchemaTitle
  /** Makes it. */
  schema(): JsonSchema
}

type Maker = (...given: Parameters<typeof rowSchema>) => JsonSchema

const makers: readonly { suffix: string; title: SchemaTitle; right: AudienceRight; make: Maker }[] =
  [
    { suffix: '', title: 'Item', right: 'read', make: rowSchema },
    { suffix: '.create', title: 'Create', right: 'create', make: createSchema },
    { suffix: '.replace', title: 'Replace', right: 'update', make: replaceSchema },
    { suffix: '.patch', title: 'Patch', right: 'update', make: patchSchema },
  ]

/** Those that the audience of the part has a use for; whoever may make an item sees what it made. */
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

/** What the operations refer to besides: a PUT may be there only to make items. */
function isNeeded(title: SchemaTitle, { may, itemMethods }: AudienceResource): boolean {
  if (title === 'Item') return may.create !== 'never' || may.update !== 'never'
  return title === 'Replace' && itemMethods.includes('PUT')
}

export function schemaUri({ base }: Model, name: string): string {
  return formatPath(base, ['schemas', name])
}

/** As a document of its own: JSON Schema 2020-12 with the URI it is found at. */
export function schemaDocument(model: Model, { name, schema }: PublishedSchema): JsonSchema {
  const { $schema, ...rest } = schema()
  return { $schema, $id: schemaUri(model, name), ...rest }
}

/** A reference to a schema within an OpenAPI document, as OpenAPI and generated code call it: `ArticlesItem`. */
export function schemaReference(
  components: Components,
  part: AudienceResource,
  title: SchemaTitle,
): JsonSchema {
  const { resource } = part
  return components.refer('schemas', pascalCase(resource.name) + title, () => {
    const maker = makers.find((one) => one.title === title)
    if (!maker) throw new Error(`No schema is called ${title}`)
    return schemaPart(components, resource, maker.make(resource, part))
  })
}

/** As a part of an OpenAPI document, whose dialect and base are those of the whole. */
export function schemaPart(
  components: Components,
  resource: ResourceModel,
  { $schema: _dialect, properties, ...rest }: JsonSchema,
): JsonSchema {
  return { ...rest, properties: shareProperties(components, resource, properties as JsonSchema) }
}

/** The members of a record, those that others have too as references. */
export function shareProperties(
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
  const field = resource.field.get(name)
  if (!isChoice(field)) return shareSchema(components, property)
  if (Array.isArray(property.anyOf)) {
    const anyOf = property.anyOf.map((one) => shareProperty(components, resource, name, one))
    return { ...property, anyOf }
  }
  const values = JSON.stringify(field.schema)
  return replaceAssertions(property, (asserted) =>
    asserted === values ? choiceReference(components, resource, field) : undefined,
  )
}
