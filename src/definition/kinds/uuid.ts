/** UUIDs (RFC 9562 §4) of any version, stored in lower case. */

import { declareField, type ValueField, valueModifiers } from '../field.ts'
import type { JsonSchema } from '../model.ts'
import { asText, type Kind } from './kind.ts'

/**
 * A field with a UUID of any version, stored in lower case.
 * @example
 * const orderId = uuid().unique()
 */
export function uuid(): ValueField<string> {
  return declareField({ kind: 'uuid', options: {} }, valueModifiers)
}

export const uuidSchema: JsonSchema = Object.freeze({
  type: 'string',
  format: 'uuid',
  pattern: '^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$',
})

export const uuidKind: Kind = {
  options: {},
  check: () => {},
  schema: () => uuidSchema,
  encode: (value) => (value as string).toLowerCase(),
  decode: asText.decode,
  requirement: () => 'Must be a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057.',
}
