/** POST of many items at once: all of them are made, or none and every fault is told at its row. */

import { randomUUIDv7 } from 'node:crypto'
import { refuseCaller } from '../access/authorize.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { CollectionTarget } from '../context/target.ts'
import type { FieldModel, ResourceModel, Stored } from '../definition/model.ts'
import { withPageChrome } from '../html-pages/page-chrome.ts'
import type { CurrentState } from '../read/current-state.ts'
import { type ContentFault, invalidContent, maxFaults, Refusal, refuse } from '../refusal.ts'
import { invalidItemCount, maxItems } from '../representations/representation.ts'
import type { ViewResponse } from '../respond/finish-response.ts'
import type { Condition } from '../store/condition.ts'
import { noText, positionOf } from '../store/sql/row-text-sql.ts'
import type { InsertWrite, Store } from '../store/store.ts'
import { createYield } from '../tools/time-slices.ts'
import { isRowDependent } from '../view/shape.ts'
import type { ItemView } from '../view/view.ts'
import { hashInsertPasswords, type PreparedInsert, prepareInsert } from './prepare-insert.ts'
import { submitBulk } from './submit-write.ts'
import { expectUnchanged } from './write-item.ts'
import { previewWrite } from './written-response.ts'

/** Where the resource takes many at once, an array is many, even if it has one. */
export function isBulk(
  { target }: RequestContext<CollectionTarget>,
  body: unknown,
): body is readonly unknown[] {
  return target.resource.bulk && Array.isArray(body)
}

export async function createMany(
  context: RequestContext<CollectionTarget>,
  current: CurrentState,
  bodies: readonly unknown[],
): Promise<ViewResponse> {
  const { service, target } = context
  if (bodies.length === 0 || bodies.length > maxItems) throw invalidItemCount()
  const { insertions, faults } = await prepareInserts(context, bodies)
  const writes = new Map([...insertions].map(([row, { write }]) => [row, write]))
  const repeated = findRepeatedValues(target.resource, writes)
  if (faults.length > 0) throw invalidContent(inRowOrder([...faults, ...repeated]))
  await requireAllPermitted(context, writes.values())
  // Refused before the store is asked: a request that cannot succeed must not tell what is taken.
  if (repeated.length > 0) throw duplicates(repeated)
  const taken = await findTakenValues(service.store, target.resource, writes)
  if (taken.length > 0) throw duplicates(taken)
  const inserts = await hashAllPasswords(context, insertions.values())
  const items = await previewItems(context, inserts)
  return submitBulk(context, [...inserts, ...expectUnchanged(current)], {
    status: 201,
    view: await withPageChrome(context, { kind: 'collection', resource: target.resource, items }),
    links: [],
    fields: {},
  })
}

/** By row. */
type InsertsByRow = ReadonlyMap<number, InsertWrite>

async function prepareInserts(
  context: RequestContext<CollectionTarget>,
  bodies: readonly unknown[],
) {
  const insertions = new Map<number, PreparedInsert>()
  const faults: ContentFault[] = []
  const pause = createYield()
  for (const [row, body] of bodies.entries()) {
    if (faults.length >= maxFaults) break
    await pause()
    try {
      insertions.set(row, await prepareInsert(context, body, [randomUUIDv7(), 1]))
    } catch (error) {
      // Faults of one row must not keep those of the others from being told.
      if (!(error instanceof Refusal) || error.type !== 'invalid-content') throw error
      for (const fault of error.options.errors ?? []) {
        faults.push({ ...fault, pointer: `/${row}${fault.pointer}` })
      }
    }
  }
  return { insertions, faults }
}

/** One after the other: a request never takes more than one place of those for hashing. */
async function hashAllPasswords(
  context: RequestContext<CollectionTarget>,
  insertions: Iterable<PreparedInsert>,
) {
  const writes: InsertWrite[] = []
  for (const insertion of insertions) writes.push(await hashInsertPasswords(context, insertion))
  return writes
}

/** 403 goes before 409: whoever may not make an item is not told what is taken. */
async function requireAllPermitted(
  { service, caller }: RequestContext,
  writes: Iterable<InsertWrite>,
): Promise<void> {
  for (const { table, values, result } of writes) {
    if (!isRowDependent(result)) continue
    if (!(await service.store.satisfies(table, values, result))) throw refuseCaller(caller)
  }
}

function uniqueFields({ fields }: ResourceModel): readonly FieldModel[] {
  return fields.filter((field) => field.unique)
}

/** Rows that have a unique value which an earlier row of the batch has already. */
function findRepeatedValues(
  resource: ResourceModel,
  writes: InsertsByRow,
): readonly ContentFault[] {
  return uniqueFields(resource).flatMap((field) => {
    const seen = new Set<string>()
    return [...writes].flatMap(([row, { values }]) => {
      const value = values[field.index] ?? null
      const repeats = value !== null && seen.has(String(value))
      if (value !== null) seen.add(String(value))
      return repeats ? [uniqueFault(row, field, 'An earlier row has this value.')] : []
    })
  })
}

/** Rows that have a unique value which an item has already. */
async function findTakenValues(
  store: Store,
  resource: ResourceModel,
  writes: InsertsByRow,
): Promise<readonly ContentFault[]> {
  const faults = uniqueFields(resource).map(async (field) => {
    const given = [...writes].map(
      ([row, { values }]) => [row, values[field.index] ?? null] as const,
    )
    const taken = await loadTakenValues(store, resource, field, given)
    return given
      .filter(([, value]) => value !== null && taken.has(String(value)))
      .map(([row]) => uniqueFault(row, field, 'This value is already taken.'))
  })
  return (await Promise.all(faults)).flat()
}

async function loadTakenValues(
  store: Store,
  resource: ResourceModel,
  field: FieldModel,
  given: readonly (readonly [number, Stored])[],
): Promise<ReadonlySet<string>> {
  const values = given.flatMap(([, value]) => (value === null ? [] : [value]))
  if (values.length === 0) return new Set()
  const condition: Condition = { kind: 'compare', path: [field.name], operator: 'in', values }
  const rows = await store.list({
    table: resource.name,
    condition,
    order: [field.name, '_identity'].map((column) => ({ column, descending: false })),
    after: undefined,
    limit: values.length,
    evaluate: [],
    text: noText,
  })
  return new Set(rows.map((row) => String(positionOf(row)[0])))
}

function uniqueFault(row: number, { name }: FieldModel, detail: string): ContentFault {
  return { pointer: `/${row}/${name}`, rule: 'unique', detail }
}

function duplicates(faults: readonly ContentFault[]) {
  const errors = inRowOrder(faults)
  return refuse('duplicate', { detail: 'Values that must be unique are taken.', errors })
}

function inRowOrder(faults: readonly ContentFault[]): readonly ContentFault[] {
  const rowOf = ({ pointer }: ContentFault) => Number(pointer.split('/', 2)[1])
  return faults.toSorted((one, other) => rowOf(one) - rowOf(other))
}

/**
 * The new items in the order they were sent, those that their maker may read. One after another: a
 * request has one connection at a time, so that a thousand items keep nobody else from the database.
 */
async function previewItems(
  context: RequestContext<CollectionTarget>,
  writes: readonly InsertWrite[],
): Promise<readonly ItemView[]> {
  const items: ItemView[] = []
  const pause = createYield()
  for (const { values } of writes) {
    await pause()
    const { view } = await previewWrite(context, values)
    if (view !== undefined) items.push(view)
  }
  return items
}
