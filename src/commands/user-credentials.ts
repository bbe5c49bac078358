/** `restwell user credentials`: lists the second factors and the providers of an account, and revokes them. */

import { credentialsOf, kindOf, listCredentials } from '../access/credentials.ts'
import { IDENTITY, type ResourceModel } from '../definition/model.ts'
import {
  type AccountContext,
  printLine,
  requireAccount,
  writeOrFail,
} from '../operation/command-frame/account-command.ts'
import { CommandFault } from '../operation/command-frame/command.ts'
import type { Row } from '../store/row.ts'
import { deleteRow, readField } from '../store/row-fields.ts'

/** Prints a line for each credential. With `--revoke ID` or `--revoke all`, revokes them instead. */
export async function credentials(tool: AccountContext, [login]: readonly string[]): Promise<void> {
  const { model, store, config } = tool
  const account = await requireAccount(tool, login)
  const resource = credentialsOf(model)
  if (!resource) throw new Error('A service with accounts has credentials')
  const rows = await listCredentials({ resource, store }, String(account[IDENTITY]))
  const revoked = config.lists.revoke ?? []
  if (revoked.length === 0) return printCredentials(resource, rows, String(login))
  const chosen = revoked.includes('all')
    ? rows
    : revoked.map((id) => requireCredential(rows, id, String(login)))
  const at = new Date().toISOString()
  await writeOrFail(tool, ...chosen.map((row) => deleteRow(resource, row, at)))
  printLine(`Revoked ${chosen.length} of ${rows.length} credentials of ${login}.`)
}

function printCredentials(resource: ResourceModel, rows: readonly Row[], login: string): void {
  if (rows.length === 0) printLine(`${login} has no credential beside its password.`)
  for (const row of rows) {
    const text = (name: string) => String(readField(resource, row, name) ?? '-')
    const left = kindOf(resource, row) === 'recovery-codes' ? `${text('remaining')} left` : text('name')
    const state =
      readField(resource, row, 'confirmedAt') === null ? 'not confirmed' : `since ${text('confirmedAt')}`
    printLine([String(row[IDENTITY]), kindOf(resource, row), left, state].join('  '))
  }
}

function requireCredential(rows: readonly Row[], id: string, login: string): Row {
  const row = rows.find((one) => one[IDENTITY] === id)
  if (!row) throw new CommandFault(`${login} has no credential '${id}'. Expected an id, or all.`)
  return row
}
