/**
 * Rows of a list as far as the caller sees them. The store ends a list by the octets of whole rows;
 * where a page ends must not tell how long hidden values are, so the list is continued until what
 * the caller sees reaches the bound.
 */

import type { Row } from '../store/row.ts'
import { countOctets, exceedsOctets } from '../store/row-size.ts'
import { andThen, type MaybePromise, type RowQuery, type Store } from '../store/store.ts'
import type { RowChecks } from '../view/row-checks.ts'
import type { FieldSelector } from '../view/shape.ts'

interface Sight {
  readonly selector: FieldSelector
  readonly checks: RowChecks
  /** The values of the row in the columns of the order. */
  placeOf(row: Row): NonNullable<RowQuery['after']>
}

/** Ends with the row that makes the visible octets more than the bound, though not before the second. */
export function listVisibleRows(
  store: Store,
  query: RowQuery,
  queryable: Sight,
): MaybePromise<readonly Row[]> {
  return andThen(store.list(query), (found) =>
    isCut(query, found) ? continued(store, query, found, queryable) : found,
  )
}

/** Whether the store may have ended the list by octets. */
function isCut({ limit, octets }: RowQuery, rows: readonly Row[]): boolean {
  return octets !== undefined && rows.length < limit && exceedsOctets(rows, octets)
}

async function continued(
  store: Store,
  query: RowQuery,
  found: readonly Row[],
  queryable: Sight,
): Promise<readonly Row[]> {
  const { limit, octets = Number.POSITIVE_INFINITY } = query
  const rows: Row[] = []
  let seen = 0
  for (let part = found; ; ) {
    const rest = { ...query, limit: limit - rows.length }
    for (const row of part) {
      const visible = visibleRow(query, queryable, row)
      rows.push(visible)
      seen += countOctets(visible)
      if (seen > octets && rows.length > 1) return rows
    }
    const last = part.at(-1)
    if (!last || !isCut(rest, part)) return rows
    part = await store.list({
      ...query,
      limit: limit - rows.length,
      after: queryable.placeOf(last),
    })
  }
}

/** Without the values that the caller does not see, but for those that the list itself needs. */
function visibleRow({ order }: RowQuery, { selector, checks }: Sight, row: Row): Row {
  const shown = new Set(selector.shapeOf(checks.readResults(row)).fields)
  const { fields, key } = selector.resource
  const hidden = fields.filter(
    (field) =>
      !shown.has(field) &&
      !field.ref &&
      field !== key &&
      order.every(({ column }) => column !== field.name),
  )
  const visible = [...row]
  for (const { index: at } of hidden) visible[at] = null
  return visible
}
