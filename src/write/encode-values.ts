/** From a draft to the values a row will hold: references found, kinds encoded, passwords hashed last. */

import type { RunInTurn } from '../access/hash-queue.ts'
import { hashPassword, passwordChangeHashQueue, verifyPassword } from '../access/password.ts'
import type { Principal } from '../access/principal.ts'
import { rightsOf } from '../access/rights.ts'
import { hashRequesterOf, type RequestContext } from '../context/request-context.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { type FieldModel, IDENTITY, type JsonValue, type Stored } from '../definition/model.ts'
import { findById } from '../read/load-current-state.ts'
import { type ContentFault, invalidContent } from '../refusal.ts'
import type { Row } from '../store/row.ts'
import type { MaybePromise } from '../store/store.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import { createRowChecks } from '../view/row-checks.ts'
import type { RecordDraft } from './record-draft.ts'

/**
 * The field values in column order, beginning with the first field; refuses 422 with all faults.
 * Fields that the draft leaves out keep what the row has, or stay absent in a new one; and so do
 * passwords, which `hashedValues` puts in when nothing else can be refused.
 */
export function encodeValues(
  service: ServiceContext,
  caller: Principal,
  fields: readonly FieldModel[],
  draft: RecordDraft,
  row: Row | undefined,
): MaybePromise<readonly Stored[]> {
  if (!arePlain(fields)) return encodeWithReferences(service, caller, fields, draft, row)
  if (draft.faults.length > 0) throw invalidContent(draft.faults)
  return fields.map((field) => plainValue(field, draft, row))
}

/** Whether each value is known from what was sent alone. */
const arePlain = memoizeByObject((fields: readonly FieldModel[]) =>
  fields.every(({ ref, kind }) => !ref && kind !== 'password'),
)

function plainValue(field: FieldModel, { values }: RecordDraft, row: Row | undefined): Stored {
  const value = values.get(field)
  if (value !== undefined) return field.encode(value)
  return values.has(field) ? null : (row?.[field.index] ?? null)
}

async function encodeWithReferences(
  service: ServiceContext,
  caller: Principal,
  fields: readonly FieldModel[],
  draft: RecordDraft,
  row: Row | undefined,
): Promise<readonly Stored[]> {
  const references = await findReferences(service, caller, draft)
  const faults = [...draft.faults, ...references.faults]
  if (faults.length > 0) throw invalidContent(faults)
  return Promise.all(
    fields.map((field) => {
      const value = draft.values.get(field)
      if (value === undefined) return plainValue(field, draft, row)
      if (field.ref) return references.found.get(field) ?? null
      if (field.kind === 'password') return row?.[field.index] ?? null
      return field.encode(value)
    }),
  )
}

export function hasPasswords({ values }: RecordDraft): boolean {
  return values.entries().some(([{ kind }, value]) => kind === 'password' && value !== undefined)
}

/** The values of a whole row, with the passwords of the draft hashed. */
export async function hashPasswords(
  context: RequestContext,
  draft: RecordDraft,
  values: readonly Stored[],
): Promise<readonly Stored[]> {
  const hashed = [...values]
  const inTurn = passwordChangeHashQueue.turnFor(hashRequesterOf(context))
  for (const [{ kind, index: at }, value] of draft.values) {
    if (kind !== 'password' || value === undefined) continue
    hashed[at] = await passwordValue(String(value), values[at], inTurn)
  }
  return hashed
}

/**
 * A password that is the present one already is kept, so that sending it again changes nothing. It
 * is hashed all the same: the time must not tell whether it was the present one.
 */
async function passwordValue(
  password: string,
  present: Stored | undefined,
  inTurn: RunInTurn,
): Promise<Stored> {
  const hash = await hashPassword(password, inTurn)
  if (typeof present !== 'string') return hash
  return (await verifyPassword(password, present, inTurn)) ? present : hash
}

interface FoundReferences {
  readonly found: ReadonlyMap<FieldModel, string>
  readonly faults: readonly ContentFault[]
}

/** An item that the caller may not read is refused in the same words as one that is not there. */
async function findReferences(
  service: ServiceContext,
  caller: Principal,
  draft: RecordDraft,
): Promise<FoundReferences> {
  const found = new Map<FieldModel, string>()
  const faults: ContentFault[] = []
  for (const [field, value] of draft.values) {
    if (!field.ref || typeof value !== 'string') continue
    const identity = await findReference(service, caller, field, value)
    if (identity !== undefined) found.set(field, identity)
    else faults.push(missingReference(field, field.ref.resource.name))
  }
  return { found, faults }
}

async function findReference(
  { store }: ServiceContext,
  caller: Principal,
  field: FieldModel,
  id: JsonValue,
) {
  const resource = field.ref?.resource
  if (!resource) return undefined
  const { read } = rightsOf(resource, caller)
  const checks = createRowChecks(resource, [read])
  const row = await findById(store, resource, String(id), checks.conditions)
  return row && checks.readResults(row)(read) ? (row[IDENTITY] as string) : undefined
}

export function missingReference(field: FieldModel, collection: string): ContentFault {
  return {
    pointer: `/${field.name}`,
    rule: 'reference',
    detail: `There is no such item in '${collection}'.`,
  }
}
