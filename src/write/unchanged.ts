/** Whether a write changes anything: comparison of stored values. */

import type { FieldModel, Stored } from '../definition/model.ts'
import type { Row } from '../store/row.ts'
import { isDeepStrictEqual } from '../tools/node-builtins.ts'

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
