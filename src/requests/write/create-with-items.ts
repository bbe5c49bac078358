/**
 * POST of an item with items that refer to it, such as an order with its lines: all are created, or none and every
 * fault is reported at its place. Each is judged by the rules and checks of its own resource.
 */

import { randomUUIDv7 } from 'node:crypto'
import { rightRefusal } from '../../access/right-refusal.ts'
import { rightsOf } from '../../access/rights.ts'
import { maxNestedItems } from '../../definition/json-schemas.ts'
import type { InverseRelation, JsonValue, NestedRelation } from '../../definition/model.ts'
import { type ContentFault, invalidContent, maxFaults, Refusal } from '../../refusal.ts'
import type { Store } from '../../store/store.ts'
import type { InsertWrite } from '../../store/write.ts'
import { createYield } from '../../tools/time-slices.ts'
import { BatchStore } from '../batch/batch-store.ts'
import type { RequestContext } from '../context/request-context.ts'
import { withStore } from '../context/service-context.ts'
import type { CollectionTarget } from '../context/target.ts'
import { requirePermission } from '../decisions/permission.ts'
import { type CurrentState, parentOf } from '../read/current-state.ts'
import { prepareWithHooks } from './before-hooks.ts'
import { duplicateValues, findRepeatedValues, findTakenValues } from './bulk-unique-values.ts'
import { collectFaults, refusalAt } from './content-places.ts'
import { type ContentMembers, membersOf } from './draft-from-content.ts'
import type { PlannedChange } from './planned-change.ts'
import {
  draftInsert,
  isPermittedInsert,
  type NewItem,
  type PreparedInsert,
  requireValidInsert,
} from './prepare-insert.ts'
import { problemOf } from './refused-write.ts'
import { expectUnchanged } from './write-item.ts'
import { createdResponse, previewWrite } from './written-response.ts'

type CreationContext = RequestContext<CollectionTarget>

/** Whether the body is an item that contains others. */
export function hasItems(context: CreationContext, body: unknown): boolean {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false
  return nestedIn(context).some(({ name }) => Object.hasOwn(body, name))
}

/** An older version may have other members for the items, which the conversion of the outer item does not know. */
export function nestedIn({ target, version }: CreationContext): readonly NestedRelation[] {
  return target.resource.nested.filter((relation) => !version?.resources.has(relation.target.name))
}

/** 201 with the outer item; refuses 422, 403 and 409. */
export async function createWithItems(
  context: CreationContext,
  current: CurrentState,
  body: unknown,
): Promise<PlannedChange> {
  const { unit } = context
  const drafts = await draftAll(context, current, membersOf(body))
  await requireValid(context, drafts)
  const store = new BatchStore(unit.store, unit.model)
  const [outer, ...items] = await runHooks(drafts, store)
  if (!outer) throw new Error('The outer item has no fault, so it is the first one')
  await requireNoneTaken(unit.store, items)
  const shown = await previewWrite(context, outer.write.values, { store: store.writing })
  const response = createdResponse(context, shown)
  const writes = [...store.writes, ...expectUnchanged(current)]
  return {
    writes,
    response,
    async problemOf({ index, reason }, usual) {
      const item = items.find(({ begin, end }) => begin <= index && index < end)
      if (!item) return usual()
      const own = { writes: writes.slice(item.begin, item.end), response }
      const problem = await problemOf(item.context, own, { index: index - item.begin, reason })
      return problem instanceof Refusal ? refusalAt(item.place, problem) : problem
    },
  }
}

/** An item of the content. */
interface DraftedItem {
  /** A JSON Pointer such as `/lines/2`; empty for the outer item. */
  readonly place: string
  /** For a POST of this item alone. */
  readonly context: CreationContext
  readonly item: NewItem
  readonly insert: PreparedInsert
}

/** The items in the order in which they are stored, the outer one first; refuses 422 with the faults of all. */
async function draftAll(
  context: CreationContext,
  current: CurrentState,
  members: ContentMembers,
): Promise<readonly DraftedItem[]> {
  const { resource } = context.target
  const nested = nestedIn(context)
  const own = Object.entries(members).filter(([name]) => !nested.some((one) => one.name === name))
  const identity = randomUUIDv7()
  const outer: NewItem = {
    body: Object.fromEntries(own),
    parent: parentOf(current),
    identityAndVersion: [identity, 1],
  }
  const faults: ContentFault[] = []
  const drafts: DraftedItem[] = []
  const insert = await collectFaults(faults, '', () => draftInsert(context, outer))
  if (insert) drafts.push({ place: '', context, item: outer, insert })
  // Where it has faults its values are unknown, and those of the others are found without them.
  const row = insert?.write.values ?? [identity]
  const pause = createYield()
  for (const { relation, place, context: within, body } of itemsIn(context, members, faults)) {
    if (faults.length >= maxFaults) break
    await pause()
    const item: NewItem = { body, parent: { kind: 'parent', resource, relation, row } }
    const drafted = await collectFaults(faults, place, () => {
      requireNoReference(relation, body)
      return draftInsert(within, item)
    })
    if (drafted) drafts.push({ place, context: within, item, insert: drafted })
  }
  if (faults.length === 0) return drafts
  const inserts = drafts.map((draft) => ({ ...draft, write: draft.insert.write }))
  throw invalidContent([...faults, ...findRepeated(inserts)].slice(0, maxFaults))
}

