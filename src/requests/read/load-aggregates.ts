/** Loads the groups of a list and the aggregates of each, over the items that the caller may read. */

import { type Aggregation, type MemberOrder, maxGroups } from '../../query/aggregation.ts'
import { invalidParameter } from '../../query/query-parameter.ts'
import type { Condition } from '../../store/condition.ts'
import { exceedsOctets } from '../../store/row-size.ts'
import type { AggregateView } from '../../views/view.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { CollectionTarget } from '../context/target.ts'
import { type AggregateValue, compareValues, createAggregateColumns } from './aggregate-columns.ts'
import { aggregateHypermedia } from './aggregate-links.ts'
import type { LoadedAggregates } from './current-state.ts'

/** Refuses 400 for more than 1,000 groups or 4 MB of them and for sums beyond the range of numbers. */
export async function loadAggregates(
  context: RequestContext<CollectionTarget>,
  aggregation: Aggregation,
  condition: Condition,
): Promise<LoadedAggregates> {
  const { unit, format, target } = context
  const { columns, stored } = createAggregateColumns(aggregation)
  const groups = aggregation.groups.map(({ attribute, part }) => ({ column: attribute.column, part }))
  const rows = await unit.store.aggregate({
    table: target.resource.name,
    condition,
    groups,
    aggregates: stored,
    limit: maxGroups + 1,
    octets: unit.limits.page,
  })
  if (rows.length > 1 && exceedsOctets(rows, unit.limits.page)) throw tooLargeGroups()
  if (rows.length > maxGroups) throw tooManyGroups()
  const cells = rows.map((row) => columns.map((column) => column.read(row)))
  const view: AggregateView = {
    kind: 'aggregate',
    resource: target.resource,
    members: columns.map(({ member }) => member),
    rows: cells.toSorted(comparing(aggregation.order)).map((row) => ({
      values: row.map(({ value }) => value),
      identities: row.map(({ identity }) => identity),
    })),
    ...(format.hypermedia ? { hypermedia: aggregateHypermedia(context) } : {}),
  }
  return { kind: 'aggregates', view }
}

function tooManyGroups() {
  return invalidParameter(
    'group-by',
    `makes more than ${maxGroups} groups`,
    'Filter the items, or group by fewer or coarser fields.',
  )
}

function tooLargeGroups() {
  return invalidParameter(
    'group-by',
    'makes groups with too much text for one response',
    'Filter the items, or group by a field with shorter values.',
  )
}

function comparing(order: readonly MemberOrder[]) {
  return (one: readonly AggregateValue[], other: readonly AggregateValue[]): number => {
    for (const { at, descending } of order) {
      const result = compareValues(one[at], other[at])
      if (result !== 0) return descending ? -result : result
    }
    return 0
  }
}
