/** The password in the content of a POST to a document, and the proof that a change of the own credentials needs there. */

import {
  hashPassword,
  isPasswordHash,
  passwordChangeHashQueue,
  verifyPassword,
} from '../../access/password.ts'
import { type Account, anonymous, type Principal, requesterOf } from '../../access/principal.ts'
import { isRecentProviderSignIn } from '../../access/recent-sign-in.ts'
import type { AccountsModel, Stored } from '../../definition/model.ts'
import { type ContentFault, invalidContent, refuse } from '../../refusal.ts'
import type { Row } from '../../store/row.ts'
import { findRow } from '../../store/table-rows.ts'
import { passwordResetsUri } from '../../views/uri.ts'
import { accountsOf, hasDocument, type ServiceContext } from '../context/service-context.ts'
import type { DocumentRequest } from '../context/target.ts'

/** The login and the password hash of an account. */
export interface PasswordOwner {
  readonly login: string
  readonly hash: Stored | undefined
}

export function passwordOwner({ login, password }: AccountsModel, row: Row): PasswordOwner {
  return { login: String(row[login.index]), hash: row[password.index] }
}

/** Who sends a password, and from where. */
interface PasswordSender {
  readonly service: Pick<ServiceContext, 'accounts'>
  readonly caller: Principal
  readonly address: string
}

/** Whether it is the password of the account. Another one counts as a failed sign-in; refuses 429 too many of them. */
export function isPasswordOf(
  { service, caller, address }: PasswordSender,
  { login, hash }: PasswordOwner,
  sent: unknown,
): Promise<boolean> {
  const inTurn = passwordChangeHashQueue.turnFor(requesterOf(caller, address))
  const check = async () =>
    typeof sent === 'string' && isPasswordHash(hash) && verifyPassword(sent, hash, inTurn)
  return accountsOf(service).signInAttempts.guard(login, address, check)
}

interface SentPassword {
  /** The member of the content. */
  readonly name: string
  readonly value: unknown
}

/** Refuses 422 a password that is missing or wrong, and 429 too many of them. */
export async function requirePassword(
  { service, request }: DocumentRequest,
  owner: PasswordOwner,
  { name, value }: SentPassword,
): Promise<void> {
  const { address } = request.client
  if (await isPasswordOf({ service, caller: anonymous, address }, owner, value)) return
  const isMissing = typeof value !== 'string'
  const usual = isMissing
    ? 'Enter the password of your account.'
    : 'This is not the password of your account.'
  const fault: ContentFault = {
    pointer: `/${name}`,
    rule: isMissing ? 'required' : 'currentPassword',
    detail: isPasswordHash(owner.hash) ? usual : noPasswordDetail(service),
  }
  throw invalidContent([fault])
}

export const wrongPasswordFault: ContentFault = {
  pointer: '/currentPassword',
  rule: 'currentPassword',
  detail: 'This is not your current password.',
}

/** The way to a password for an account that has none. */
export function noPasswordDetail(service: Pick<ServiceContext, 'model' | 'routes'>): string {
  const resets = passwordResetsUri(service.model)
  const canReset = hasDocument(service, resets)
  const { providers = [] } = service.model.accounts ?? {}
  if (providers.length === 0) {
    const way = canReset ? `Set one at ${resets}.` : 'Ask the people of this service for one.'
    return `Your account has no password. ${way}`
  }
  const way = canReset ? `Set one at ${resets}, or sign` : 'Sign'
  return `Your account has no password. ${way} in again with your provider, and try again within five minutes.`
}

/**
 * Passes the account after a sign-in with a provider of the last five minutes, else with its current password. Refuses 422
 * a password that is missing or wrong, and 429 too many of them.
 */
export async function requireOwnProof(
  received: DocumentRequest,
  account: Account,
  currentPassword: unknown,
): Promise<void> {
  const { model, store, clock } = received.service
  const isMissing = currentPassword === undefined || currentPassword === ''
  if (isMissing && isRecentProviderSignIn(account, clock.now())) return
  if (!model.accounts) throw new Error('An account has a resource')
  const row = await findRow(store, model.accounts.resource, account.identity)
  if (!row) throw refuse('unauthenticated', { detail: 'The account has just been deleted.' })
  await requirePassword(received, passwordOwner(model.accounts, row), {
    name: 'currentPassword',
    value: currentPassword,
  })
}

/** The hash of a password that a person without credentials chooses; refuses 429 too many of them. */
export function hashNewPassword({ service, request }: DocumentRequest, password: string): Promise<string> {
  const inTurn = passwordChangeHashQueue.turnFor(requesterOf(anonymous, request.client.address))
  return hashPassword(password, { cost: service.passwordCost, inTurn })
}
