/** POST of many items at once: all are created, or none and every fault is reported with its row. */

import { callerRefusal } from '../../access/access-refusal.ts'
import { rightsOf } from '../../access/rights.ts'
import type { ResourceModel } from '../../definition/model.ts'
import { invalidNumberOfItems, maxItems } from '../../formats/format.ts'
import { type ContentFault, invalidContent, maxFaults, Refusal, refuse } from '../../refusal.ts'
import type { Store } from '../../store/store.ts'
import type { InsertWrite, Write } from '../../store/write.ts'
import { createYield } from '../../tools/time-slices.ts'
import type { ItemView } from '../../views/view.ts'
import { isRowDependent } from '../../views/visible-fields.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { CollectionTarget } from '../context/target.ts'
import { type CurrentState, parentOf } from '../read/current-state.ts'
import { beginLogic } from './before-hooks.ts'
import { duplicateValues, findRepeatedValues, findTakenValues } from './bulk-unique-values.ts'
import { collectFaults, refusalAt } from './content-places.ts'
import type { RecordDraft } from './draft-builder.ts'
import type { PlannedChange } from './planned-change.ts'
import { type PreparedInsert, prepareInsert } from './prepare-insert.ts'
import { expectUnchanged } from './write-item.ts'
import { previewWrite } from './written-response.ts'

/** Whether the body is an array of items for a resource that allows bulk creation. */
export function isBulk(
  { target }: RequestContext<CollectionTarget>,
  body: unknown,
): body is readonly unknown[] {
  return target.resource.bulk && Array.isArray(body)
}

/** 201 with the new items that the caller may read; refuses 422, 403 and 409. */
export async function createMany(
  context: RequestContext<CollectionTarget>,
  current: CurrentState,
  bodies: readonly unknown[],
): Promise<PlannedChange> {
  const { unit, target, caller } = context
  if (bodies.length === 0 || bodies.length > maxItems) throw invalidNumberOfItems()
  const { prepared, faults } = await prepareInserts(context, current, bodies)
  const drafted = new Map([...prepared].map(([row, { write }]) => [`/${row}`, write]))
  const rights = rightsOf(target.resource, caller)
  if (faults.length > 0) {
    throw invalidContent(inRowOrder([...faults, ...findRepeatedValues(rights, drafted)]))
  }
  await requireAllPermitted(context, drafted.values())
  const { writes, inserts: changed, preview } = await runHooks(context, prepared)
  const repeated = findRepeatedValues(rights, changed)
  // Before the store query: a request that cannot succeed must not reveal which values are taken.
  if (repeated.length > 0) throw duplicateValues(inRowOrder(repeated))
  const taken = await findTakenValues(unit.store, rights, changed)
  if (taken.length > 0) throw duplicateValues(inRowOrder(taken))
  const inserts = [...changed.values()]
  const items = await previewItems(context, inserts, preview)
  const { resource } = target
  const all = [...(writes ?? inserts), ...expectUnchanged(current)]
  return {
    writes: all,
    response: { status: 201, view: { kind: 'collection', resource, items }, links: [], fields: {} },
    async problemOf({ index }, usual) {
      const problem = await usual()
      return problem instanceof Refusal ? refusalAt(`/${rowOf(resource, all, index)}`, problem) : problem
    },
  }
}

/** The row of the body that the write is for: the number of inserts into the collection before it. */
function rowOf({ name }: ResourceModel, writes: readonly Write[], index: number): number {
  return writes.slice(0, index).filter((write) => write.kind === 'insert' && write.table === name).length
}

/** The inserts after their hooks, in order: each hook sees the items before its own. */
async function runHooks(
  context: RequestContext<CollectionTarget>,
  prepared: ReadonlyMap<number, PreparedInsert>,
) {
  const { resource } = context.target
  const session = beginLogic(context, resource, 'create')
  const inserts = new Map<string, InsertWrite>()
  for (const [row, { write }] of prepared) {
    const { values, conditionAfter } = write
    const stored = session
      ? await atIndex(row, () => session.insert({ resource, values, conditionAfter }))
      : values
    inserts.set(`/${row}`, { ...write, values: stored })
  }
  return { writes: session?.writes, inserts, preview: session?.preview ?? context.unit.store }
}

/** Adds the index of the item to a refusal, also to the pointers of its faults. */
async function atIndex<Result>(index: number, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Refusal) || error.status >= 500) throw error
    const { type, options } = refusalAt(`/${index}`, error)
    throw refuse(type, { ...options, members: { ...options.members, index } })
  }
}

async function prepareInserts(
  context: RequestContext<CollectionTarget>,
  current: CurrentState,
  bodies: readonly unknown[],
) {
  const parent = parentOf(current)
  const prepared = new Map<number, PreparedInsert>()
  const faults: ContentFault[] = []
  const pause = createYield()
  for (const [row, body] of bodies.entries()) {
    if (faults.length >= maxFaults) break
    await pause()
    const insert = await collectFaults(faults, `/${row}`, async () => {
      const one = await prepareInsert(context, { body, parent })
      requireNoPassword(one.draft)
      return one
    })
    if (insert) prepared.set(row, insert)
  }
  return { prepared, faults }
}

/** Hashing is slow by design: many passwords in one request would block others. */
function requireNoPassword({ values }: RecordDraft): void {
  const faults = [...values]
    .filter(([{ kind }, value]) => kind.isHashed && value !== undefined)
    .map(([{ name }]) => ({
      pointer: `/${name}`,
      rule: 'single',
      detail: 'Leave the password out, or create this item in a request of its own.',
    }))
  if (faults.length > 0) throw invalidContent(faults)
}

/** 403 before 409: a caller who may not create an item must not learn which values are taken. */
async function requireAllPermitted(
  { unit, caller }: RequestContext,
  writes: Iterable<InsertWrite>,
): Promise<void> {
  for (const { table, values, conditionAfter: result } of writes) {
    if (!isRowDependent(result)) continue
    if (!(await unit.store.satisfies(table, values, result))) throw callerRefusal(caller)
  }
}

function inRowOrder(faults: readonly ContentFault[]): readonly ContentFault[] {
  const rowOf = ({ pointer }: ContentFault) => Number(pointer.split('/', 2)[1])
  return faults.toSorted((a, b) => rowOf(a) - rowOf(b))
}

/** The new items that the caller may read, in the order they were sent. One after the other: a request uses one connection. */
async function previewItems(
  context: RequestContext<CollectionTarget>,
  writes: readonly InsertWrite[],
  store: Store,
): Promise<readonly ItemView[]> {
  const items: ItemView[] = []
  const pause = createYield()
  for (const { values } of writes) {
    await pause()
    const { view } = await previewWrite(context, values, { store })
    if (view !== undefined) items.push(view)
  }
  return items
}
