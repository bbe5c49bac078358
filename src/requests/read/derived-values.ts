/**
 * The values of derived fields. The database computes aggregates over the items that the caller may
 * read, with one query for each field of a page; functions of the definition compute the others. See decision 0050.
 */

import { derivedValueFor } from '../../access/derived-value.ts'
import type { Principal } from '../../access/principal.ts'
import {
  type AggregateDerivedModel,
  type ComputedModel,
  type DerivedModel,
  IDENTITY,
  type JsonValue,
  type Stored,
} from '../../definition/model.ts'
import { updatedAt } from '../../definition/system-fields.ts'
import { averageOf, sumOf } from '../../store/exact-total.ts'
import type { StoredAggregate } from '../../store/group-query.ts'
import type { Row } from '../../store/row.ts'
import type { ItemView } from '../../views/view.ts'
import type { Unit } from '../context/service-context.ts'

interface DeriveContext {
  readonly unit: Pick<Unit, 'store' | 'clock'>
  readonly caller: Principal
}

/** The items, each with the values of the derived fields that its shape has. */
export async function deriveInto(
  context: DeriveContext,
  items: readonly ItemView[],
): Promise<readonly ItemView[]> {
  const wanted = new Set(items.flatMap(({ visibleFields }) => visibleFields.derived))
  if (wanted.size === 0) return items
  const aggregates = [...wanted].filter((one) => one.kind === 'aggregate')
  const loaded = await Promise.all(aggregates.map((one) => loadValues(context, one, items)))
  const values = new Map(aggregates.map((one, at) => [one, loaded[at] ?? new Map()] as const))
  const now = new Date(context.unit.clock.now())
  return items.map((item) => ({ ...item, row: rowWithValues(item, values, now) }))
}

/** Values by the identity of the item. */
type ValuesByIdentity = ReadonlyMap<Stored, Stored>

async function loadValues(
  { unit, caller }: DeriveContext,
  derived: AggregateDerivedModel,
  items: readonly ItemView[],
): Promise<ValuesByIdentity> {
  const showing = items.filter(({ visibleFields }) => visibleFields.derived.includes(derived))
  const identities = [...new Set(showing.map(({ row }) => String(row[IDENTITY])))]
  const { table, reference, condition, column } = derivedValueFor(derived, caller)
  const rows = await unit.store.aggregate({
    table,
    condition,
    referringTo: { reference, to: identities },
    groups: [],
    aggregates: storedAggregates(derived, column),
    limit: identities.length,
    octets: Number.POSITIVE_INFINITY,
  })
  return new Map(rows.map(([identity = null, ...values]) => [identity, readValue(derived, values)]))
}

/** An average needs the sum and the number of values. */
function storedAggregates(
  { operation }: AggregateDerivedModel,
  column: string | undefined,
): readonly StoredAggregate[] {
  if (operation === 'count' || column === undefined) return [{ kind: 'count', column: undefined }]
  if (operation !== 'avg') return [{ kind: operation, column }]
  return [
    { kind: 'sum', column },
    { kind: 'count', column },
  ]
}

/** The value from the stored aggregates of the items. */
function readValue({ operation, source }: AggregateDerivedModel, [first = null, second]: Row): Stored {
  if (operation === 'count' || !source) return Number(first ?? 0)
  if (operation === 'min' || operation === 'max') return first
  const total = { type: source.kind.column, sum: first === null ? null : String(first) }
  return operation === 'sum' ? sumOf(total) : averageOf({ ...total, count: Number(second ?? 0) })
}

/** The row with the values in the places of the derived fields. */
function rowWithValues(
  { row, visibleFields }: ItemView,
  values: ReadonlyMap<DerivedModel, ValuesByIdentity>,
  now: Date,
): Row {
  const derived = [...row]
  for (const one of visibleFields.derived) {
    derived[one.field.index] =
      one.kind === 'computed'
        ? computeValue(one, { row, visibleFields }, now)
        : (values.get(one)?.get(row[IDENTITY] ?? null) ?? null)
  }
  return derived
}

function computeValue(
  { dependencies, compute }: ComputedModel,
  { row, visibleFields }: Pick<ItemView, 'row' | 'visibleFields'>,
  now: Date,
): Stored {
  const values = dependencies.flatMap((field): [string, JsonValue][] => {
    const { outputIndex } = field === updatedAt ? visibleFields.change.updatedAt : field
    const stored = row[outputIndex] ?? null
    return stored === null ? [] : [[field.name, field.decode(stored)]]
  })
  return compute(Object.fromEntries(values), now)
}
