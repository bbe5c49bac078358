/** Encodes a draft as the values of a row: references are resolved, passwords are hashed last. */

import type { RunInTurn } from '../access/hash-queue.ts'
import { hashPassword, passwordChangeHashQueue, verifyPassword } from '../access/password.ts'
import type { Principal } from '../access/principal.ts'
import { rightsOf } from '../access/rights.ts'
import { hashRequesterOf, type RequestContext } from '../context/request-context.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { type FieldModel, IDENTITY, type JsonValue, type Stored } from '../definition/model.ts'
import { findById } from '../read/find-item.ts'
import { type ContentFault, invalidContent } from '../refusal.ts'
import type { Row } from '../store/row.ts'

import { memoizeByObject } from '../tools/memoize.ts'
import { createRowChecks } from '../view/row-checks.ts'
import type { RecordDraft } from './record-draft.ts'

/**
 * The field values in column order, from the first field on; refuses 422 with all faults. Fields that
 * the draft leaves out keep the value of the row. So do passwords: `hashPasswords` sets them later,
 * when nothing else can be refused.
 */
export async function encodeValues(
  service: ServiceContext,
  caller: Principal,
  fields: readonly FieldModel[],
  draft: RecordDraft,
  row: Row | undefined,
): Promise<readonly Stored[]> {
  if (!arePlain(fields)) return encodeWithReferences(service, caller, fields, draft, row)
  if (draft.faults.length > 0) throw invalidContent(draft.faults)
  return fields.map((field) => plainValue(field, draft, row))
}

/** Whether no value depends on the store or on hashing. */
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

/** The values of a row with the passwords of the draft hashed. */
export async function hashPasswords(
  context: RequestContext,
  draft: RecordDraft,
  values: readonly Stored[],
): Promise<readonly Stored[]> {
  const hashed = [...values]
  const runInTurn = passwordChangeHashQueue.turnFor(hashRequesterOf(context))
  for (const [{ kind, index }, value] of draft.values) {
    if (kind !== 'password' || value === undefined) continue
    hashed[index] = await passwordValue(String(value), values[index], runInTurn)
  }
  return hashed
}

/**
 * The present hash when the password is unchanged, so that sending it again changes nothing. The
 * password is hashed in any case: the time must not reveal whether it is the present one.
 */
async function passwordValue(
  password: string,
  present: Stored | undefined,
  runInTurn: RunInTurn,
): Promise<Stored> {
  const hash = await hashPassword(password, runInTurn)
  if (typeof present !== 'string') return hash
  return (await verifyPassword(password, present, runInTurn)) ? present : hash
}

interface FoundReferences {
  readonly found: ReadonlyMap<FieldModel, string>
  readonly faults: readonly ContentFault[]
}

/** The identities that references name. A hidden item has the same fault as an absent one. */
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

async function findReference({ store }: ServiceContext, caller: Principal, field: FieldModel, id: JsonValue) {
  const resource = field.ref?.resource
  if (!resource) return undefined
  const { read } = rightsOf(resource, caller)
  const checks = createRowChecks(resource, [read])
  const row = await findById(store, resource, String(id), checks.conditions)
  return row && checks.readResults(row)(read) ? (row[IDENTITY] as string) : undefined
}

/** The fault of a reference to an absent or hidden item. */
export function missingReference(field: FieldModel, collection: string): ContentFault {
  return {
    pointer: `/${field.name}`,
    rule: 'reference',
    detail: `There is no such item in '${collection}'.`,
  }
}
