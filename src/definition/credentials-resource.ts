/**
 * The built-in table of credentials beside the password, below each account: authenticators, passkeys, recovery codes, and
 * the bindings of the account: providers, which its owner sees, subjects of JWTs, and the proof of its address by mail.
 */

import type { BuiltInTable } from './built-in-table.ts'
import { choice } from './kinds/choice.ts'
import { json } from './kinds/json.ts'
import { list } from './kinds/list.ts'
import { integer } from './kinds/number.ts'
import { ref } from './kinds/ref.ts'
import { text } from './kinds/text.ts'
import { date, timestamp } from './kinds/time.ts'
import { type Resource, resource } from './resource.ts'
import type { Rule } from './rule.ts'
import { and, nobody, or, owner, where } from './rule-functions.ts'

/** No collection can have this name: its items are below those of the accounts. */
export const credentialsName = 'account_credentials'

/** The last segment of the URI of an account's credentials. */
export const credentialsRelation = 'credentials'

/** The kinds that people register. */
export const registeredKinds = ['totp', 'passkey', 'recovery-codes'] as const
export type RegisteredKind = (typeof registeredKinds)[number]

/** The kind of a provider comes into being by signing in with it. */
export const providerKind = 'provider'

/** The kinds that responses show. */
export const shownKinds = [...registeredKinds, providerKind] as const
export type CredentialKind = (typeof shownKinds)[number]

/** The kinds of bindings: rows with an issuer and a subject. */
export type BindingKind = typeof providerKind | 'subject' | 'address'

export const credentialsTable = {
  name: credentialsName,
  internal: true,
  secrets: ['name', 'secret', 'recoveryCodes', 'keyId', 'keyDigest'],
  shownInPart: ['secret', 'uri', 'options', 'recoveryCodes'],
  below: 'account',
  outlives: true,
  asksForPassword: true,
  // A provider is bound by signing in with it, and not by a form.
  offered: { kind: registeredKinds },
  actions: {
    confirm: {
      title: 'Confirm',
      summary: 'Confirm an authenticator with a code, or a passkey; the first one comes with recovery codes',
      takes: ['code', 'response'],
      takenBy: (read) => (read('kind') === 'passkey' ? 'response' : 'code'),
      shows: ['recoveryCodes'],
      isOpen: (read) => read('confirmedAt') === null,
    },
  },
  // Callers of revocations decide which bindings prove the owner.
  held: {
    account: 'account',
    only: { kind: 'compare', path: ['accountDigest'], operator: 'missing', values: [] },
  },
  mostPerAccount: { owner: 'account', count: 20, items: 'credentials' },
} as const satisfies BuiltInTable

export interface CredentialsDeclaration {
  readonly accounts: string
  readonly administrators: Rule
}

/**
 * Returns the declaration. The owner and administrators list and revoke credentials; the owner registers them.
 * features/second-factors/create-credential.ts sets the read-only fields.
 */
export function createCredentialsResource({ accounts, administrators }: CredentialsDeclaration): Resource {
  const own = owner('account')
  const seen = and(or(own, administrators), where({ kind: shownKinds }))
  const hiddenText = (max: number) => text({ max }).optional().readOnly().visibleTo(nobody)
  return resource(
    {
      account: ref(accounts, { onDelete: 'cascade', inverse: credentialsRelation }).fromPrincipal(),
      kind: choice(shownKinds).default('totp').immutable(),
      name: text({ min: 1, max: 100 }).optional().immutable(),
      /** When a code has proved that the authenticator works: before, it is not asked for. */
      confirmedAt: timestamp().optional().readOnly(),
      lastUsedOn: date().optional().readOnly(),
      /** The recovery codes that are left. */
      remaining: integer({ min: 0 }).optional().readOnly(),
      /** Encrypted: the key of an authenticator, shown once in base 32; the challenge, then the public key of a passkey. */
      secret: hiddenText(200),
      /** Never stored: `otpauth://totp/…`, shown once. */
      uri: hiddenText(2000),
      /** Never stored: the options of a new passkey, shown once. */
      options: json().optional().readOnly().visibleTo(nobody),
      /** The id of a passkey, and its SHA-256, or that of issuer and subject of a provider: no two accounts have the same. */
      keyId: hiddenText(2000),
      keyDigest: text({ max: 64 }).unique().optional().readOnly().visibleTo(nobody),
      /** Of a binding, with the login of the account that the issuer has proven; empty where it has proven none. */
      issuer: hiddenText(10_000),
      subject: hiddenText(10_000),
      provenLogin: hiddenText(10_000),
      /** SHA-256 of issuer and account: an account has one subject of an issuer. */
      accountDigest: text({ max: 64 }).unique().optional().readOnly().visibleTo(nobody),
      /** The signature counter of a passkey, which must grow. */
      counter: integer({ min: 0 }).optional().readOnly().visibleTo(nobody),
      /** The last accepted time step, or the time of the last accepted challenge: none is accepted twice. */
      lastStep: integer({ min: 0 }).optional().readOnly().visibleTo(nobody),
      /** Digests of the codes that are left; the codes are shown once. */
      recoveryCodes: list(text({ max: 100 }))
        .optional()
        .readOnly()
        .visibleTo(nobody),
    },
    {
      access: { read: seen, create: own, update: own, delete: seen },
      methods: ['GET', 'POST', 'DELETE'],
    },
  )
}
