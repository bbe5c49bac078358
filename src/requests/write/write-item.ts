/** POST, PUT, PATCH and DELETE of one item. Bulk creation, tokens and sign-in have files of their own. */

import { randomUUIDv7 } from 'node:crypto'
import { callerRefusal } from '../../access/access-refusal.ts'
import { isOwnAccount } from '../../access/principal.ts'
import { suspendOnUpdate } from '../../access/revocation.ts'
import { rightRefusal } from '../../access/right-refusal.ts'
import type { Rights } from '../../access/rights.ts'
import {
  CREATED_AT,
  type FieldModel,
  IDENTITY,
  type JsonValue,
  type ResourceModel,
  type Stored,
} from '../../definition/model.ts'
import { invalidContent } from '../../refusal.ts'
import { type Row, versionOf } from '../../store/row.ts'
import { isUnchanged, nextUpdate, updateRow } from '../../store/row-fields.ts'
import type { Store } from '../../store/store.ts'
import type { ExpectUnchanged, Write } from '../../store/write.ts'
import { createYield } from '../../tools/time-slices.ts'
import { itemMembers } from '../../views/item-view.ts'
import type { RequestContent } from '../context/request-content.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { Unit } from '../context/service-context.ts'
import type { CollectionTarget, ItemTarget } from '../context/target.ts'
import { type AbsentItem, type CurrentState, type FoundItem, parentOf } from '../read/current-state.ts'
import { notFoundOrHidden } from '../read/item-access.ts'
import { applyTransitionEffects } from '../read/transition-effects.ts'
import { behaviourOf, type TableBehaviour, type TableBehaviours } from '../table-behaviour.ts'
import { applyJsonPatchToMembers } from './apply-json-patch.ts'
import { beginLogic, prepareWithHooks } from './before-hooks.ts'
import type { RecordDraft, WriterRights } from './draft-builder.ts'
import {
  type ContentMembers,
  draftForm,
  draftJsonPatch,
  draftMerge,
  draftReplacement,
  membersOf,
} from './draft-from-content.ts'
import { encodeValues, hashPasswords, hasPasswords } from './encode-values.ts'
import type { PlannedChange } from './planned-change.ts'
import { currentTimestamp, prepareInsert } from './prepare-insert.ts'
import { requireTestedIndexes } from './require-tested-indexes.ts'
import { evaluateTransitions, type TransitionCheck } from './state-transition.ts'
import { requireNoConflicts } from './unique-values.ts'
import { changedResponse, createdResponse, emptyResponse, previewWrite } from './written-response.ts'

/** POST: creates an item in the collection. */
export async function createItem(
  context: RequestContext<CollectionTarget>,
  current: CurrentState,
  body: unknown,
): Promise<PlannedChange> {
  const insert = await prepareInsert(context, { body, parent: parentOf(current) })
  const { write, before, preview } = await prepareWithHooks(context, insert)
  const response = createdResponse(context, await previewWrite(context, write.values, { store: preview }))
  return { writes: [...before, write, ...expectUnchanged(current)], response }
}

/** The expectation that a collection on which preconditions were evaluated is unchanged when it is written to. */
export function expectUnchanged(current: CurrentState): readonly ExpectUnchanged[] {
  if (current.kind !== 'page' && current.kind !== 'unloaded-page') return []
  return current.tableStates.map((tableState) => ({ kind: 'expect', ...tableState }))
}

/** PUT to an absent item of a resource whose items clients name: creates it. */
export async function createAtUri(
  context: RequestContext<ItemTarget>,
  { isHidden }: AbsentItem,
  body: unknown,
): Promise<PlannedChange> {
  const { unit, caller, target } = context
  const { resource, id } = target
  const identity = await clientNamedIdentity(unit, resource, id)
  const members = clientNamedMembers(resource, id, membersOf(body))
  const insert = await prepareInsert(context, { body: members, identityAndVersion: identity })
  if (isHidden) {
    const { table, values, conditionAfter } = insert.write
    throw (await unit.store.satisfies(table, values, conditionAfter))
      ? notFoundOrHidden()
      : rightRefusal(caller, resource, 'create')
  }
  const { write, before, preview } = await prepareWithHooks(context, insert)
  const response = createdResponse(context, await previewWrite(context, write.values, { store: preview }))
  return { writes: [...before, write], response }
}

