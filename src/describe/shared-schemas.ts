/** Schemas of values that many fields have: an OpenAPI document describes each of them once. */

import { emailKind } from '../definition/kinds/email.ts'
import { dateSchema, timestampSchema } from '../definition/kinds/time.ts'
import { urlKind } from '../definition/kinds/url.ts'
import { uuidSchema } from '../definition/kinds/uuid.ts'
import type { JsonSchema } from '../definition/model.ts'
import type { Components } from './components.ts'

const use = { key: false, indexed: false }

const shared: ReadonlyMap<string, JsonSchema> = new Map([
  ['Timestamp', timestampSchema],
  ['CalendarDate', dateSchema],
  ['Uuid', uuidSchema],
  ['EmailAddress', emailKind.schema({}, use)],
  ['WebAddress', urlKind.schema({}, use)],
])

/** By their text, without what merely annotates. */
const names = new Map([...shared].map(([name, schema]) => [JSON.stringify(schema), name]))

/** Says something of a value and asserts nothing, so that it may stand beside a reference. */
const annotations: ReadonlySet<string> = new Set([
  'default',
  'description',
  'readOnly',
  'writeOnly',
  'x-fixed',
])

/** The same schema, in which values of a shared kind are references to it. */
export function shareSchema(components: Components, schema: JsonSchema): JsonSchema {
  // Within a schema that has a URI of its own, a reference into the document would not resolve.
  if ('$id' in schema) return schema
  const { properties, items, anyOf } = schema
  const share = (one: unknown) => shareSchema(components, one as JsonSchema)
  if (properties) return { ...schema, properties: mapMembers(properties as JsonSchema, share) }
  if (items) return { ...schema, items: share(items) }
  if (Array.isArray(anyOf)) return { ...schema, anyOf: anyOf.map(share) }
  return shareValue(components, schema)
}

function shareValue(components: Components, schema: JsonSchema): JsonSchema {
  return replaceAssertions(schema, (asserted) => {
    const name = names.get(asserted)
    if (name === undefined) return undefined
    return components.refer('schemas', name, () => shared.get(name) as JsonSchema)
  })
}

/** The schema with a reference, if `find` has one, in place of what it asserts. */
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
