/** The figures of each collection on the home page: its items, its last change, its states and its growth. */

import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import { shownChange } from '../../access/shown-change.ts'
import type { FieldModel, ResourceModel } from '../../definition/model.ts'
import type { Unit } from '../../requests/context/service-context.ts'
import { all, type Condition } from '../../store/condition.ts'
import { findCreateAction } from '../../views/create-action.ts'
import { isListable } from '../../views/form-input.ts'
import { formUriOf } from '../../views/uri.ts'
import type { CollectionFigures } from './page-layout.ts'

/** The most items that are counted. */
const mostCounted = 10_000

/** The days of the line of growth. */
const growthDays = 30
const day = 86_400_000

type FiguresContext = Pick<Unit, 'model' | 'store' | 'limits' | 'clock'>

/** By the name of the collection, for those that the caller may list. */
export async function loadCollectionFigures(
  context: FiguresContext,
  caller: Principal,
): Promise<ReadonlyMap<string, CollectionFigures>> {
  const listed = [...context.model.resources.values()].filter(
    (resource) => resource.declared && isListable(resource, caller),
  )
  const figures = new Map<string, CollectionFigures>()
  for (const resource of listed) figures.set(resource.name, await loadFigures(context, caller, resource))
  return figures
}

async function loadFigures(
  context: FiguresContext,
  caller: Principal,
  resource: ResourceModel,
): Promise<CollectionFigures> {
  const { model, store, limits } = context
  const rights = rightsOf(resource, caller)
  const { read, list } = rights
  const condition = all([read, list])
  const creation = findCreateAction(model, resource, caller)
  const newUri = creation?.createsItem ? formUriOf(model, creation.target) : undefined
  const count = await store.count(resource.name, condition, { atMost: mostCounted + 1 })
  if (count > mostCounted) return { total: undefined, changed: undefined, states: [], growth: [], newUri }
  const state = findState(resource, caller)
  const rows = await store.aggregate({
    table: resource.name,
    condition,
    groups: state ? [{ column: state.name, part: undefined }] : [],
    aggregates: [
      { kind: 'count', column: undefined },
      { kind: 'max', column: shownChange(rights).timeColumn },
    ],
    limit: 1000,
    octets: limits.page,
  })
  const numbers = rows.map((row) => ({ row, count: Number(row.at(-2)), changed: row.at(-1) }))
  const changed = numbers
    .flatMap((one) => (typeof one.changed === 'string' ? [one.changed] : []))
    .toSorted()
    .at(-1)
  const states = (state?.state?.states ?? []).map((value) => ({
    value,
    count: numbers.find(({ row }) => row[0] === value)?.count ?? 0,
    tone: state?.tones.get(value),
  }))
  const total = numbers.reduce((sum, one) => sum + one.count, 0)
  const growth = total === 0 ? [] : await loadGrowth(context, { table: resource.name, condition, total })
  return { total, changed, states, growth, newUri }
}

interface CountedItems {
  readonly table: string
  readonly condition: Condition
  readonly total: number
}

/** How many of the items there were at the end of each day; empty where none is from these days. */
async function loadGrowth(
  { store, limits, clock }: FiguresContext,
  { table, condition, total }: CountedItems,
): Promise<readonly number[]> {
  const now = clock.now()
  const days = Array.from({ length: growthDays }, (_, ago) => dayOf(now - ago * day)).toReversed()
  const recent: Condition = {
    kind: 'compare',
    path: ['createdAt'],
    operator: 'gte',
    values: [`${days[0]}T00:00:00.000Z`],
  }
  const rows = await store.aggregate({
    table,
    condition: all([condition, recent]),
    groups: [{ column: 'createdAt', part: 'day' }],
    aggregates: [{ kind: 'count', column: undefined }],
    // A clock that was wrong may have left items of the future.
    limit: 2 * growthDays,
    octets: limits.page,
  })
  if (rows.length === 0) return []
  const counts = new Map(rows.map(([created, count]) => [String(created), Number(count)]))
  let sum = total - [...counts.values()].reduce((all, count) => all + count, 0)
  return days.map((one) => {
    sum += counts.get(one) ?? 0
    return sum
  })
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

/** The state field that the caller sees on every item. */
function findState(resource: ResourceModel, caller: Principal): FieldModel | undefined {
  const { visibility } = rightsOf(resource, caller)
  return resource.fields.find(
    (field) => field.state && field.filterable && visibility.get(field)?.kind === 'always',
  )
}
