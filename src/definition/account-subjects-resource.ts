/** The built-in table of identities: the subjects of issuers that accounts are bound to. */

import type { BuiltInTable } from './built-in-table.ts'
import { ref } from './kinds/ref.ts'
import { text } from './kinds/text.ts'
import { type Resource, resource } from './resource.ts'

/** No collection can have this name, and the table has no URI. */
export const accountSubjectsName = 'account_identities'

export const accountSubjectsTable = {
  name: accountSubjectsName,
  internal: true,
  unrelated: true,
} as const satisfies BuiltInTable

/** Returns the declaration of the table. */
export function createAccountSubjectsResource(accounts: string): Resource {
  return resource({
    account: ref(accounts, { onDelete: 'cascade' }),
    issuer: text(),
    subject: text(),
    /** The login of the account that the issuer has proven; empty where it has proven none. */
    provenLogin: text(),
    /** SHA-256 of issuer and subject: a subject has one account. */
    subjectDigest: text({ max: 64 }).unique(),
    /** SHA-256 of issuer and account: an account has one subject of an issuer. */
    accountDigest: text({ max: 64 }).unique(),
  })
}
