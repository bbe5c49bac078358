/** UUIDs (RFC 9562 §4) of any version, stored in lower case. */

import { declareField, type ValueField, valueModifiers } from '../field.ts'
import type { JsonSchema } from '../value-types.ts'
import type { Kind } from './kind.ts'
import { compareLowerCase, textTraits } from './text.ts'

/**
 * A field with a UUID of any version, stored in lower case.
 * @example
 * const orderId = uuid().unique()
 */
export function uuid(): ValueField<string> {
  return declareField({ kind: uuidKind, options: {} }, valueModifiers)
}

export const uuidSchema: JsonSchema = Object.freeze({
  type: 'string',
  format: 'uuid',
  pattern: '^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$',
})

export const exampleUuid = '019a84c2-7c1e-7b3a-9d52-0c6f1e8a4b37'

export const uuidKind: Kind = {
  ...textTraits,
  name: 'uuid',
  encoding: 'quoted',
  mayBeKey: true,
  family: 'uuid',
  compare: compareLowerCase,
  examples: () => [exampleUuid],
  isEditedInCells: false,
  options: {},
  check: () => {},
  schema: () => uuidSchema,
  encode: (value) => (value as string).toLowerCase(),
  requirement: () => 'Must be a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057.',
}
