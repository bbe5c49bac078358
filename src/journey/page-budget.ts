/**
 * The octet budget of a page: how many of the items that were loaded are shown. Sizes are worked
 * out exactly only for pages that may be too large.
 */

import { oncePer } from '../once.ts'
import type { Representation } from '../representations/representation.ts'
import { charactersOf, octetsOf } from '../store/row-size.ts'
import type { Shape } from '../view/shape.ts'
import type { ItemView } from '../view/view.ts'

/** How many of the texts fit, from the first on; at least one. */
export function countFittingTexts(texts: readonly string[], budget: number): number {
  let characters = 0
  for (const text of texts) characters += text.length
  if (characters * 3 <= budget) return texts.length
  return countFitting(texts, budget, (text) => Buffer.byteLength(text))
}

/** How many of the items fit as the format writes them, with what they embed; at least one. */
export function countFittingItems(
  items: readonly ItemView[],
  budget: number,
  { writeItem }: Pick<Representation, 'writeItem'>,
): number {
  let most = 0
  for (const item of items) most += greatestSize(item)
  if (most <= budget) return items.length
  return countFitting(items, budget, (item) =>
    writeItem ? Buffer.byteLength(writeItem(item)) : storedSize(item),
  )
}

function countFitting<T>(all: readonly T[], budget: number, sizeOf: (one: T) => number): number {
  let octets = 0
  for (const [count, one] of all.entries()) {
    octets += sizeOf(one)
    if (octets > budget && count > 0) return count
  }
  return all.length
}

/** Three octets for each unit of text, and five characters where XML escapes one. */
const greatestGrowth = 15
const linkSize = 2000

/** No format writes the item in more octets. */
function greatestSize({ row, shape, hypermedia, embedded }: ItemView): number {
  let size = greatestGrowth * charactersOf(row) + namesSize(shape)
  if (hypermedia) size += linkSize * (1 + hypermedia.links.length)
  if (embedded) for (const other of embedded.values()) size += greatestSize(other)
  return size
}

/** What formats write around the values, such as the names of members. */
const namesSize = oncePer(({ fields, times }: Shape): number =>
  [...fields, ...times].reduce((sum, { name }) => sum + 2 * name.length + 20, 200),
)

/** Of what is shown alone: where a page ends must not tell how long hidden values are. */
function storedSize({ row, shape, embedded }: ItemView): number {
  const shown = [...shape.fields, ...shape.times].map(({ shownAt }) => row[shownAt] ?? null)
  const others = [...(embedded?.values() ?? [])]
  return others.reduce((sum, other) => sum + storedSize(other), octetsOf(shown))
}
