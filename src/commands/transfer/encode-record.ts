/** Encodes a record of a file as the values of a new row, with all rights and what operators may keep. */

import { randomUUIDv7 } from 'node:crypto'
import { hashPassword } from '../../access/password.ts'
import { system } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import { parseId } from '../../definition/item-id.ts'
import type { FieldModel, JsonValue, ResourceModel, Stored } from '../../definition/model.ts'
import { systemFields } from '../../definition/system-fields.ts'
import { type ContentFault, invalidContent } from '../../refusal.ts'
import { draftCreation, membersOf } from '../../requests/write/draft-from-content.ts'
import { encodeValues } from '../../requests/write/encode-values.ts'
import type { FileImport } from '../../service/feature.ts'
import type { Store } from '../../store/store.ts'

export interface EncodingContext {
  readonly store: Store
  readonly resource: ResourceModel
  /** Whether records may have `createdAt` and `updatedAt`. */
  readonly keepsTimes: boolean
  /** Whether records may have other states than the initial one. */
  readonly keepsStates: boolean
  /** Undefined where the items have no files. */
  readonly files: FileImport | undefined
  /** Whether code of the definition may set required fields later. */
  readonly runsHooks: boolean
  /** The time of the import. */
  readonly now: string
  /** The version of rows whose identity the record names. */
  readonly namedVersion: number
}

/** The values in column order. Refuses 422 with all faults. */
export async function encodeRecord(context: EncodingContext, body: unknown): Promise<readonly Stored[]> {
  const { store, resource } = context
  const faults: ContentFault[] = []
  const members = new Map(Object.entries(membersOf(body)))
  const head = takeHead(context, members, faults)
  // Without a pause where there are no files: ids of the same millisecond have no order.
  if (context.files) await context.files.storeFiles(resource, members, faults)
  const states = context.keepsStates ? takeStates(resource, members, faults) : []
  const writer = { resource, rights: rightsOf(resource, system), isTrue: () => true }
  const draft = draftCreation(writer, Object.fromEntries(members))
  const checked = {
    ...draft,
    faults: [...faults, ...draft.faults.map((fault) => explained(resource, fault))],
  }
  const files = context.files?.columnsAt(Date.parse(context.now))
  const values = [
    ...head,
    ...(await encodeValues({ store, files }, system, resource.fields, checked, undefined)),
  ]
  for (const [field, state] of states) values[field.index] = field.encode(state)
  for (const [{ kind, index }, value] of draft.values) {
    if (kind.isHashed && value !== undefined) values[index] = await hashPassword(String(value))
  }
  if (!context.runsHooks) requireAllRequired(resource, values)
  return values
}

/** A file from elsewhere seldom has passwords. */
function explained({ fieldByName }: ResourceModel, fault: ContentFault): ContentFault {
  const isPassword = fieldByName.get(fault.pointer.slice(1))?.kind.isHashed
  if (!isPassword || fault.rule !== 'required') return fault
  const remedy = 'Without one people set their own by mail: add .optional() to the field in the definition.'
  return { ...fault, detail: `${fault.detail} ${remedy}` }
}

type Members = Map<string, JsonValue>

/** The identity, the version and the times of the row; removes their members. */
function takeHead(context: EncodingContext, members: Members, faults: ContentFault[]): Stored[] {
  const { resource, now, namedVersion } = context
  const named = takeIdentity(resource, members, faults)
  const createdAt = takeTime(context, members, 'createdAt', faults)
  const updatedAt = takeTime(context, members, 'updatedAt', faults) ?? createdAt ?? now
  if (createdAt !== undefined && updatedAt < createdAt)
    faults.push({ pointer: '/updatedAt', rule: 'time', detail: 'Must not be before createdAt.' })
  const identity = named ?? randomUUIDv7()
  return [identity, named === undefined ? 1 : namedVersion, createdAt ?? updatedAt, updatedAt]
}

/** The identity that the record names; undefined where it names none. */
function takeIdentity(resource: ResourceModel, members: Members, faults: ContentFault[]): string | undefined {
  const id = members.get('id')
  members.delete('id')
  if (id === undefined) return undefined
  const { keyField } = resource
  const fault = (detail: string) => void faults.push({ pointer: '/id', rule: 'id', detail })
  if (keyField) {
    if (String(members.get(keyField.name)) !== id) fault(`Must be the value of '${keyField.name}'.`)
    return undefined
  }
  const identity = typeof id === 'string' ? parseId(resource, id) : undefined
  if (identity === undefined) fault('Must be a UUID in lower case.')
  return identity === undefined ? undefined : String(identity)
}

function takeTime(
  { keepsTimes, now }: EncodingContext,
  members: Members,
  name: 'createdAt' | 'updatedAt',
  faults: ContentFault[],
): string | undefined {
  const value = members.get(name)
  if (value === undefined) return undefined
  members.delete(name)
  const fault = (detail: string) => void faults.push({ pointer: `/${name}`, rule: 'time', detail })
  if (!keepsTimes) return fault('Use --keep-times to set this field, or leave it out.')
  if (!isTimestamp(value)) return fault('Must be a time such as 2026-01-31T12:00:00Z.')
  const time = String((systemFields.get(name) as FieldModel).encode(value))
  if (time > now) return fault('Must not be in the future.')
  return time
}

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

function isTimestamp(value: JsonValue): value is string {
  return typeof value === 'string' && timestamp.test(value) && !Number.isNaN(Date.parse(value))
}

/** The states of the record; removes their members. */
function takeStates(
  resource: ResourceModel,
  members: Members,
  faults: ContentFault[],
): readonly (readonly [FieldModel, JsonValue])[] {
  return resource.fields.flatMap((field) => {
    const value = field.state && members.get(field.name)
    if (value === undefined) return []
    members.delete(field.name)
    const invalid = resource.validate({ [field.name]: value })
    faults.push(...invalid)
    return invalid.length > 0 ? [] : [[field, value] as const]
  })
}

/** Without code of the definition, the record itself must have all required values. */
function requireAllRequired({ fields }: ResourceModel, values: readonly Stored[]): void {
  const missing = fields.filter(({ required, index }) => required && (values[index] ?? null) === null)
  if (missing.length === 0) return
  throw invalidContent(
    missing.map(({ name }) => ({
      pointer: `/${name}`,
      rule: 'required',
      detail: 'This field is required.',
    })),
  )
}
