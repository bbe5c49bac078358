/** The tables and the key of mails, for a request. */

import { callerKey, type Principal } from '../../access/principal.ts'
import { refuse } from '../../refusal.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import type { MailRequestContext } from './linked-mail.ts'
import { mailTablesOf } from './mail-record.ts'

/** The tables and the key of mails; refuses 404 where the service sends none. */
export function mailContextOf({
  model,
  store,
  clock,
  mailKey: key,
}: Pick<ServiceContext, 'model' | 'store' | 'clock' | 'mailKey'>): MailRequestContext {
  const tables = mailTablesOf(model)
  if (!tables) throw refuse('not-found', { detail: 'This service sends no mail.' })
  return { tables, store, key, now: clock.now }
}

/** Counts a mail that the caller asks for, before anything is read about its recipient. Refuses 429 and 503. */
export function countMail(
  { mailBudget }: Pick<ServiceContext, 'mailBudget'>,
  caller: Principal,
  address: string,
): void {
  mailBudget.take(callerKey(caller, address), caller.kind === 'anonymous' ? 'anonymous' : 'signedIn')
}