/** An inner item as it was sent. */
interface SentItem {
  readonly relation: NestedRelation
  readonly place: string
  readonly context: CreationContext
  readonly body: JsonValue
}

/** The inner items; adds a fault where there are too many, or where the member is no array. Refuses 401 and 403. */
function itemsIn(
  context: CreationContext,
  members: ContentMembers,
  faults: ContentFault[],
): readonly SentItem[] {
  const items: SentItem[] = []
  for (const relation of nestedIn(context)) {
    const { name } = relation
    if (!Object.hasOwn(members, name)) continue
    const sent = members[name]
    const pointer = `/${name}`
    if (!Array.isArray(sent)) faults.push({ pointer, rule: 'type', detail: 'Must be an array.' })
    else if (items.length + sent.length > maxNestedItems) {
      faults.push({
        pointer,
        rule: 'maxItems',
        detail: `Must have at most ${maxNestedItems - items.length} items.`,
      })
    } else if (sent.length > 0) {
      const within = contextOf(context, relation)
      const placed = sent.map((body, at) => ({ relation, place: `${pointer}/${at}`, context: within, body }))
      items.push(...placed)
    }
  }
  return items
}

/** The context of a POST of the inner item alone; refuses 401 and 403 where no item could be created. */
function contextOf(context: CreationContext, { target: resource }: InverseRelation): CreationContext {
  const target: CollectionTarget = { ...context.target, resource, parent: undefined }
  requirePermission(context.service.model, context.caller, 'POST', target)
  return { ...context, target }
}

/** Refuses 422 content that names the item around it, or the one that is created later. */
export function requireNoReference({ field: { name }, isOne }: NestedRelation, body: unknown): void {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return
  const detail = isOne ? 'It is set later; leave it out.' : 'It is the item around this one; leave it out.'
  throw invalidContent([{ pointer: `/${name}`, rule: 'readOnly', detail }])
}

/**
 * Refuses 422 with the faults of all checks, and 403. The inner items are judged with the outer one and without each
 * other, so that none gives a right to create others.
 */
async function requireValid(context: CreationContext, drafts: readonly DraftedItem[]): Promise<void> {
  const { unit, caller } = context
  const judged = new BatchStore(unit.store, unit.model)
  const faults: ContentFault[] = []
  let refusal: Refusal | undefined
  const pause = createYield()
  for (const { place, context: within, item, insert } of drafts) {
    await pause()
    await collectFaults(faults, place, () =>
      requireValidInsert(inStore(within, judged.writing), item, insert),
    )
    if (!(await isPermittedInsert(judged.writing, insert.write)))
      refusal ??= rightRefusal(caller, within.target.resource, 'create')
    if (place === '') await judged.add([insert.write])
  }
  if (faults.length > 0) throw invalidContent(faults.slice(0, maxFaults))
  if (refusal) throw refusal
}

function inStore(context: CreationContext, store: Store): CreationContext {
  return { ...context, unit: withStore(context.unit, store) }
}

/** An item as it is stored. */
interface StoredItem extends Omit<DraftedItem, 'insert'> {
  readonly write: InsertWrite
  /** Where its writes, and those of its hooks, are among all. */
  readonly begin: number
  readonly end: number
}

/** Adds the writes of the items, after their hooks: each hook sees the items before its own. */
async function runHooks(drafts: readonly DraftedItem[], store: BatchStore): Promise<readonly StoredItem[]> {
  const stored: StoredItem[] = []
  const pause = createYield()
  for (const { insert, ...draft } of drafts) {
    await pause()
    const begin = stored.at(-1)?.end ?? 0
    try {
      const { write, before } = await prepareWithHooks(inStore(draft.context, store.writing), insert)
      const writes = [...before, write]
      await store.add(writes)
      stored.push({ ...draft, write, begin, end: begin + writes.length })
    } catch (error) {
      throw error instanceof Refusal ? refusalAt(draft.place, error) : error
    }
  }
  return stored
}

/** Refuses 409. A request that cannot succeed does not reveal which values are taken. */
async function requireNoneTaken(store: Store, items: readonly PlacedInsert[]): Promise<void> {
  const repeated = findRepeated(items)
  if (repeated.length > 0) throw duplicateValues(repeated)
  const taken: ContentFault[] = []
  for (const [rights, inserts] of byResource(items)) {
    taken.push(...(await findTakenValues(store, rights, inserts)))
  }
  if (taken.length > 0) throw duplicateValues(taken)
}

type PlacedInsert = Pick<StoredItem, 'place' | 'context' | 'write'>

function findRepeated(items: readonly PlacedInsert[]): readonly ContentFault[] {
  return byResource(items).flatMap(([rights, inserts]) => findRepeatedValues(rights, inserts))
}

function byResource(items: readonly PlacedInsert[]) {
  const grouped = Map.groupBy(items, ({ context }) => context.target.resource)
  return [...grouped].map(([resource, own]) => {
    const [{ context }] = own as [PlacedInsert]
    const inserts = new Map(own.map(({ place, write }) => [place, write]))
    return [rightsOf(resource, context.caller), inserts] as const
  })
}
