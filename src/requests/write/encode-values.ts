/** Encodes a draft as the values of a row: references are resolved, passwords are hashed last. */

import {
  createHashOfNone,
  type HashOptions,
  hashPassword,
  passwordChangeHashQueue,
  verifyPassword,
} from '../../access/password.ts'
import { type Principal, requesterOf } from '../../access/principal.ts'
import { findFileModel } from '../../definition/file-fields.ts'
import type { FieldModel, Stored } from '../../definition/model.ts'
import { invalidContent } from '../../refusal.ts'
import type { Row } from '../../store/row.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { RecordDraft } from './draft-builder.ts'
import { type FileColumns, findReferences } from './reference-lookup.ts'

/**
 * The field values in column order, from the first field on; refuses 422 with all faults. Fields that
 * the draft leaves out keep the value of the row. So do passwords: `hashPasswords` sets them later,
 * when nothing else can be refused. A new item without a password has a hash that no password matches.
 */
export async function encodeValues(
  unit: FileColumns,
  caller: Principal,
  fields: readonly FieldModel[],
  draft: RecordDraft,
  row: Row | undefined,
): Promise<readonly Stored[]> {
  const references = await findReferences(unit, caller, draft, row)
  const faults = [...draft.faults, ...references.faults]
  if (faults.length > 0) throw invalidContent(faults)
  return fields.map((field) => {
    const stored = row?.[field.index] ?? null
    const value = draft.values.get(field)
    if (value === undefined && field.kind.isHashed && (!row || draft.values.has(field)))
      return createHashOfNone()
    if (value === undefined) return draft.values.has(field) ? null : stored
    if (field.ref || field.refs || findFileModel(field)) return references.found.get(field) ?? null
    return field.kind.isHashed ? stored : field.encode(value)
  })
}

export function hasPasswords({ values }: RecordDraft): boolean {
  return values.entries().some(([{ kind }, value]) => kind.isHashed && value !== undefined)
}

/** The values of a row with the passwords of the draft hashed. */
export async function hashPasswords(
  context: RequestContext,
  draft: RecordDraft,
  values: readonly Stored[],
): Promise<readonly Stored[]> {
  const hashed = [...values]
  const inTurn = passwordChangeHashQueue.turnFor(requesterOf(context.caller, context.address))
  const options = { cost: context.service.passwordCost, inTurn }
  for (const [{ kind, index }, value] of draft.values) {
    if (!kind.isHashed || value === undefined) continue
    hashed[index] = await passwordValue(String(value), values[index], options)
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
  options: Required<HashOptions>,
): Promise<Stored> {
  const hash = await hashPassword(password, options)
  if (typeof present !== 'string') return hash
  return (await verifyPassword(password, present, options.inTurn)) ? present : hash
}
