/**
 * Rows of a list as far as the caller sees them. The store ends a list by the octets of whole rows;
 * where a page ends must not tell how long hidden values are, so the list is continued until what
 * the caller sees reaches the bound.
 */

import { exceeds, octetsOf } from '../store/row-size.ts'
import { type Awaitable, andThen, type ListQuestion, type Row, type Store } from '../store/store.ts'
import type { Asks } from '../view/record.ts'
import type { Lens } from '../view/shape.ts'

interface Sight {
  readonly lens: Lens
  readonly asks: Asks
  /** The values of the row in the columns of the order. */
  placeOf(row: Row): NonNullable<ListQuestion['after']>
}

/** Ends with the row that makes the visible octets more than the bound, though not before the second. */
export function listVisible(
  store: Store,
  question: ListQuestion,
  sight: Sight,
): Awaitable<readonly Row[]> {
  return andThen(store.list(question), (found) =>
    isCut(question, found) ? continued(store, question, found, sight) : found,
  )
}

/** Whether the store may have ended the list by octets. */
function isCut({ limit, octets }: ListQuestion, rows: readonly Row[]): boolean {
  return octets !== undefined && rows.length < limit && exceeds(rows, octets)
}

async function continued(
  store: Store,
  question: ListQuestion,
  found: readonly Row[],
  sight: Sight,
): Promise<readonly Row[]> {
  const { limit, octets = Number.POSITIVE_INFINITY } = question
  const rows: Row[] = []
  let seen = 0
  for (let part = found; ; ) {
    const rest = { ...question, limit: limit - rows.length }
    for (const row of part) {
      const visible = visibleRow(question, sight, row)
      rows.push(visible)
      seen += octetsOf(visible)
      if (seen > octets && rows.length > 1) return rows
    }
    const last = part.at(-1)
    if (!last || !isCut(rest, part)) return rows
    part = await store.list({
      ...question,
      limit: limit - rows.length,
      after: sight.placeOf(last),
    })
  }
}

/** Without the values that the caller does not see, but for those that the list itself needs. */
function visibleRow({ order }: ListQuestion, { lens, asks }: Sight, row: Row): Row {
  const shown = new Set(lens.shapeOf(asks.answersIn(row)).fields)
  const { fields, key } = lens.resource
  const hidden = fields.filter(
    (field) =>
      !shown.has(field) &&
      !field.ref &&
      field !== key &&
      order.every(({ column }) => column !== field.name),
  )
  const visible = [...row]
  for (const { at } of hidden) visible[at] = null
  return visible
}
