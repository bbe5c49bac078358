/** A table with a column of each type, and arbitrary values for them. */

import fc from 'fast-check'
import type { Stored } from '../../src/definition/model.ts'
import { decimal, integer, real, table, text } from '../store/tables.ts'

const fields = [text('title'), text('body'), integer('stars'), decimal('price'), real('weight')]

export const notes = table('notes', fields, { indexes: [['title']] })

const special = ['', 'NULL', '{}', '{"a"}', '\\', '"', '\n', ',', ' ', '\u{1f600}']
const words = fc.array(fc.oneof(fc.constantFrom(...special), fc.string({ unit: 'grapheme', maxLength: 20 })))

/** Values of all columns except the title. */
export const anyValues = fc.tuple(
  fc.option(words.map((parts) => parts.join('').replaceAll('\0', ''))),
  fc.option(fc.maxSafeInteger()),
  fc.option(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n })),
  fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
)

/** Numbers are sent as text, which has no negative zero. */
export function positive(value: Stored): Stored {
  return value === 0 ? 0 : value
}
