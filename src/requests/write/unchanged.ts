/** Whether a write changes anything: comparison of stored values. */

import type { FieldModel, JsonValue, Stored } from '../../definition/model.ts'
import type { Row } from '../../store/row.ts'
import { isDeepStrictEqual } from '../../tools/node-builtins.ts'

/** Whether the row already has these values (in column order) in its fields. */
export function isUnchanged(row: Row, fields: readonly FieldModel[], values: readonly Stored[]): boolean {
  return fields.every((field) => isSameValue(field, values[field.index], row[field.index]))
}

/** Whether two stored values are equal. The store may return numbers as text; the order of names in JSON has no meaning. */
export function isSameValue({ kind }: FieldModel, a: Stored | undefined, b: Stored | undefined): boolean {
  if (a === b) return true
  if (a === null || b === null) return false
  if (String(a) === String(b)) return true
  return kind === 'json' && isDeepStrictEqual(JSON.parse(String(a)), JSON.parse(String(b)))
}

/** Whether a set of references has the same ids, in any order. */
export function isSameSet(value: JsonValue, present: JsonValue | undefined): boolean {
  if (!Array.isArray(value) || !Array.isArray(present) || value.length !== present.length) return false
  return present.every((id) => value.includes(id))
}
