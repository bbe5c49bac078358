/** The use of the link in the mail of a sign-up: it creates the account. */

import { actorOf } from '../../../access/actor.ts'
import { anonymous } from '../../../access/principal.ts'
import { refuse, unavailable } from '../../../refusal.ts'
import type { DocumentRequest } from '../../../requests/context/target.ts'
import { requirePassword } from '../../../requests/documents/posted-password.ts'
import { readField } from '../../../store/row-fields.ts'
import { mailContextOf } from '../mail-context.ts'
import { signUpWrites } from './sign-up.ts'
import { findOpenSignUp, type OpenSignUp } from './sign-up-mail.ts'

/** Attempts when rows that hooks have read change at the same time. */
const maxAttempts = 5

/** Creates the account. Refuses 422 another password than the one that was chosen, and 404 where a value is taken by now. */
export async function completeSignUp(
  received: DocumentRequest,
  signUp: OpenSignUp,
  password: unknown,
): Promise<void> {
  const { service, request, target } = received
  const context = mailContextOf(service)
  const { mails, accounts } = context.tables
  const login = String(readField(mails, signUp.mail, 'recipient'))
  const hash = String(signUp.fields[accounts.resource.fields.indexOf(accounts.password)])
  await requirePassword(received, { login, hash }, { name: 'password', value: password })
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const open = await findOpenSignUp(context, target.parameter ?? '')
    if (!open) throw linkRefusal()
    const writes = await signUpWrites(service, request.id, open)
    const written = await service.store.write(writes, { actor: actorOf(anonymous), request: request.id })
    if (written.kind === 'done') return service.changes.wake()
    if (written.reason.kind !== 'stale') throw linkRefusal()
  }
  throw unavailable('Too many requests are creating accounts at once.')
}

/** The refusal of a link that is unknown, used or expired, or whose address is taken: always the same. */
export function linkRefusal() {
  return refuse('not-found', { detail: 'This link is not valid any more. Ask for a new one.' })
}
