/** Titles as people read them, with numbers, days and times in the language of the page. */

import type { FieldModel, ResourceModel, Stored } from '../../definition/model.ts'
import { type StoredIn, titleFields } from '../../views/item-title.ts'
import { formatTime } from './display-value.ts'
import { shownText, writtenValue } from './written-value.ts'

/**
 * The title with these values; empty where no part has one. A value that the reader does not see counts as missing.
 * `referred`: the texts of other items, by `referredKey`.
 */
export function formatTitle(
  resource: ResourceModel,
  storedIn: StoredIn,
  referred: ReadonlyMap<string, string> = noTexts,
): string {
  let title = ''
  for (const { field, of, separator, before, after } of titleFields(resource)) {
    const stored = storedIn(field) ?? null
    const text = of ? referred.get(referredKey(stored, of)) : stored !== null && titleText(field, stored)
    if (text) title += `${title === '' ? '' : separator}${before}${text}${after}`
  }
  return shownText(resource, title)
}

const noTexts: ReadonlyMap<string, string> = new Map()

/** The key of the value of a field of the item with this identity. */
export function referredKey(identity: Stored, { name }: FieldModel): string {
  return `${identity}.${name}`
}

/** The text of a value in a title. */
export function titleText(field: FieldModel, stored: Exclude<Stored, null>): string {
  const text = String(field.decode(stored)).trim()
  return field.kind.order === 'instant' ? formatTime(text) : writtenValue(field, text)
}
