/**
 * The record that an invitation carries, such as the membership of the invited person. The rights of the inviter judge it
 * when the invitation is made and when the link is used, and it is created together with the account.
 */

import { randomUUIDv7 } from 'node:crypto'
import { type Account, anonymous } from '../../../access/principal.ts'
import { rightRefusal } from '../../../access/right-refusal.ts'
import { rightsOf } from '../../../access/rights.ts'
import { subCollectionRights } from '../../../access/sub-collection-rights.ts'
import type {
  AccountsModel,
  FieldModel,
  JsonValue,
  NestedRelation,
  ResourceModel,
  Stored,
} from '../../../definition/model.ts'
import { Refusal } from '../../../refusal.ts'
import { BatchStore } from '../../../requests/batch/batch-store.ts'
import type { RequestContext } from '../../../requests/context/request-context.ts'
import { type Unit, withStore } from '../../../requests/context/service-context.ts'
import { runInsertHook } from '../../../requests/write/before-hooks.ts'
import { duplicateValues, findTakenValues } from '../../../requests/write/bulk-unique-values.ts'
import { refusalAt } from '../../../requests/write/content-places.ts'
import { requireNoReference } from '../../../requests/write/create-with-items.ts'
import { encodeValues } from '../../../requests/write/encode-values.ts'
import {
  currentTimestamp,
  draftInsert,
  isPermittedInsert,
  type NewItem,
  type PreparedInsert,
  requireValidInsert,
} from '../../../requests/write/prepare-insert.ts'
import { always } from '../../../store/condition.ts'
import type { Row } from '../../../store/row.ts'
import { readField } from '../../../store/row-fields.ts'
import type { Store } from '../../../store/store.ts'
import type { InsertWrite, Write } from '../../../store/write.ts'
import { recordName } from './invitations-resource.ts'

/** The record of an invitation. */
export interface CarriedRecord {
  readonly relation: NestedRelation
  /** The content of its POST, without the reference to the account. */
  readonly body: JsonValue
  /** Its resource and the identities of its references when it was sent (`targetsOf`); undefined: it is new. */
  readonly targets: string | undefined
}

/** The relation by which invitations carry a record; undefined where the definition declares none. */
export function recordRelation({ nested }: ResourceModel): NestedRelation | undefined {
  return nested.find(({ name }) => name === recordName)
}

/** The record of a stored invitation; undefined where it has none. */
export function readRecord(invitations: ResourceModel, row: Row): CarriedRecord | undefined {
  const relation = recordRelation(invitations)
  const stored = relation && readField(invitations, row, recordName)
  if (!relation || typeof stored !== 'string') return undefined
  const targets = String(readField(invitations, row, 'recordTargets'))
  // Written by `createInvitation`.
  return { relation, body: JSON.parse(stored) as JsonValue, targets }
}

/** Whether the account may create any such record: its values are judged later. */
export function mayCreateRecord({ relation }: CarriedRecord, inviter: Account): boolean {
  return subCollectionRights(relation, inviter).create.kind !== 'never'
}

/** The record of the inviter, and what it is created with. */
interface RecordContext extends Pick<RequestContext, 'service' | 'unit'> {
  readonly caller: Account
}

/**
 * The targets of the record, as `targetsOf` gives them. Refuses 401, 403, 409 and 422 what the caller could not create
 * for the account, which is not stored yet: pointers begin with the name of the member.
 */
export async function requireRecord(
  context: RecordContext,
  record: CarriedRecord,
  account: readonly Stored[],
): Promise<string> {
  const { unit, caller } = context
  const { name: table } = accountsIn(unit).resource
  try {
    const judged = new BatchStore(unit.store, unit.model)
    await judged.add([{ kind: 'insert', table, values: account, conditionAfter: always }])
    const { write } = await draftRecord(context, record, { account, store: judged.writing })
    const rights = rightsOf(record.relation.target, caller)
    const taken = await findTakenValues(unit.store, rights, new Map([['', write]]))
    if (taken.length > 0) throw duplicateValues(taken)
    return targetsOf(record, write)
  } catch (error) {
    throw error instanceof Refusal ? refusalAt(`/${recordName}`, error) : error
  }
}

/**
 * The writes that create the record after those of the account, in the store that has these. Undefined where the inviter
 * could not create it now.
 */
export async function recordWrites(
  context: RecordContext & Pick<RequestContext, 'requestId'>,
  record: CarriedRecord,
  { account, store }: NewAccount,
): Promise<readonly Write[] | undefined> {
  return unlessRefused(async () => {
    const insert = await draftRecord(context, record, { account, store })
    const within = { ...insertContext(context, record, store), requestId: context.requestId }
    const { write, before } = await runInsertHook(within, insert.write)
    return [...before, write]
  })
}

/** Whether the inviter could create the record for the account, which is not stored yet. */
export async function canCreateRecord(
  context: RecordContext,
  record: CarriedRecord,
  account: readonly Stored[],
): Promise<boolean> {
  return (await unlessRefused(() => requireRecord(context, record, account))) !== undefined
}

/** Undefined where the work is refused; a failure of the service is none. */
async function unlessRefused<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal && error.status < 500) return undefined
    throw error
  }
}

interface NewAccount {
  /** Its values in column order. */
  readonly account: readonly Stored[]
  /** Reads of this store see the account. */
  readonly store: Store
}

/** Refuses 403 and 422. */
async function draftRecord(
  context: RecordContext,
  record: CarriedRecord,
  { account, store }: NewAccount,
): Promise<PreparedInsert> {
  const { relation, body, targets } = record
  const { unit, caller } = context
  const { resource } = accountsIn(unit)
  requireNoReference(relation, body)
  const item: NewItem = { body, parent: { kind: 'parent', resource, relation, row: account } }
  const insert = await draftInsert(insertContext(context, record, unit.store), item)
  await requireValidInsert(insertContext(context, record, store), item, insert)
  const isSame = targets === undefined || targets === targetsOf(record, insert.write)
  if (isSame && (await isPermittedInsert(store, insert.write))) return insert
  throw rightRefusal(caller, relation.target, 'create')
}

function insertContext(context: RecordContext, { relation }: CarriedRecord, store: Store) {
  return { ...context, unit: withStore(context.unit, store), target: { resource: relation.target } }
}

function accountsIn({ model: { accounts } }: Unit): AccountsModel {
  if (!accounts) throw new Error('Invitations need accounts')
  return accounts
}

/** The resource of the record and its reference to the account, and the identities that its other references name. */
function targetsOf({ relation: { target, field } }: CarriedRecord, { values }: InsertWrite): string {
  const references = target.fields.filter((one) => one !== field && (one.ref ?? one.refs) !== undefined)
  return JSON.stringify([
    [target.name, field.name],
    ...references.map(({ name, index }) => [name, values[index]]),
  ])
}

/** The row of an account with these values, as far as it is known before it is created. */
export async function expectedAccount(
  unit: Unit,
  given: ReadonlyMap<FieldModel, JsonValue>,
): Promise<readonly Stored[]> {
  const { resource } = accountsIn(unit)
  const initial = resource.fields.map((field) => [field, field.state?.initial ?? field.default] as const)
  const draft = { values: new Map([...initial, ...given]), faults: [], seenSets: new Set<FieldModel>() }
  const fields = await encodeValues(unit, anonymous, resource.fields, draft, undefined)
  const at = currentTimestamp(unit)
  return [randomUUIDv7(), 1, at, at, ...fields]
}