/** PUT: replaces the item. */
export function replaceItem(
  context: RequestContext<ItemTarget>,
  current: FoundItem,
  { body, tables }: Omit<SentChange, 'content'>,
) {
  const { view } = current
  const { resource, id } = context.target
  return changeItem(context, current, { members: membersOf(body), tables }, (writer, members) =>
    draftReplacement(writer, withKeyFromUri(resource, id, members), view.row),
  )
}

/** PATCH: changes the item by a merge patch, a form, or a JSON Patch on the members that the caller sees. */
export async function patchItem(
  context: RequestContext<ItemTarget>,
  current: FoundItem,
  { body, content = mergeContent, tables }: SentChange,
) {
  const { row } = current
  const { patch: kind, expectsVersion } = content
  if (kind !== 'json-patch') {
    const createDraft = kind === 'merge' ? draftMerge : draftForm
    return changeItem(context, current, { members: membersOf(body), tables }, (writer, members) =>
      createDraft(writer, members, row),
    )
  }
  const pause = createYield()
  const seen = current.isReadable ? itemMembers(current.view) : {}
  const { patched, written } = applyJsonPatchToMembers(seen, body, (operations) => {
    if (!expectsVersion) requireTestedIndexes(context.target.resource, seen, operations)
  })
  await pause()
  return changeItem(context, current, { members: patched, tables }, (writer, members) =>
    draftJsonPatch(writer, { seen, patched: members, written }, row),
  )
}

/** The content of a change, and the code of built-in tables. */
interface SentChange {
  readonly body: unknown
  /** A merge patch by default. */
  readonly content?: Pick<RequestContent, 'patch' | 'expectsVersion'> | undefined
  readonly tables: TableBehaviours
}

interface MemberChange extends Pick<SentChange, 'tables'> {
  readonly members: ContentMembers
}

const mergeContent = { patch: 'merge', expectsVersion: false } as const

async function changeItem(
  context: RequestContext<ItemTarget>,
  { row, rights, isTrue }: FoundItem,
  { members, tables }: MemberChange,
  createDraft: (writer: WriterRights, members: ContentMembers) => RecordDraft,
): Promise<PlannedChange> {
  const { service, unit, caller, target } = context
  const { resource } = target
  const writer: WriterRights = { resource, rights, isTrue }
  const { beginChange, prepareChange, writesBeside } = behaviourOf(tables, service.model, resource)
  const begun = beginChange?.(context, row, members)
  const created = createDraft(writer, begun?.members ?? members)
  const { draft, verify } = begun ? await begun.check(created) : { draft: created, verify: undefined }
  const transitions = evaluateTransitions(writer, draft, row)
  const sent = await encodeValues(unit, caller, resource.fields, draft, row)
  const now = currentTimestamp(unit)
  const fields = applyTransitionEffects(resource, transitions.taken, sent, now)
  const system = [row[IDENTITY] as string, versionOf(row) + 1, String(row[CREATED_AT]), nextUpdate(row, now)]
  const ordinary = [...system, ...fields]
  const drafted = prepareChange ? await prepareChange(context, row, ordinary) : ordinary
  const isChanged = resource.logic !== undefined && !isUnchanged(row, resource.fields, drafted)
  if (isChanged) await service.logic?.requireChecks(unit.store, caller, { resource, values: drafted })
  const isRefused = transitions.forbidden !== undefined || transitions.conflict !== undefined
  if (isRefused) await throwTransitionRefusal(context, writer, transitions, drafted)
  const action = transitions.taken[0]?.name
  const session = isChanged ? beginLogic(context, resource, 'update') : undefined
  const right = rights.update
  const values = session ? await session.replace({ resource, row, values: drafted, action, right }) : drafted
  // The last write is the replacement itself.
  const before = session?.writes.slice(0, -1) ?? []
  const preview = session?.preview ?? unit.store
  const changed = { row, rights, action, before, preview, writesBeside }
  if (!verify && !hasPasswords(draft)) return planChange(context, { ...changed, values })
  await requireNoConflicts(context, { values, conditionAfter: rights.update })
  await verify?.()
  const hashed = await hashPasswords(context, draft, values)
  return planChange(context, { ...changed, values: hashed })
}

/** The new values of a row, and the name of the transition that they make. */
interface ItemChange {
  readonly row: Row
  readonly rights: Rights
  readonly values: readonly Stored[]
  readonly action: string | undefined
  /** The reads and writes of the hooks. */
  readonly before: readonly Write[]
  /** The store with all writes, for the response. */
  readonly preview: Store
  readonly writesBeside: TableBehaviour['writesBeside']
}

