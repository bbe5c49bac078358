/**
 * The octet budget of a page: how many of the items that were loaded are shown. Sizes are worked
 * out exactly only for pages that may be too large.
 */

import { setImmediate } from 'node:timers/promises'
import type { Representation } from '../representations/representation.ts'
import { countCharacters, countOctets } from '../store/row-size.ts'
import type { MaybePromise } from '../store/store.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import { createYield } from '../tools/time-slices.ts'
import type { Shape } from '../view/shape.ts'
import type { ItemView } from '../view/view.ts'

/** How many of the texts fit, from the first on; at least one. */
export function countFittingTexts(texts: readonly string[], budget: number): number {
  let characters = 0
  for (const text of texts) characters += text.length
  if (characters * 3 <= budget) return texts.length
  let octets = 0
  for (const [count, text] of texts.entries()) {
    octets += Buffer.byteLength(text)
    if (octets > budget && count > 0) return count
  }
  return texts.length
}

/**
 * How many of the items fit as the format writes them, with what they embed; at least one. Pauses
 * between the items of a large page.
 */
export function countFittingItems(
  items: readonly ItemView[],
  budget: number,
  format: Pick<Representation, 'writeItem'>,
): MaybePromise<number> {
  let most = 0
  for (const item of items) most += greatestSize(item)
  return most <= budget ? items.length : measureItems(items, budget, format)
}

async function measureItems(
  items: readonly ItemView[],
  budget: number,
  { writeItem }: Pick<Representation, 'writeItem'>,
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
  // The whole page is written in one turn of the event loop, so that turn starts here.
  await setImmediate()
  return count
}

/** Three octets for each unit of text, and five characters where XML escapes one. */
const greatestGrowth = 15
const linkSize = 2000

/** No format writes the item in more octets. */
function greatestSize({ row, shape, hypermedia, embedded }: ItemView): number {
  let size = greatestGrowth * countCharacters(row) + namesSize(shape)
  if (hypermedia) size += linkSize * (1 + hypermedia.links.length)
  if (embedded) for (const other of embedded.values()) size += greatestSize(other)
  return size
}

/** What formats write around the values, such as the names of members. */
const namesSize = memoizeByObject(({ fields, times }: Shape): number =>
  [...fields, ...times].reduce((sum, { name }) => sum + 2 * name.length + 20, 200),
)

/** Of what is shown alone: where a page ends must not tell how long hidden values are. */
function storedSize({ row, shape, embedded }: ItemView): number {
  const shown = [...shape.fields, ...shape.times].map(
    ({ shownIndex: shownAt }) => row[shownAt] ?? null,
  )
  const others = [...(embedded?.values() ?? [])]
  return others.reduce((sum, other) => sum + storedSize(other), countOctets(shown))
}
