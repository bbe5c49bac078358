/** New items: from the content of a request to the write that makes its item. */

import { refuseCaller } from '../access/authorize.ts'
import type { Principal } from '../access/principal.ts'
import { type Rights, rightsOf } from '../access/rights.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { ServiceContext } from '../context/service-context.ts'
import type { CollectionTarget, ItemTarget } from '../context/target.ts'
import type { ResourceModel, Stored } from '../definition/model.ts'
import { invalidContent } from '../refusal.ts'
import type { Condition } from '../store/condition.ts'
import { andThen, type InsertWrite, type MaybePromise } from '../store/store.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import { isRowDependent } from '../view/shape.ts'
import { encodeValues, hashPasswords, hasPasswords } from './encode-values.ts'
import { draftCreation, membersOf, type RecordDraft } from './record-draft.ts'
import { refuseKnownConflicts } from './submit-write.ts'

/** The write that makes an item, and the draft it was made of, whose passwords are not hashed yet. */
export interface PreparedInsert {
  readonly write: InsertWrite
  readonly draft: RecordDraft
}

/** The write with its passwords hashed, once nothing else is known that would refuse it: 403, 409. */
export function checkAndHashPasswords(
  context: RequestContext<CollectionTarget | ItemTarget>,
  insertion: PreparedInsert,
): MaybePromise<InsertWrite> {
  const { write, draft } = insertion
  if (!hasPasswords(draft)) return write
  const refused = refuseKnownConflicts(context, write.values, write.result)
  return refused.then(() => hashInsertPasswords(context, insertion))
}

/** The write with its passwords hashed. */
export function hashInsertPasswords(
  context: RequestContext<CollectionTarget | ItemTarget>,
  { write, draft }: PreparedInsert,
): MaybePromise<InsertWrite> {
  if (!hasPasswords(draft)) return write
  return hashPasswords(context, draft, write.values).then((values) => ({ ...write, values }))
}

/** The write that makes an item of the body; refuses 401, 422. */
export function prepareInsert(
  { service, caller, target }: RequestContext<CollectionTarget | ItemTarget>,
  body: unknown,
  [identity, version]: readonly [string, number],
): MaybePromise<PreparedInsert> {
  const { resource } = target
  const rights = rightsOf(resource, caller)
  const draft = draftCreation({ resource, rights, holds: mayHold }, body)
  const insertion = (fields: readonly Stored[]): MaybePromise<PreparedInsert> => {
    const now = currentTimestamp(service)
    const values: Stored[] = [identity, version, now, now]
    for (const [index, field] of resource.fields.entries()) {
      const value = field.fromPrincipal ? principalValue(caller, field.required) : fields[index]
      values.push(value ?? null)
    }
    const write: InsertWrite = {
      kind: 'insert',
      table: resource.name,
      values,
      result: rights.create,
    }
    if (!hasRowDependentFields(rights)) return { write, draft }
    return requireWritableFields(service, rights, resource, body, values).then(() => ({
      write,
      draft,
    }))
  }
  const filled = encodeValues(service, caller, resource.fields, draft, undefined)
  return andThen(filled, insertion)
}

/** What depends on the record cannot be known before there is one: it is asked of the result. */
function mayHold({ kind }: Condition): boolean {
  return kind !== 'never'
}

const hasRowDependentFields = memoizeByObject(({ writability: writing }: Rights) =>
  writing.values().some(isRowDependent),
)

function principalValue(caller: Principal, required: boolean): string | null {
  if (caller.kind === 'account') return caller.identity
  if (required) throw refuseCaller(caller)
  return null
}

/** Fields whose `writableBy` depends on the record are held against the record to be. */
async function requireWritableFields(
  { store }: ServiceContext,
  { writability: writing }: Rights,
  resource: ResourceModel,
  body: unknown,
  values: readonly Stored[],
): Promise<void> {
  const sent = Object.keys(membersOf(body)).flatMap((name) => resource.field.get(name) ?? [])
  const rowDependent = sent.filter((field) => isRowDependent(writing.get(field) as Condition))
  const verdicts = await Promise.all(
    rowDependent.map((field) =>
      store.satisfies(resource.name, values, writing.get(field) as Condition),
    ),
  )
  const faults = rowDependent
    .filter((_, index) => !verdicts[index])
    .map(({ name }) => ({
      pointer: `/${name}`,
      rule: 'readOnly',
      detail: 'You may not set this field.',
    }))
  if (faults.length > 0) throw invalidContent(faults)
}

let latest = { at: Number.NaN, text: '' }

/** Requests of one turn mostly share their millisecond. */
export function currentTimestamp({ clock }: ServiceContext): string {
  const at = clock.now()
  if (at !== latest.at) latest = { at, text: new Date(at).toISOString() }
  return latest.text
}
