/** The members of an aggregated row: what the store computes for each, and how its value is shown. */

import { averageDigits } from '../../definition/derived-field.ts'
import type { FieldModel, JsonValue, Stored } from '../../definition/model.ts'
import type { AggregateTerm, GroupTerm } from '../../query/aggregate-terms.ts'
import type { Aggregation } from '../../query/aggregation.ts'
import { invalidParameter } from '../../query/query-parameter.ts'
import type { Refusal } from '../../refusal.ts'
import type { StoredAggregate } from '../../store/group-query.ts'
import type { Row } from '../../store/row.ts'
import { divideAsNumber, divideHalfEven, formatScaled } from '../../tools/decimal-sum.ts'
import type { AggregateMember } from '../../views/view.ts'

/** A value with what it is sorted by. Both are undefined where it is absent. */
export interface AggregateValue {
  readonly value: JsonValue | undefined
  readonly order: Exclude<Stored, null> | undefined
  /** The identity of the item that a group refers to. */
  readonly identity?: string | undefined
}

export interface AggregateColumn {
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
      const value = isText ? String(shown) : field.decode(shown)
      const order = field?.kind === 'decimal' ? BigInt(shown) : shown
      return { value, order, identity: target && String(row[at]) }
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

function aggregateColumn(term: AggregateTerm, at: number): AggregateColumn {
  const { name, operation } = term
  const kind = term.operation === 'count' ? 'integer' : term.attribute.kind
  const member: AggregateMember = { name, role: 'aggregate', kind, target: undefined }
  if (term.operation === 'count') return { member, read: (row) => number(Number(row[at])) }
  // Only fields have aggregates other than `count`.
  const field = term.attribute.field as FieldModel
  switch (operation) {
    case 'sum':
      return { member, read: (row) => sumCell(name, field, String(row[at] ?? 0)) }
    case 'avg':
      return { member, read: (row) => averageCell(field, row[at] ?? null, Number(row[at + 1])) }
    default:
      return { member, read: (row) => extremeCell(field, row[at] ?? null) }
  }
}

function number(value: number): AggregateValue {
  return { value, order: value }
}

function sumCell(name: string, { kind, scale = 0 }: FieldModel, sum: string): AggregateValue {
  if (kind === 'decimal') return scaledCell(BigInt(sum), scale)
  const value = Number(sum)
  const isShown = kind === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value)
  if (!isShown) throw beyondNumbers(name, kind)
  return number(value)
}

function beyondNumbers(name: string, kind: FieldModel['kind']): Refusal {
  const range = kind === 'integer' ? '±(2^53 − 1)' : 'the range of binary64'
  const hint = 'Filter the items, or group them by more fields.'
  return invalidParameter('aggregate', `has '${name}', whose value exceeds ${range}`, hint)
}

function averageCell({ kind, scale = 0 }: FieldModel, sum: Stored, count: number): AggregateValue {
  if (sum === null) return absent
  if (kind !== 'decimal') return number(divideAsNumber(String(sum), count))
  const scaled = BigInt(sum) * 10n ** BigInt(averageDigits)
  return scaledCell(divideHalfEven(scaled, BigInt(count)), scale + averageDigits)
}

function scaledCell(order: bigint, scale: number): AggregateValue {
  return { value: formatScaled(order, scale), order }
}

function extremeCell(field: FieldModel, stored: Stored): AggregateValue {
  if (stored === null) return absent
  return { value: field.decode(stored), order: field.kind === 'decimal' ? BigInt(stored) : stored }
}

/** Absent values first; texts by their octets. */
export function compareValues(one: AggregateValue | undefined, other: AggregateValue | undefined): number {
  const [a, b] = [one?.order, other?.order]
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined)
  if (typeof a === 'string' || typeof b === 'string') {
    return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))
  }
  return a < b ? -1 : a > b ? 1 : 0
}