async function planChange(
  context: RequestContext<ItemTarget>,
  { row, rights, values, action, before, preview, writesBeside }: ItemChange,
): Promise<PlannedChange> {
  const { resource, update } = rights
  if (isUnchanged(row, resource.fields, values)) {
    return { writes: before, response: changedResponse(context, await previewWrite(context, row)) }
  }
  const write = updateRow(resource, row, values, { right: update, action })
  const also = [
    ...((await writesBeside?.(context, row, values)) ?? []),
    ...(await suspendOnUpdate(context.unit, resource, {
      before: row,
      after: values,
      isOwn: isOwnAccount(context.caller, row),
      at: currentTimestamp(context.unit),
    })),
  ]
  const shown = await previewWrite(context, write.values, { store: preview })
  return { writes: [...before, write, ...also], response: changedResponse(context, shown) }
}

/** 403 before 409: a caller who may not write the result must not learn of conflicts. */
async function throwTransitionRefusal(
  { unit, caller }: RequestContext,
  { resource, rights }: WriterRights,
  { forbidden, conflict }: TransitionCheck,
  values: readonly Stored[],
): Promise<never> {
  if (forbidden) throw caller.kind === 'anonymous' ? callerRefusal(caller) : forbidden
  const allowed = await unit.store.satisfies(resource.name, values, rights.update)
  throw allowed ? conflict : rightRefusal(caller, resource, 'update')
}

/** DELETE: deletes the item. */
export async function deleteItem(
  context: RequestContext<ItemTarget>,
  { row, rights }: FoundItem,
  tables: TableBehaviours,
): Promise<PlannedChange> {
  const { service, unit, caller, target, requestId } = context
  const { prepareDeletion } = behaviourOf(tables, service.model, target.resource)
  const also = (await prepareDeletion?.(context, row)) ?? []
  if (service.logic?.runsDeletionHooks(target.resource)) {
    const session = service.logic.begin(unit.store, { caller, requestId })
    await session.remove({ resource: target.resource, row, conditionBefore: rights.delete })
    return { writes: session.writes, response: emptyResponse }
  }
  const plan = await service.logic?.planDeletion(unit.store, caller, { resource: target.resource, row })
  const write = {
    kind: 'delete',
    table: target.resource.name,
    identity: row[IDENTITY] as string,
    version: versionOf(row),
    conditionBefore: rights.delete,
    at: currentTimestamp(unit),
    ...(plan && { clearedTables: plan.tables }),
  } as const
  return { writes: [...(plan?.writes ?? []), write, ...also], response: emptyResponse }
}

/**
 * The identity and the first version of the new item. An item with the same identity may have been
 * deleted before: the version starts above all earlier ones, so that no entity tag repeats.
 */
export async function clientNamedIdentity(
  { store }: Pick<Unit, 'store'>,
  resource: ResourceModel,
  id: string,
): Promise<readonly [identity: string, version: number]> {
  if (resource.keyField) return [randomUUIDv7(), 1]
  return [id, await store.firstVersion(resource.name)]
}

/** The members of the body with the key from the URI; refuses 422 when the body has another id or key. */
export function clientNamedMembers(
  resource: ResourceModel,
  id: string,
  sent: ContentMembers,
): ContentMembers {
  const { id: sentId, ...members } = sent
  const named = withKeyFromUri(resource, id, members)
  const { keyField } = resource
  const different = [
    ...(sentId !== undefined && sentId !== id ? ['id'] : []),
    ...(keyField && named[keyField.name] !== keyValue(keyField, id) ? [keyField.name] : []),
  ]
  if (different.length === 0) return named
  const detail = 'Must be the same as in the URI.'
  throw invalidContent(different.map((name) => ({ pointer: `/${name}`, rule: 'const', detail })))
}

/** The members, with the key from the URI when clients name the items and the body has no key. */
export function withKeyFromUri(resource: ResourceModel, id: string, members: ContentMembers): ContentMembers {
  const { keyField, put } = resource
  if (!keyField || put !== 'create' || Object.hasOwn(members, keyField.name)) return members
  return { ...members, [keyField.name]: keyValue(keyField, id) }
}

function keyValue({ kind }: FieldModel, id: string): JsonValue {
  return kind.shape === 'number' ? Number(id) : id
}
