/** Prepares the creation of an item: from the content of a request to an insert. */

import { randomUUIDv7 } from 'node:crypto'
import { callerRefusal } from '../../access/access-refusal.ts'
import type { Principal } from '../../access/principal.ts'
import { rightRefusal } from '../../access/right-refusal.ts'
import { type Rights, rightsOf } from '../../access/rights.ts'
import type { Model, ResourceModel, Stored } from '../../definition/model.ts'
import { invalidContent } from '../../refusal.ts'
import type { Condition } from '../../store/condition.ts'
import { canBeTrue } from '../../store/condition.ts'
import type { Store } from '../../store/store.ts'
import type { InsertWrite } from '../../store/write.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import { createRightWithin } from '../../views/create-action.ts'
import { idOf } from '../../views/uri.ts'
import { isRowDependent } from '../../views/visible-fields.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { Unit } from '../context/service-context.ts'
import type { CollectionTarget, ItemTarget } from '../context/target.ts'
import type { ParentItem } from '../read/current-state.ts'
import { identityOf } from '../read/load-parent.ts'
import type { RecordDraft } from './draft-builder.ts'
import { draftCreation, membersOf } from './draft-from-content.ts'
import { encodeValues, hashPasswords, hasPasswords } from './encode-values.ts'
import { requireNoConflicts } from './unique-values.ts'

/** The insert, and the draft with its passwords, which are not hashed yet. */
export interface PreparedInsert {
  readonly write: InsertWrite
  readonly draft: RecordDraft
}

/** The insert with its passwords hashed; refuses 403 and 409 first, because hashing is expensive. */
export async function checkAndHashPasswords(
  context: RequestContext<CollectionTarget | ItemTarget>,
  insert: PreparedInsert,
): Promise<InsertWrite> {
  if (!hasPasswords(insert.draft)) return insert.write
  await requireNoConflicts(context, insert.write)
  return hashInsertPasswords(context, insert)
}

/** The insert with its passwords hashed. */
export async function hashInsertPasswords(
  context: RequestContext<CollectionTarget | ItemTarget>,
  { write, draft }: PreparedInsert,
): Promise<InsertWrite> {
  if (!hasPasswords(draft)) return write
  return { ...write, values: await hashPasswords(context, draft, write.values) }
}

/** The content of a new item, and what the target of the request determines of it. */
export interface NewItem {
  readonly body: unknown
  /** The item that it refers to, when it is created in a sub-collection. */
  readonly parent?: ParentItem | undefined
  /** By default a new identity and the first version. */
  readonly identityAndVersion?: readonly [identity: string, version: number]
}

/** The insert of an item with the members of the body; refuses 401, 403 and 422. */
export async function prepareInsert(
  context: RequestContext<CollectionTarget | ItemTarget>,
  item: NewItem,
): Promise<PreparedInsert> {
  const insert = await draftInsert(context, item)
  await requireValidInsert(context, item, insert)
  return insert
}

/** The caller that creates an item, and its resource. */
export interface InsertContext extends Pick<RequestContext, 'service' | 'unit' | 'caller'> {
  readonly target: Pick<CollectionTarget, 'resource'>
}

/** The insert by its content alone: `requireValidInsert` judges it together with other items. */
export async function draftInsert(
  context: InsertContext,
  { body, parent, identityAndVersion: [identity, version] = [randomUUIDv7(), 1] }: NewItem,
): Promise<PreparedInsert> {
  const { unit, caller, target } = context
  const { resource } = target
  const rights = rightsOf(resource, caller)
  const conditionAfter = parent ? createRightWithin(parent, caller) : rights.create
  if (parent && conditionAfter.kind === 'never') throw rightRefusal(caller, resource, 'create')
  const given = parent && { field: parent.relation.field, id: idOf(parent.resource, parent.row) }
  // Conditions on the row are evaluated later, on the row that the insert would create.
  const drafted = draftCreation({ resource, rights, isTrue: canBeTrue }, body, given)
  const draft = caller.kind === 'anonymous' ? requirePasswordOf(unit.model, resource, drafted) : drafted
  const fields = await encodeValues(unit, caller, resource.fields, draft, undefined)
  const now = currentTimestamp(unit)
  const values: Stored[] = [identity, version, now, now]
  for (const [index, field] of resource.fields.entries()) {
    const value = field.fromPrincipal ? principalValue(caller, field.required) : fields[index]
    values.push(parent && field === given?.field ? identityOf(parent) : (value ?? null))
  }
  return {
    write: { kind: 'insert', table: resource.name, values, conditionAfter },
    draft,
  }
}

/** Refuses 422 for fields that the caller may not set in this item, and for checks of the definition that it fails. */
export async function requireValidInsert(
  { service, unit, caller, target: { resource } }: InsertContext,
  { body, parent }: NewItem,
  { write: { values } }: PreparedInsert,
): Promise<void> {
  const rights = rightsOf(resource, caller)
  if (hasRowDependentFields(rights)) {
    const sent = Object.keys(membersOf(body)).filter((name) => name !== parent?.relation.field.name)
    await requireWritableFields(unit, rights, sent, values)
  }
  if (resource.logic) await service.logic?.requireChecks(unit.store, caller, { resource, values })
}

/** Whether the right of the caller, which may depend on the values, holds in the store. */
export async function isPermittedInsert(
  store: Store,
  { table, values, conditionAfter }: InsertWrite,
): Promise<boolean> {
  return !isRowDependent(conditionAfter) || (await store.satisfies(table, values, conditionAfter))
}

/** A person who signs up chooses a password, also where it is optional: nothing else would lead to the account. */
function requirePasswordOf({ accounts }: Model, resource: ResourceModel, draft: RecordDraft): RecordDraft {
  if (!accounts || resource !== accounts.resource || accounts.password.required) return draft
  if (draft.values.get(accounts.password) !== undefined) return draft
  const pointer = `/${accounts.password.name}`
  const fault = { pointer, rule: 'required', detail: 'Choose a password for your account.' }
  return { ...draft, faults: [...draft.faults, fault] }
}

const hasRowDependentFields = memoizeByObject(({ writability }: Rights) =>
  writability.values().some(isRowDependent),
)

function principalValue(caller: Principal, required: boolean): string | null {
  if (caller.kind === 'account') return caller.identity
  if (required) throw callerRefusal(caller)
  return null
}

/** Refuses 422 for fields whose `writableBy` depends on the row and does not hold on the new row. */
async function requireWritableFields(
  { store }: Unit,
  { resource, writability }: Rights,
  names: readonly string[],
  values: readonly Stored[],
): Promise<void> {
  const sent = names.flatMap((name) => resource.fieldByName.get(name) ?? [])
  const rowDependent = sent.filter((field) => isRowDependent(writability.get(field) as Condition))
  const isWritable = await Promise.all(
    rowDependent.map((field) => store.satisfies(resource.name, values, writability.get(field) as Condition)),
  )
  const faults = rowDependent
    .filter((_, index) => !isWritable[index])
    .map(({ name }) => ({
      pointer: `/${name}`,
      rule: 'readOnly',
      detail: 'You may not set this field.',
    }))
  if (faults.length > 0) throw invalidContent(faults)
}

let latest = { at: Number.NaN, text: '' }

/** The time of the clock as a timestamp; memoized, because requests often share their millisecond. */
export function currentTimestamp({ clock }: Pick<Unit, 'clock'>): string {
  const at = clock.now()
  if (at !== latest.at) latest = { at, text: new Date(at).toISOString() }
  return latest.text
}
