/** The tables and the key of mails, for a request. */

import { callerKey, type Principal } from '../../access/principal.ts'
import { refuse } from '../../refusal.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import { partOf, type ServicePart } from '../../requests/context/service-part.ts'
import type { MailRequestContext } from './linked-mail.ts'
import { createMailBudget, type MailBudget } from './mail-budget.ts'
import { mailTablesOf } from './mail-record.ts'

/** The part of the service that mails have. */
export interface MailPart {
  /** The key of the secrets in mails. */
  readonly key: Uint8Array
  readonly budget: MailBudget
  /** Whether `/mails` shows mails to this machine, instead of a server that sends them. */
  readonly isShown: boolean
}

export const mailPart: ServicePart<MailPart> = {
  open: async ({ store, mail, now }) => ({
    key: await store.loadSecret('mails'),
    budget: createMailBudget(now),
    isShown: mail === 'page',
  }),
}

/** The tables and the key of mails; refuses 404 where the service sends none. */
export function mailContextOf({
  model,
  store,
  clock,
  parts,
}: Pick<ServiceContext, 'model' | 'store' | 'clock' | 'parts'>): MailRequestContext {
  const tables = mailTablesOf(model)
  if (!tables) throw refuse('not-found', { detail: 'This service sends no mail.' })
  return { tables, store, key: partOf({ parts }, mailPart).key, now: clock.now }
}

/** Counts a mail that the caller asks for, before anything is read about its recipient. Refuses 429 and 503. */
export function countMail(
  { parts }: Pick<ServiceContext, 'parts'>,
  caller: Principal,
  address: string,
): void {
  const { budget } = partOf({ parts }, mailPart)
  budget.take(callerKey(caller, address), caller.kind === 'anonymous' ? 'anonymous' : 'signedIn')
}
