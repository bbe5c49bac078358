/** The built-in table of mails to people. Its rows also hold the digests of the secrets in their links. */

import type { BuiltInTable } from '../../definition/built-in-table.ts'
import { ref } from '../../definition/kinds/ref.ts'
import { text } from '../../definition/kinds/text.ts'
import { timestamp } from '../../definition/kinds/time.ts'
import { type Resource, resource } from '../../definition/resource.ts'

/** No collection can have this name, and the table has no URI. */
export const mailsName = 'account_mails'

/** In the tables of cursors and of queued work. */
export const mailConsumerName = 'mails'

export const mailsTable = {
  name: mailsName,
  internal: true,
  unlogged: true,
  secrets: ['digest', 'nonce', 'passwordMark', 'newAccount'],
  // The links of mails that were sent end with the password.
  held: {
    account: 'account',
    only: { kind: 'compare', path: ['nonce'], operator: 'ne', values: [''] },
  },
  keptFor: { field: 'expiresAt', seconds: 3600 },
  // A notice that the mail server refuses is not of use later.
  parkedWork: { consumer: mailConsumerName, seconds: 7 * 86_400 },
} as const satisfies BuiltInTable

/** Returns the declaration of the table. features/mail/mail-record.ts reads and writes its rows. */
export function createMailsResource(accounts: string): Resource {
  return resource(
    {
      kind: text({ max: 40 }),
      recipient: text({ max: 1000 }),
      /** The account that the mail is about; none where the login that was entered has no account. */
      account: ref(accounts, { onDelete: 'cascade' }).optional(),
      /** Digest of the password hash of the account at that time: a link ends when the password changes. */
      passwordMark: text({ max: 64 }).optional(),
      /** The secret of the link is computed from it, so that a repeated mail has the same link. */
      nonce: text({ max: 64 }),
      /** SHA-256 of the secret; none in a notice. */
      digest: text({ max: 64 }).unique().optional(),
      /** One of the few places for mails to a login. Newer mails take it. */
      slot: text({ max: 64 }).unique().optional(),
      /** When the link ends, or a notice need not be sent any more. */
      expiresAt: timestamp(),
      /** The stored values of an account that comes into being when the link is used, as JSON; with its password hash. */
      newAccount: text({ max: 1_000_000 }).optional(),
      /** The identity of the invitation that the mail is about. */
      invitation: text({ max: 64 }).optional(),
      usedAt: timestamp().optional(),
      /** The subject, text and HTML of a mail of code as JSON, until it is sent. */
      content: text({ max: 1_000_000 }).optional(),
      /** The recipient of a mail of code: only these are counted. */
      address: text({ max: 254 }).optional(),
      /** The name of the template of a mail of code. */
      template: text({ max: 40 }).optional(),
    },
    { index: ['expiresAt', 'address'] },
  )
}
