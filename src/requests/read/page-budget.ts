/**
 * The octet budget of a page: how many of the loaded items it shows. Exact sizes are computed only
 * for pages that may be too large. See decision 0011.
 */

import { setImmediate } from 'node:timers/promises'
import type { Format } from '../../formats/format.ts'
import { countCharacters, countOctets } from '../../store/row-size.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import { createYield } from '../../tools/time-slices.ts'
import { embeddedItems } from '../../views/composition.ts'
import type { ItemView } from '../../views/view.ts'
import type { VisibleFields } from '../../views/visible-fields.ts'

/**
 * How many of the items fit as the format writes them, with the items they embed; at least one.
 * Yields to other requests between the items of a large page.
 */
export async function countItemsWithinOctets(
  items: readonly ItemView[],
  budget: number,
  format: Pick<Format, 'writeCollectionItem'>,
): Promise<number> {
  let octets = 0
  for (const item of items) octets += maxSize(item)
  return octets <= budget ? items.length : measureItems(items, budget, format)
}

async function measureItems(
  items: readonly ItemView[],
  budget: number,
  { writeCollectionItem: writeItem }: Pick<Format, 'writeCollectionItem'>,
): Promise<number> {
  const pause = createYield()
  let octets = 0
  let count = 0
  for (const item of items) {
    octets += writeItem ? Buffer.byteLength(writeItem(item)) : storedSize(item)
    if (octets > budget && count > 0) break
    count += 1
    await pause()
  }
  // The page is written in one turn of the event loop; begin it with a new turn.
  await setImmediate()
  return count
}

/** Octets for each UTF-16 unit: three in UTF-8, times five where XML escapes it. */
const maxGrowth = 15
const maxLinkOctets = 2000

/** An upper bound of the octets that any format writes for the item. */
function maxSize({ row, visibleFields, hypermedia, embedded }: ItemView): number {
  let size = maxGrowth * countCharacters(row) + namesSize(visibleFields)
  if (hypermedia) size += maxLinkOctets * (1 + hypermedia.links.length)
  for (const other of embeddedItems(embedded)) size += maxSize(other)
  return size
}

/** An upper bound of the octets around the values, such as member names. */
const namesSize = memoizeByObject(({ fields, times }: VisibleFields): number =>
  [...fields, ...times].reduce((sum, { name }) => sum + 2 * name.length + 20, 200),
)

/** How many of the items fit by the size of their visible values, with the items they embed; at least one. */
export function countStoredWithinOctets(items: readonly ItemView[], budget: number): number {
  let octets = 0
  for (const [count, item] of items.entries()) {
    octets += storedSize(item)
    if (octets > budget && count > 0) return count
  }
  return items.length
}

/** The size of the visible values only: the end of a page must not reveal the length of hidden values. */
function storedSize({ row, visibleFields, embedded }: ItemView): number {
  const shown = [...visibleFields.fields, ...visibleFields.times].map(
    ({ outputIndex }) => row[outputIndex] ?? null,
  )
  return embeddedItems(embedded).reduce((sum, other) => sum + storedSize(other), countOctets(shown))
}
