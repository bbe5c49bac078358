/** Identities, a table of the service's own: the subjects of issuers that accounts are bound to. */

import { ref } from './kinds/ref.ts'
import { text } from './kinds/text.ts'
import type { BuiltInName } from './model.ts'
import { type Resource, resource } from './resource.ts'

/** No collection can have this name, and no URI leads to it. */
export const identitiesName = 'account_identities' satisfies BuiltInName

export function createIdentitiesResource(accounts: string): Resource {
  return resource({
    account: ref(accounts, { onDelete: 'cascade' }),
    issuer: text(),
    subject: text(),
    /** The login of the account, which the issuer vouched for when the account was bound. */
    provenLogin: text(),
    /** SHA-256 of issuer and subject: a subject is one account. */
    subjectDigest: text({ max: 64 }).unique(),
    /** SHA-256 of issuer and account: an account is one subject of an issuer. */
    accountDigest: text({ max: 64 }).unique(),
  })
}
