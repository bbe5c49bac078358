/** Whether the login of an account is proven, and the writes that make the account that of the owner of its address. */

import { isMailProof, listBindings, proofWrite, stillBound } from '../../access/bound-account.ts'
import { revokeAll, suspend } from '../../access/revocation.ts'
import { IDENTITY } from '../../definition/model.ts'
import { accountsOf, type ServiceContext } from '../../requests/context/service-context.ts'
import type { Row } from '../../store/row.ts'
import { deleteRow, readField } from '../../store/row-fields.ts'
import type { Write } from '../../store/write.ts'
import type { OpenLink } from './linked-mail.ts'
import { mailContextOf } from './mail-context.ts'

export interface LoginProof {
  /** The bindings of the account. */
  readonly bindings: readonly Row[]
  /** Those that do not prove the login: another person may have bound them. */
  readonly foreign: readonly Row[]
  /** Whether strangers can choose logins and nothing has proven this one: another person may have made the account. */
  readonly isMissing: boolean
}

export async function findLoginProof(service: ServiceContext, account: Row): Promise<LoginProof> {
  const { credentials } = accountsOf(service)
  const { accounts } = mailContextOf(service).tables
  const { resource } = credentials
  const login = account[accounts.login.index]
  const bindings = await listBindings(credentials, String(account[IDENTITY]))
  const proven = bindings.filter((row) => readField(resource, row, 'provenLogin') === login)
  const foreign = bindings.filter((row) => !proven.includes(row) && !isMailProof(resource, row))
  return { bindings, foreign, isMissing: accounts.selfChosenLogins && proven.length === 0 }
}

/**
 * The writes that record the proof of the address by the link and remove what another person may have left: the subjects
 * of providers that do not prove it, and where nothing had proven it all that the account has handed out. Otherwise its
 * webhooks stop until the owner activates them, and its invitations are revoked.
 */
export async function ownershipWrites(
  service: ServiceContext,
  { mail, account }: OpenLink,
  { bindings, foreign, isMissing }: LoginProof,
): Promise<readonly Write[]> {
  const { credentials } = accountsOf(service)
  const { tables, now } = mailContextOf(service)
  const at = new Date(now()).toISOString()
  const identity = String(account[IDENTITY])
  const revoked = await (isMissing ? revokeAll : suspend)(service, identity, at)
  return [
    stillBound(credentials, identity, bindings),
    // The use of the link changes its mail.
    ...revoked.filter((write) => !isOf(mail, write)),
    ...foreign.map((row) => deleteRow(credentials.resource, row, at)),
    await proofWrite(credentials, account, String(account[tables.accounts.login.index])),
  ]
}

function isOf(row: Row, write: Write): boolean {
  return write.kind === 'delete' && write.identity === row[IDENTITY]
}
