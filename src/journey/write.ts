/** The methods that change something. Of all the journey only this file and bulk.ts have effects. */

import { randomUUIDv7 } from 'node:crypto'
import { denial } from '../access/authorize.ts'
import { requireAdminAfter, requireAdminWithout } from '../access/last-admin.ts'
import type { Principal } from '../access/principal.ts'
import { type Rights, rightsOf } from '../access/rights.ts'
import { CREATED_AT, IDENTITY, type ResourceModel, type Stored } from '../declare/model.ts'
import { oncePer } from '../once.ts'
import type { Condition } from '../store/condition.ts'
import { type Awaitable, andThen, type ExpectWrite, type InsertWrite } from '../store/store.ts'
import { itemMembers } from '../view/members.ts'
import { versionOf } from '../view/record.ts'
import { isDoubtful } from '../view/shape.ts'
import { type Answer, created, done, foresee, removed } from './answer.ts'
import type { PatchKind } from './content.ts'
import type { Context } from './context.ts'
import type { Errand } from './errand.ts'
import { fieldValues } from './filling.ts'
import {
  type Draft,
  draftChange,
  draftCreation,
  draftFields,
  draftMerge,
  draftReplacement,
  invalid,
  membersOf,
  type Sender,
} from './input.ts'
import { patchedMembers } from './json-patch.ts'
import { type Absent, absence, type Current, type Found } from './load.ts'
import { namedMembers, namedRow, withKey } from './naming.ts'
import { isUnchanged } from './sameness.ts'
import { submit } from './submission.ts'
import type { CollectionTarget, ItemTarget } from './target.ts'
import { afterTransitions, judgeTransitions, type TransitionVerdict } from './transition.ts'

/** POST: a new item in the collection, each time. */
export async function create(
  errand: Errand<CollectionTarget>,
  current: Current,
  body: unknown,
): Promise<Answer> {
  const write = await insertionOf(errand, body, [randomUUIDv7(), 1])
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
  const write = await insertionOf(errand, namedMembers(resource, id, membersOf(body)), start)
  if (isTaken) {
    const allowed = await context.store.wouldHold(write.table, write.values, write.result)
    throw allowed ? absence() : denial(who)
  }
  return submit(errand, [write], created(errand, await foresee(errand, write.values)))
}

/** The write that makes an item of the body; refuses 401, 422. */
export function insertionOf(
  { context, who, target }: Errand<CollectionTarget | ItemTarget>,
  body: unknown,
  [identity, version]: readonly [string, number],
): Awaitable<InsertWrite> {
  const { resource } = target
  const rights = rightsOf(resource, who)
  const draft = draftCreation({ resource, rights, holds: mayHold }, body)
  const insertion = (fields: readonly Stored[]): Awaitable<InsertWrite> => {
    const now = timeOf(context)
    const values: Stored[] = [identity, version, now, now]
    for (const [index, field] of resource.fields.entries()) {
      const value = field.fromPrincipal ? principalValue(who, field.required) : fields[index]
      values.push(value ?? null)
    }
    const write: InsertWrite = {
      kind: 'insert',
      table: resource.name,
      values,
      result: rights.create,
    }
    if (!hasDoubtfulFields(rights)) return write
    return allowFields(context, rights, resource, body, values).then(() => write)
  }
  const filled = fieldValues(context, who, resource.fields, draft, undefined)
  return andThen(filled, insertion)
}

/** What depends on the record cannot be known before there is one: it is asked of the result. */
function mayHold({ kind }: Condition): boolean {
  return kind !== 'never'
}

const hasDoubtfulFields = oncePer(({ writing }: Rights) => writing.values().some(isDoubtful))

function principalValue(who: Principal, required: boolean): string | null {
  if (who.kind === 'account') return who.identity
  if (required) throw denial(who)
  return null
}

/** Fields whose `writableBy` depends on the record are held against the record to be. */
async function allowFields(
  { store }: Context,
  { writing }: Rights,
  resource: ResourceModel,
  body: unknown,
  values: readonly Stored[],
): Promise<void> {
  const sent = Object.keys(membersOf(body)).flatMap((name) => resource.field.get(name) ?? [])
  const doubtful = sent.filter((field) => isDoubtful(writing.get(field) as Condition))
  const verdicts = await Promise.all(
    doubtful.map((field) =>
      store.wouldHold(resource.name, values, writing.get(field) as Condition),
    ),
  )
  const faults = doubtful
    .filter((_, index) => !verdicts[index])
    .map(({ name }) => ({
      pointer: `/${name}`,
      rule: 'readOnly',
      detail: 'You may not set this field.',
    }))
  if (faults.length > 0) throw invalid(faults)
}

/** PUT: the whole item anew. */
export function replace(errand: Errand<ItemTarget>, current: Found, body: unknown) {
  const { resource, id } = errand.target
  const members = withKey(resource, id, membersOf(body))
  return change(errand, current, (sender) => draftReplacement(sender, members, current.row))
}

/** PATCH: some fields of the item, as a merge patch or a form has them, or the operations of a JSON Patch on what its sender sees. */
export function patch(
  errand: Errand<ItemTarget>,
  current: Found,
  body: unknown,
  kind: PatchKind = 'merge',
) {
  const { row } = current
  if (kind === 'merge') return change(errand, current, (sender) => draftMerge(sender, body, row))
  if (kind === 'fields') return change(errand, current, (sender) => draftFields(sender, body, row))
  const seen = current.readable ? itemMembers(current.view) : {}
  const after = patchedMembers(seen, body)
  return change(errand, current, (sender) => draftChange(sender, { seen, ...after }, row))
}

async function change(
  errand: Errand<ItemTarget>,
  { row, rights, holds }: Found,
  draftOf: (sender: Sender) => Draft,
): Promise<Answer> {
  const { context, who, target } = errand
  const { resource } = target
  const sender: Sender = { resource, rights, holds }
  const draft = draftOf(sender)
  const verdict = judgeTransitions(sender, draft, row)
  const sent = await fieldValues(context, who, resource.fields, draft, row)
  const now = timeOf(context)
  const fields = afterTransitions(resource, verdict.taken, sent, now)
  const isRefused = verdict.forbidden !== undefined || verdict.conflict !== undefined
  if (!isRefused && isUnchanged(row, resource.fields, fields)) {
    return submit(errand, [], done(errand, await foresee(errand, row)))
  }
  const identity = row[IDENTITY] as string
  const version = versionOf(row)
  const values: Stored[] = [identity, version + 1, row[CREATED_AT] as string, now]
  for (const value of fields) values.push(value)
  if (isRefused) await refuseTransitions(errand, sender, verdict, values)
  const write = {
    kind: 'replace',
    table: resource.name,
    identity,
    version,
    values,
    guard: rights.update,
    result: rights.update,
  } as const
  const required = requireAdminAfter(context.model, resource, row, values)
  return await submit(errand, [write, ...required], done(errand, await foresee(errand, values)))
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

let latest = { at: Number.NaN, text: '' }

/** Requests of one turn mostly share their millisecond. */
function timeOf({ clock }: Context): string {
  const at = clock.now()
  if (at !== latest.at) latest = { at, text: new Date(at).toISOString() }
  return latest.text
}
