/**
 * Proof of an address: a link in a mail to it. Using the link needs the password of the account too, or its session:
 * otherwise the owner of the address could be led to confirm an account of another person (account pre-hijacking).
 */

import { endOtherSessions } from '../../../access/account-tokens.ts'
import { findAccountRow } from '../../../access/basic-scheme.ts'
import { proofWrite } from '../../../access/bound-account.ts'
import { mayChangeCredentials, type Principal } from '../../../access/principal.ts'
import { IDENTITY } from '../../../definition/model.ts'
import type { Refusal } from '../../../refusal.ts'
import { accountsOf, type ServiceContext } from '../../../requests/context/service-context.ts'
import type { FormSubmission } from '../../../requests/context/target.ts'
import type { Row } from '../../../store/row.ts'
import { readField, updateFields } from '../../../store/row-fields.ts'
import type { Write } from '../../../store/write.ts'
import { homeUri } from '../../../views/uri.ts'
import { createLink, linkRefusal, requireAccountPassword } from '../link-document.ts'
import { findAccountLink, type OpenLink } from '../linked-mail.ts'
import { mailContextOf } from '../mail-context.ts'
import { mailWrites } from '../mail-record.ts'

export const verificationLink = createLink<OpenLink, void>({
  find: (service, mail) => findAccountLink(mailContextOf(service), mail),
  show({ account }, caller) {
    const needsPassword = !isOwnSession(caller, account)
    return { data: { needsPassword }, asked: needsPassword ? ['password'] : [] }
  },
  async check(sent, { account }) {
    if (isOwnSession(sent.caller, account)) return
    await requireAccountPassword(sent, account)
  },
  write: verificationWrites,
  actorOf: ({ account }) => ({ account: String(account[IDENTITY]) }),
  refusalOf: refusalOfTaken,
  finish: ({ service }) => ({ next: homeUri(service.model) }),
})

function isOwnSession(caller: Principal, account: Row): boolean {
  return caller.kind === 'account' && caller.identity === account[IDENTITY] && mayChangeCredentials(caller)
}

/**
 * The writes that use up the link and record the proof. Where the account has another login, the address becomes its
 * login, its other sessions end, and the former address gets a notice. The store refuses them where a row has changed, or
 * the login is taken.
 */
async function verificationWrites(
  { service, caller }: FormSubmission,
  { mail, account }: OpenLink,
): Promise<readonly Write[]> {
  const { tables, now } = mailContextOf(service)
  const { tokens, credentials } = accountsOf(service)
  const { accounts, mails } = tables
  const { login, resource } = accounts
  const at = new Date(now()).toISOString()
  const address = String(readField(mails, mail, 'recipient'))
  const former = account[login.index] ?? null
  const changed: readonly Write[] =
    former === address
      ? []
      : [
          updateFields(resource, account, at, { [login.name]: address }),
          ...mailWrites(tables, { kind: 'loginChanged', recipient: String(former), account }, now()),
          ...(await endOtherSessions(tokens, String(account[IDENTITY]), caller)),
        ]
  return [
    updateFields(mails, mail, at, { usedAt: at }),
    ...changed,
    await proofWrite(credentials, account, address),
  ]
}

/** 404 where another account has taken the address since the mail was sent. */
async function refusalOfTaken(
  service: ServiceContext,
  { mail, account }: OpenLink,
): Promise<Refusal | undefined> {
  const { tables, store } = mailContextOf(service)
  const address = String(readField(tables.mails, mail, 'recipient'))
  const holder = await findAccountRow(tables.accounts, store, address)
  return holder && holder[IDENTITY] !== account[IDENTITY] ? linkRefusal() : undefined
}
