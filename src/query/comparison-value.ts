/** The values that filters compare with. A value of another form is refused; a valid one that no row can have matches nothing. */

import type { PresentValue, Reading } from '../definition/field-kind.ts'
import { compareText } from '../definition/kinds/text.ts'
import type { FieldModel, JsonValue } from '../definition/model.ts'
import type { ValueAttribute } from './queryable-fields.ts'

/** Parses the text of a query parameter to the JSON value that a QUERY would have. */
export function parseText({ isId, field }: ValueAttribute, text: string): Reading<JsonValue> {
  const single = isId ? undefined : (field?.item ?? field)
  if (single?.kind.shape === 'boolean') return parseBoolean(text)
  if (single?.kind.shape !== 'number') return { value: text }
  if (numberPattern.test(text)) return { value: Number(text) }
  const reading = single.kind.compare(text, single)
  return 'expected' in reading ? reading : { value: text }
}

export function parseBoolean(text: string): Reading<boolean> {
  if (text === 'true' || text === 'false') return { value: text === 'true' }
  return { expected: 'true or false' }
}

const numberPattern = /^-?\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,4})?$/

/** Parses an id to the stored value of the key or the identity; undefined if no item can have it. */
export function parseComparedId(
  keyField: FieldModel | undefined,
  value: JsonValue,
): Reading<PresentValue | undefined> {
  const text = compareText(value)
  if ('expected' in text) return text
  const id = text.value.stored as string
  if (keyField === undefined) return { value: id }
  if (keyField.kind.shape === 'number') {
    return { value: /^(?:0|-?[1-9]\d{0,15})$/.test(id) ? Number(id) : undefined }
  }
  return { value: keyField.encode(id) ?? undefined }
}
