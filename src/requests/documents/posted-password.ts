/** The password in the content of a POST to a document. */

import { passwordChangeHashQueue, verifyPassword } from '../../access/password.ts'
import { callerKey } from '../../access/principal.ts'
import type { HttpRequest } from '../../http/message.ts'
import { type ContentFault, invalidContent } from '../../refusal.ts'
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
  const check = async () => !isMissing && (await isPassword(request, value, hash))
  if (await service.signInAttempts.guard(login, request.client.address, check)) return
  const fault: ContentFault = {
    pointer: `/${name}`,
    rule: isMissing ? 'required' : 'currentPassword',
    detail: isMissing ? 'Enter the password of your account.' : 'This is not the password of your account.',
  }
  throw invalidContent([fault])
}

function isPassword({ client }: HttpRequest, sent: string, stored: string): Promise<boolean> {
  const { address } = client
  const requester = { address, caller: callerKey({ kind: 'anonymous' }, address) }
  return verifyPassword(sent, stored, passwordChangeHashQueue.turnFor(requester))
}
