/** Named schemas, each a component of an OpenAPI document: those that many fields share, and those of choices. */

import { emailKind } from '../definition/kinds/email.ts'
import { cleanText } from '../definition/kinds/text.ts'
import { dateSchema, timestampSchema } from '../definition/kinds/time.ts'
import { urlKind } from '../definition/kinds/url.ts'
import { uuidSchema } from '../definition/kinds/uuid.ts'
import type { FieldModel, JsonSchema, ResourceModel } from '../definition/model.ts'
import type { Components } from './component-registry.ts'
import { pascalCase } from './generated-names.ts'

const use = { isKey: false, isIndexed: false }

const shared: ReadonlyMap<string, JsonSchema> = new Map([
  ['Timestamp', timestampSchema],
  ['CalendarDate', dateSchema],
  ['Uuid', uuidSchema],
  ['EmailAddress', emailKind.schema({}, use)],
  ['WebAddress', urlKind.schema({}, use)],
])

/** By their JSON text. */
const names = new Map([...shared].map(([name, schema]) => [JSON.stringify(schema), name]))

/** Keywords that assert nothing, so that they may be beside a reference. */
const annotations: ReadonlySet<string> = new Set([
  'default',
  'description',
  'title',
  'readOnly',
  'writeOnly',
  'x-fixed',
])

/** Returns the schema with references in place of shared schemas. */
export function referToSharedSchema(components: Components, schema: JsonSchema): JsonSchema {
  // Within a schema with an `$id`, a reference into the document would not resolve.
  if ('$id' in schema) return schema
  const { properties, items, anyOf } = schema
  const share = (one: unknown) => referToSharedSchema(components, one as JsonSchema)
  if (properties) return { ...schema, properties: mapMembers(properties as JsonSchema, share) }
  if (items) return { ...schema, items: share(items) }
  if (Array.isArray(anyOf)) return { ...schema, anyOf: anyOf.map(share) }
  return shareValue(components, schema)
}

function shareValue(components: Components, schema: JsonSchema): JsonSchema {
  return replaceAssertions(schema, (asserted) => {
    const name = names.get(asserted) ?? findTextName(asserted)
    return name === undefined ? undefined : components.refer('schemas', name, () => JSON.parse(asserted))
  })
}

/** `Text200`, or `Text1To200`: a text without a pattern of its own; undefined for other schemas. */
function findTextName(asserted: string): string | undefined {
  const { type, minLength, maxLength, pattern, ...others }: JsonSchema = JSON.parse(asserted)
  const isText = type === 'string' && maxLength !== undefined && pattern === cleanText
  if (!isText || Object.keys(others).length > 0) return undefined
  return minLength === undefined ? `Text${maxLength}` : `Text${minLength}To${maxLength}`
}

/** Returns the schema with the reference that `find` returns in place of its assertions. */
export function replaceAssertions(
  schema: JsonSchema,
  find: (asserted: string) => JsonSchema | undefined,
): JsonSchema {
  const entries = Object.entries(schema)
  const asserted = entries.filter(([name]) => !annotations.has(name))
  const reference = find(JSON.stringify(Object.fromEntries(asserted)))
  if (!reference) return schema
  return { ...reference, ...Object.fromEntries(entries.filter(([name]) => annotations.has(name))) }
}

function mapMembers(members: JsonSchema, map: (one: unknown) => JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(members).map(([name, one]) => [name, map(one)]))
}

export function isChoice(field: FieldModel | undefined): field is FieldModel {
  return field !== undefined && field.kind.choices !== 'none'
}

/** Returns the choice that the field is, or that each entry of the list is. */
export function choiceOf(field: FieldModel | undefined): FieldModel | undefined {
  return [field, field?.item].find(isChoice)
}

/** `Articles.status` */
export function choiceName(resource: ResourceModel, field: FieldModel): string {
  return `${pascalCase(resource.name)}.${field.name}`
}

/** Returns a reference to the named schema of the field, or of each entry of the list. */
export function choiceReference(
  components: Components,
  resource: ResourceModel,
  field: FieldModel,
): JsonSchema {
  return components.refer('schemas', choiceName(resource, field), () => (field.item ?? field).schema)
}
