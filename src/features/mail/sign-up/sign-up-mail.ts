/** Sign-up by mail: the row of the mail has the values of the account until its link is used. */

import type { ResourceModel, Stored } from '../../../definition/model.ts'
import type { Row } from '../../../store/row.ts'
import { readField } from '../../../store/row-fields.ts'
import type { MailRequestContext } from '../linked-mail.ts'
import { isMailOpen } from '../mail-record.ts'

/** The stored values of a new account as JSON, by field. */
export function formatNewAccount({ fields }: ResourceModel, values: readonly Stored[]): string {
  const stored = fields.map(({ name, index }) => [name, values[index] ?? null] as const)
  return JSON.stringify(Object.fromEntries(stored), (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
}

/** A sign-up whose link can be used: the row of its mail, and the values of the fields in column order. */
export interface OpenSignUp {
  readonly mail: Row
  readonly fields: readonly Stored[]
}

/** The sign-up of the mail; undefined where it was used or has expired, or the definition has other fields by now. */
export async function findOpenSignUp(
  { tables, now }: MailRequestContext,
  mail: Row,
): Promise<OpenSignUp | undefined> {
  const { mails, accounts } = tables
  if (!isMailOpen(mails, mail, now())) return undefined
  // Written by `formatNewAccount`.
  const stored = JSON.parse(String(readField(mails, mail, 'newAccount'))) as Readonly<Record<string, Stored>>
  const fields = accounts.resource.fields.map(({ name }) => stored[name] ?? null)
  const isComplete = accounts.resource.fields.every(({ required }, at) => !required || fields[at] !== null)
  return isComplete ? { mail, fields } : undefined
}
