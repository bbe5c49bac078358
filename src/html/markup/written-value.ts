/** Values as the language of the page writes them. Formats for programs have the exact values. */

import type { FieldKind } from '../../definition/field-kind.ts'
import type { ResourceModel } from '../../definition/model.ts'
import { sessionName } from '../../definition/tokens-resource.ts'
import { isNumber } from '../../formats/written-number.ts'
import { pageLanguage, translated } from '../page-language.ts'

/** A field, a member of a summary, or the item of a list. */
interface WrittenField {
  readonly kind: FieldKind
  /** The values of a unique number name items, so they are not grouped. */
  readonly unique?: boolean
}

/** The value, with the separators and the order of the language; values of other kinds as they are. */
export function writtenValue(field: WrittenField, text: string): string {
  const { kind, unique } = field
  if (kind.order === 'day' && /^\d{4}-\d\d-\d\d$/.test(text)) return pageLanguage().formatDay(text)
  if (!isNumber(field)) return text
  return pageLanguage().writeNumber(text, unique ? noGroups : leastGrouped(kind))
}

/** The text, translated where the service itself wrote it: the name of the token of a session. */
export function shownText({ declared }: Pick<ResourceModel, 'declared'>, text: string): string {
  return !declared && text === sessionName ? translated(text) : text
}

const noGroups = Number.POSITIVE_INFINITY

/** How many digits before the decimal sign are grouped. Numbers of four digits can be years. */
function leastGrouped({ column }: FieldKind): number {
  return column === 'decimal' ? 4 : 5
}
