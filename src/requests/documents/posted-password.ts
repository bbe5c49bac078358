/** The password in the content of a POST to a document, and the proof that a change of the own credentials needs there. */

import {
  hashPassword,
  isPasswordHash,
  passwordChangeHashQueue,
  verifyPassword,
} from '../../access/password.ts'
import { type Account, anonymous, callerKey } from '../../access/principal.ts'
import { isRecentProviderSignIn } from '../../access/recent-sign-in.ts'
import type { HttpRequest } from '../../http/message.ts'
import { type ContentFault, invalidContent, refuse } from '../../refusal.ts'
import { findRow } from '../../store/table-rows.ts'
import { passwordResetsUri } from '../../views/uri.ts'
import { accountsOf, hasDocument, type ServiceContext } from '../context/service-context.ts'
import type { DocumentRequest } from '../context/target.ts'

/** The login and the password hash of an account. */
export interface PasswordOwner {
  readonly login: string
  readonly hash: string
}

interface SentPassword {
  /** The member of the content. */
  readonly name: string
  readonly value: unknown
}

/** Refuses 422 a password that is missing or wrong, and 429 too many of them. */
export async function requirePassword(
  { service, request }: DocumentRequest,
  { login, hash }: PasswordOwner,
  { name, value }: SentPassword,
): Promise<void> {
  const isMissing = typeof value !== 'string'
  const check = async () => !isMissing && isPasswordHash(hash) && (await isPassword(request, value, hash))
  if (await accountsOf(service).signInAttempts.guard(login, request.client.address, check)) return
  const usual = isMissing
    ? 'Enter the password of your account.'
    : 'This is not the password of your account.'
  const fault: ContentFault = {
    pointer: `/${name}`,
    rule: isMissing ? 'required' : 'currentPassword',
    detail: isPasswordHash(hash) ? usual : noPasswordDetail(service),
  }
  throw invalidContent([fault])
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
  const { resource, login, password } = model.accounts
  const row = await findRow(store, resource, account.identity)
  if (!row) throw refuse('unauthenticated', { detail: 'The account has just been deleted.' })
  const owner = { login: String(row[login.index]), hash: String(row[password.index]) }
  await requirePassword(received, owner, { name: 'currentPassword', value: currentPassword })
}

function isPassword(request: HttpRequest, sent: string, stored: string): Promise<boolean> {
  return verifyPassword(sent, stored, hashTurn(request))
}

/** The hash of a password that a person without credentials chooses; refuses 429 too many of them. */
export function hashNewPassword({ service, request }: DocumentRequest, password: string): Promise<string> {
  return hashPassword(password, { cost: service.passwordCost, inTurn: hashTurn(request) })
}

function hashTurn({ client }: HttpRequest) {
  const { address } = client
  return passwordChangeHashQueue.turnFor({ address, caller: callerKey(anonymous, address) })
}
