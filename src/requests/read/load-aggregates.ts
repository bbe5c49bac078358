/**
 * Loads the groups of a list and the aggregates of each, over the items that the caller may read: what the store computes
 * for each member of a row, and how its value is shown.
 */

import { aggregateValues } from '../../definition/derived-field.ts'
import type { FieldKind, FieldValues } from '../../definition/field-kind.ts'
import type { JsonValue, Stored } from '../../definition/model.ts'
import type { Link } from '../../http/link.ts'
import type { AggregateTerm, GroupTerm } from '../../query/aggregate-terms.ts'
import { type Aggregation, type MemberOrder, maxGroups } from '../../query/aggregation.ts'
import { invalidParameter } from '../../query/query-parameter.ts'
import type { Condition } from '../../store/condition.ts'
import { averageOf, sumOf } from '../../store/exact-total.ts'
import type { StoredAggregate } from '../../store/group-query.ts'
import type { Row } from '../../store/row.ts'
import { exceedsOctets } from '../../store/row-size.ts'
import type { Hypermedia } from '../../views/hypermedia-controls.ts'
import { pathAboveReserved, schemaUri } from '../../views/uri.ts'
import type { AggregateMember, AggregateView } from '../../views/view.ts'
import type { RequestContext } from '../context/request-context.ts'
import { relationsBaseUri } from '../context/service-context.ts'
import type { CollectionTarget } from '../context/target.ts'
import { selfLinks } from './collection-links.ts'
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

/** A value with what it is sorted by. Both are undefined where it is absent. */
interface AggregateValue {
  readonly value: JsonValue | undefined
  readonly order: Exclude<Stored, null> | undefined
  /** The identity of the item that a group refers to. */
  readonly identity?: string | undefined
}

interface AggregateColumn {
  readonly member: AggregateMember
  /** Reads the value from a row of the store. Refuses 400 where it exceeds the range of numbers. */
  read(row: Row): AggregateValue
}

/** The columns of the result, and the aggregates that the store must compute for them. */
export function createAggregateColumns({ groups, aggregates }: Aggregation): {
  readonly columns: readonly AggregateColumn[]
  readonly stored: readonly StoredAggregate[]
} {
  const keyed = groups.filter(isKeyed)
  const first = groups.length + keyed.length
  const stored: StoredAggregate[] = []
  const aggregateIndexes = aggregates.map((term) => {
    const at = first + stored.length
    stored.push(...storedAggregates(term))
    return { term, at }
  })
  const columns = [
    ...groups.map((term, at) => groupColumn(term, at, groups.length + keyed.indexOf(term))),
    ...aggregateIndexes.map(({ term, at }) => aggregateColumn(term, at)),
  ]
  return { columns, stored }
}

/** Whether items that refer to another show its key and not its identity. */
function isKeyed({ attribute: { field } }: GroupTerm): boolean {
  return field !== undefined && field.outputIndex !== field.index
}

function groupColumn(term: GroupTerm, at: number, keyAt: number): AggregateColumn {
  const { name, attribute, part } = term
  const { field, isId } = attribute
  const target = field?.ref?.resource
  const member: AggregateMember = { name, role: 'group', kind: attribute.kind, target }
  const shownAt = isKeyed(term) ? keyAt : at
  return {
    member,
    read(row) {
      const shown = row[shownAt] ?? null
      if (shown === null) return absent
      const isText = isId || target !== undefined || part !== undefined || !field
      const cell = isText ? { value: String(shown), order: shown } : shownCell(field, shown)
      return { ...cell, identity: target && String(row[at]) }
    },
  }
}

const absent: AggregateValue = { value: undefined, order: undefined }

/** An average needs the sum and the number of values. */
function storedAggregates(term: AggregateTerm): readonly StoredAggregate[] {
  if (term.operation === 'count') return [{ kind: 'count', column: undefined }]
  const { column } = term.attribute
  if (term.operation !== 'avg') return [{ kind: term.operation, column }]
  return [
    { kind: 'sum', column },
    { kind: 'count', column },
  ]
}

function aggregateColumn({ name, operation, attribute }: AggregateTerm, at: number): AggregateColumn {
  const values = aggregateValues(operation, attribute?.field)
  const type = attribute?.field?.kind.column ?? 'integer'
  const member: AggregateMember = { name, role: 'aggregate', kind: values.kind, target: undefined }
  const readStored = (row: Row): Stored => {
    const stored = row[at] ?? null
    if (operation === 'sum')
      return sumOf({ type, sum: stored === null ? null : String(stored) }) ?? refuseSum(name, type)
    if (operation !== 'avg' || stored === null) return stored
    return averageOf({ type, sum: String(stored), count: Number(row[at + 1]) })
  }
  return { member, read: (row) => shownCell(values, readStored(row)) }
}

function refuseSum(name: string, type: FieldKind['column']): never {
  const range = type === 'integer' ? '±(2^53 − 1)' : 'the range of binary64'
  const hint = 'Filter the items, or group them by more fields.'
  throw invalidParameter('aggregate', `has '${name}', whose value exceeds ${range}`, hint)
}

function shownCell(values: FieldValues, stored: Stored): AggregateValue {
  if (stored === null) return absent
  const order = values.kind.column === 'decimal' ? BigInt(stored) : stored
  return { value: values.decode(stored), order }
}

/** Absent values first; texts by their octets. */
function compareValues(one: AggregateValue | undefined, other: AggregateValue | undefined): number {
  const [a, b] = [one?.order, other?.order]
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined)
  if (typeof a === 'string' || typeof b === 'string') {
    return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))
  }
  return a < b ? -1 : a > b ? 1 : 0
}

export function aggregateLinks(context: RequestContext<CollectionTarget>): readonly Link[] {
  const { service, target } = context
  const { model } = service
  return [
    ...selfLinks(context),
    { target: pathAboveReserved(target.path), rel: 'collection' },
    {
      target: schemaUri(model, `${target.resource.name}.aggregate`),
      rel: 'describedby',
      type: 'application/schema+json',
    },
  ]
}

function aggregateHypermedia(context: RequestContext<CollectionTarget>): Hypermedia {
  return {
    links: aggregateLinks(context),
    actions: [],
    relations: relationsBaseUri(context.service, context.origin),
  }
}
