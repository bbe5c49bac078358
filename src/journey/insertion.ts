/** New items: from the content of a request to the write that makes its item. */

import { denial } from '../access/authorize.ts'
import type { Principal } from '../access/principal.ts'
import { type Rights, rightsOf } from '../access/rights.ts'
import type { ResourceModel, Stored } from '../declare/model.ts'
import { oncePer } from '../once.ts'
import type { Condition } from '../store/condition.ts'
import { type Awaitable, andThen, type InsertWrite } from '../store/store.ts'
import { isDoubtful } from '../view/shape.ts'
import type { Context } from './context.ts'
import type { Errand } from './errand.ts'
import { fieldValues, hashedValues, hasPasswords } from './filling.ts'
import { type Draft, draftCreation, invalid, membersOf } from './input.ts'
import { refuseKnown } from './submission.ts'
import type { CollectionTarget, ItemTarget } from './target.ts'

/** The write that makes an item, and the draft it was made of, whose passwords are not hashed yet. */
export interface Insertion {
  readonly write: InsertWrite
  readonly draft: Draft
}

/** The write with its passwords hashed, once nothing else is known that would refuse it: 403, 409. */
export function settledInsertion(
  errand: Errand<CollectionTarget | ItemTarget>,
  insertion: Insertion,
): Awaitable<InsertWrite> {
  const { write, draft } = insertion
  if (!hasPasswords(draft)) return write
  const refused = refuseKnown(errand, write.values, write.result)
  return refused.then(() => hashedInsertion(errand, insertion))
}

/** The write with its passwords hashed. */
export function hashedInsertion(
  errand: Errand<CollectionTarget | ItemTarget>,
  { write, draft }: Insertion,
): Awaitable<InsertWrite> {
  if (!hasPasswords(draft)) return write
  return hashedValues(errand, draft, write.values).then((values) => ({ ...write, values }))
}

/** The write that makes an item of the body; refuses 401, 422. */
export function insertionOf(
  { context, who, target }: Errand<CollectionTarget | ItemTarget>,
  body: unknown,
  [identity, version]: readonly [string, number],
): Awaitable<Insertion> {
  const { resource } = target
  const rights = rightsOf(resource, who)
  const draft = draftCreation({ resource, rights, holds: mayHold }, body)
  const insertion = (fields: readonly Stored[]): Awaitable<Insertion> => {
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
    if (!hasDoubtfulFields(rights)) return { write, draft }
    return allowFields(context, rights, resource, body, values).then(() => ({ write, draft }))
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

let latest = { at: Number.NaN, text: '' }

/** Requests of one turn mostly share their millisecond. */
export function timeOf({ clock }: Context): string {
  const at = clock.now()
  if (at !== latest.at) latest = { at, text: new Date(at).toISOString() }
  return latest.text
}
