/**
 * Lists rows up to a bound of visible octets. The store ends a list by the octets of whole rows, but
 * the end of a page must not reveal the length of hidden values. So the list is continued until the
 * values that the caller sees reach the bound.
 */

import type { Row } from '../../store/row.ts'
import { countOctets, exceedsOctets } from '../../store/row-size.ts'
import type { RowQuery, Store } from '../../store/store.ts'
import type { RowChecks } from '../../views/row-checks.ts'
import type { FieldSelector } from '../../views/visible-fields.ts'

interface RowVisibility {
  readonly selector: FieldSelector
  readonly checks: RowChecks
  /** The values of the row in the columns of the order. */
  positionOf(row: Row): NonNullable<RowQuery['after']>
}

/** The rows up to the one that exceeds the bound of visible octets, and at least two. */
export async function listWithinVisibleSize(
  store: Store,
  query: RowQuery,
  visibility: RowVisibility,
): Promise<readonly Row[]> {
  const found = await store.list(query)
  return isCut(query, found) ? continueList(store, query, found, visibility) : found
}

/** Whether the store may have ended the list by octets. */
function isCut({ limit, octets }: RowQuery, rows: readonly Row[]): boolean {
  return octets !== undefined && rows.length < limit && exceedsOctets(rows, octets)
}

async function continueList(
  store: Store,
  query: RowQuery,
  found: readonly Row[],
  visibility: RowVisibility,
): Promise<readonly Row[]> {
  const { limit, octets = Number.POSITIVE_INFINITY } = query
  const rows: Row[] = []
  let visibleOctets = 0
  for (let part = found; ; ) {
    const rest = { ...query, limit: limit - rows.length }
    for (const row of part) {
      const visible = visibleRow(query, visibility, row)
      rows.push(visible)
      visibleOctets += countOctets(visible)
      if (visibleOctets > octets && rows.length > 1) return rows
    }
    const last = part.at(-1)
    if (!last || !isCut(rest, part)) return rows
    part = await store.list({
      ...query,
      limit: limit - rows.length,
      after: visibility.positionOf(last),
    })
  }
}

/** The row without hidden values. Keys, references and the columns of the order stay: the list needs them. */
function visibleRow({ order }: RowQuery, { selector, checks }: RowVisibility, row: Row): Row {
  const { fields: visibleFields, derived, seen } = selector.selectFields(checks.readResults(row))
  const needed = derived.flatMap((one) => (one.kind === 'computed' ? one.dependencies : []))
  const shown = new Set([...visibleFields, ...needed, ...seen])
  const { fields, keyField } = selector.resource
  const ordered = new Set(order.filter(({ through }) => !through).map(({ column }) => column))
  const hidden = fields.filter(
    (field) => !shown.has(field) && !field.ref && field !== keyField && !ordered.has(field.name),
  )
  const visible = [...row]
  for (const { index, outputIndex: shownIndex } of hidden) {
    visible[index] = null
    visible[shownIndex] = null
  }
  return visible
}
