/** The methods that change something. Of all the journey only this file and bulk.ts have effects. */

import { randomUUIDv7 } from 'node:crypto'
import { denial } from '../access/authorize.ts'
import { requireAdminAfter, requireAdminWithout } from '../access/last-admin.ts'
import type { Rights } from '../access/rights.ts'
import { CREATED_AT, IDENTITY, type JsonValue, type Stored } from '../declare/model.ts'
import type { ExpectWrite, Row } from '../store/store.ts'
import { itemMembers } from '../view/members.ts'
import { versionOf } from '../view/record.ts'
import { type Answer, created, done, foresee, removed } from './answer.ts'
import type { PatchKind } from './content.ts'
import type { Errand } from './errand.ts'
import { fieldValues, hashedValues, hasPasswords } from './filling.ts'
import {
  type Draft,
  draftChange,
  draftFields,
  draftMerge,
  draftReplacement,
  membersOf,
  type Sender,
} from './input.ts'
import { insertionOf, settledInsertion, timeOf } from './insertion.ts'
import { patchedMembers } from './json-patch.ts'
import { type Absent, absence, type Current, type Found } from './load.ts'
import { namedMembers, namedRow, withKey } from './naming.ts'
import { demandProof, keptSession, takeCurrentPassword } from './own-credentials.ts'
import { isUnchanged } from './sameness.ts'
import { refuseKnown, submit } from './submission.ts'
import type { CollectionTarget, ItemTarget } from './target.ts'
import { afterTransitions, judgeTransitions, type TransitionVerdict } from './transition.ts'

/** POST: a new item in the collection, each time. */
export async function create(
  errand: Errand<CollectionTarget>,
  current: Current,
  body: unknown,
): Promise<Answer> {
  const insertion = await insertionOf(errand, body, [randomUUIDv7(), 1])
  const write = await settledInsertion(errand, insertion)
  const answer = created(errand, await foresee(errand, write.values))
  return await submit(errand, [write, ...expectationsOf(current)], answer)
}

/** A collection that was held against a precondition must be the same when it is written to. */
export function expectationsOf(current: Current): readonly ExpectWrite[] {
  if (current.kind !== 'page' && current.kind !== 'revised') return []
  return current.marks.map((mark) => ({ kind: 'expect', ...mark }))
}

/** PUT where the caller sees nothing yet, and clients name their items. */
export async function createNamed(
  errand: Errand<ItemTarget>,
  { isTaken }: Absent,
  body: unknown,
): Promise<Answer> {
  const { context, who, target } = errand
  const { resource, id } = target
  const start = await namedRow(context, resource, id)
  const insertion = await insertionOf(errand, namedMembers(resource, id, membersOf(body)), start)
  if (isTaken) {
    const { table, values, result } = insertion.write
    throw (await context.store.wouldHold(table, values, result)) ? absence() : denial(who)
  }
  const write = await settledInsertion(errand, insertion)
  return submit(errand, [write], created(errand, await foresee(errand, write.values)))
}

/** PUT: the whole item anew. */
export function replace(errand: Errand<ItemTarget>, current: Found, body: unknown) {
  const { row } = current
  const { resource, id } = errand.target
  const { members, currentPassword } = takeCurrentPassword(errand, row, membersOf(body))
  const whole = withKey(resource, id, members)
  return change(errand, current, currentPassword, (sender) => draftReplacement(sender, whole, row))
}

/** PATCH: some fields of the item, as a merge patch or a form has them, or the operations of a JSON Patch on what its sender sees. */
export function patch(
  errand: Errand<ItemTarget>,
  current: Found,
  body: unknown,
  kind: PatchKind = 'merge',
) {
  const { row } = current
  if (kind !== 'json-patch') {
    const draftOf = kind === 'merge' ? draftMerge : draftFields
    const { members, currentPassword } = takeCurrentPassword(errand, row, membersOf(body))
    return change(errand, current, currentPassword, (sender) => draftOf(sender, members, row))
  }
  const seen = current.readable ? itemMembers(current.view) : {}
  const { patched, written } = patchedMembers(seen, body)
  const { members, currentPassword } = takeCurrentPassword(errand, row, patched)
  const after = { seen, patched: members, written }
  return change(errand, current, currentPassword, (sender) => draftChange(sender, after, row))
}

async function change(
  errand: Errand<ItemTarget>,
  { row, rights, holds }: Found,
  currentPassword: JsonValue | undefined,
  draftOf: (sender: Sender) => Draft,
): Promise<Answer> {
  const { context, who, target } = errand
  const { resource } = target
  const sender: Sender = { resource, rights, holds }
  const { draft, prove } = await demandProof(errand, row, draftOf(sender), currentPassword)
  const verdict = judgeTransitions(sender, draft, row)
  const sent = await fieldValues(context, who, resource.fields, draft, row)
  const now = timeOf(context)
  const fields = afterTransitions(resource, verdict.taken, sent, now)
  const values: Stored[] = [
    row[IDENTITY] as string,
    versionOf(row) + 1,
    String(row[CREATED_AT]),
    now,
  ]
  for (const value of fields) values.push(value)
  const isRefused = verdict.forbidden !== undefined || verdict.conflict !== undefined
  if (isRefused) await refuseTransitions(errand, sender, verdict, values)
  if (!prove && !hasPasswords(draft)) return submitChange(errand, row, rights, values)
  await refuseKnown(errand, values, rights.update)
  await prove?.()
  return submitChange(errand, row, rights, await hashedValues(errand, draft, values))
}

async function submitChange(
  errand: Errand<ItemTarget>,
  row: Row,
  { resource, update }: Rights,
  values: readonly Stored[],
): Promise<Answer> {
  if (isUnchanged(row, resource.fields, values)) {
    return submit(errand, [], done(errand, await foresee(errand, row)))
  }
  const write = {
    kind: 'replace',
    table: resource.name,
    identity: row[IDENTITY] as string,
    version: versionOf(row),
    values,
    guard: update,
    result: update,
  } as const
  const also = [
    ...requireAdminAfter(errand.context.model, resource, row, values),
    ...(await keptSession(errand, row, values)),
  ]
  return await submit(errand, [write, ...also], done(errand, await foresee(errand, values)))
}

/** 403 goes before 409: whoever may not write the result is not told of conflicts. */
async function refuseTransitions(
  { context, who }: Errand,
  { resource, rights }: Sender,
  { forbidden, conflict }: TransitionVerdict,
  values: readonly Stored[],
): Promise<never> {
  if (forbidden !== undefined) throw denial(who, forbidden)
  const allowed = await context.store.wouldHold(resource.name, values, rights.update)
  throw allowed ? conflict : denial(who)
}

/** DELETE. */
export async function remove(errand: Errand<ItemTarget>, { row, rights }: Found): Promise<Answer> {
  const { context, target } = errand
  const write = {
    kind: 'remove',
    table: target.resource.name,
    identity: row[IDENTITY] as string,
    version: versionOf(row),
    guard: rights.delete,
    at: timeOf(context),
  } as const
  const required = await requireAdminWithout(context.model, context.store, target.resource, row)
  return submit(errand, [write, ...required], removed)
}
