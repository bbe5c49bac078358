/** Whether a write would change anything: stored values held against each other. */

import type { FieldModel, Stored } from '../definition/model.ts'
import type { Row } from '../store/row.ts'
import { isDeepStrictEqual } from '../tools/node-builtins.ts'

/** Whether a row already holds exactly these values (in column order) of its fields. */
export function isUnchanged(
  row: Row,
  fields: readonly FieldModel[],
  values: readonly Stored[],
): boolean {
  return fields.every((field) => isSameValue(field, values[field.index], row[field.index]))
}

/** Numbers may come as texts from the store; in JSON the order of names has no meaning. */
export function isSameValue(
  { kind }: FieldModel,
  one: Stored | undefined,
  other: Stored | undefined,
): boolean {
  if (one === other) return true
  if (one === null || other === null) return false
  if (String(one) === String(other)) return true
  return kind === 'json' && isDeepStrictEqual(JSON.parse(String(one)), JSON.parse(String(other)))
}
