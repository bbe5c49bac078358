/**
 * Ids: the last path segment of an item, always a string in representations. It is the identity,
 * a UUID, or the value of the key field.
 */

import { uuidSchema } from './kinds/uuid.ts'
import type { FieldModel, JsonSchema, ResourceModel, Stored } from './model.ts'

/** Returns the stored value of an id, or undefined when no item can have that id. */
export function parseId(resource: ResourceModel, id: string): Exclude<Stored, null> | undefined {
  const { keyField } = resource
  if (keyField === undefined) return identity.test(id) ? id : undefined
  const value = keyField.kind.shape === 'number' ? Number(id) : id
  if (resource.validate({ [keyField.name]: value }).length > 0) return undefined
  const stored = keyField.encode(value)!
  // An item has one URI: other spellings of the value (007, ADA@…) are not found.
  return String(keyField.decode(stored)) === id ? stored : undefined
}

const identity = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Returns the JSON Schema of the ids of a resource with this key, and of references to it. */
export function idSchema(keyField: FieldModel | undefined): JsonSchema {
  if (keyField === undefined) return uuidSchema
  return keyField.kind.shape === 'number' ? integerInText : keyField.schema
}

const integerInText: JsonSchema = Object.freeze({
  type: 'string',
  pattern: '^(?:0|-?[1-9][0-9]{0,15})$',
})
