/** The built-in resource `tokens`: credentials that callers create for themselves. */

import { hidden } from './built-in-fields.ts'
import type { BuiltInTable } from './built-in-table.ts'
import { boolean } from './kinds/boolean.ts'
import { choice } from './kinds/choice.ts'
import { list } from './kinds/list.ts'
import { integer } from './kinds/number.ts'
import { ref } from './kinds/ref.ts'
import { text } from './kinds/text.ts'
import { date, timestamp } from './kinds/time.ts'
import { resource } from './resource.ts'
import { owner, signedIn } from './rule-functions.ts'

/** The actions of a scope. `write` includes create, update and delete. */
const scopeActions = ['read', 'create', 'update', 'delete', 'write'] as const

/** Of accounts only: giving roles, and setting the password or login of another account. No other scope but `*:write` includes it. */
const grantAction = 'grant'

/** The default: all rights of the owner. */
export const allScopes: readonly string[] = Object.freeze(['*:read', '*:write'])

/** The name of the token of a session; pages show it in their language. */
export const sessionName = 'Signed in on pages'

/** In seconds: a year. */
export const maxTokenLifetime = 365 * 86_400

export const tokensTable = {
  name: 'tokens',
  methods: ['GET', 'POST', 'DELETE'],
  secrets: ['token', 'passwordMark'],
  shownOnce: 'token',
  outlives: true,
  menu: 'signed-in',
  // Those that were made with one of them are deleted with it.
  held: {
    account: 'owner',
    only: { kind: 'compare', path: ['madeWith'], operator: 'missing', values: [] },
  },
  mostPerAccount: { owner: 'owner', count: 500, items: 'tokens' },
} as const satisfies BuiltInTable

/**
 * Returns the declaration. features/accounts/create-token.ts creates tokens and sets the read-only fields. A
 * missing scope, expiry or password digest denies access.
 */
export function createTokensResource(accounts: string, collections: readonly string[]) {
  return resource(
    {
      name: text({ min: 1, max: 100 }).optional(),
      scopes: list(choice(listScopes(accounts, collections)), { min: 1, max: 100 }).default([...allScopes]),
      /** In seconds; shown as `expiresAt`. */
      expiresIn: integer({ min: 1, max: maxTokenLifetime }).optional().writeOnly(),
      expiresAt: timestamp().optional().readOnly(),
      lastUsedOn: date().optional().readOnly(),
      owner: ref(accounts, { onDelete: 'cascade' }).fromPrincipal(),
      /** Stored as its SHA-256; the secret is shown once, when the token is created. */
      token: hidden(text({ max: 64 }).unique().optional()),
      /** SHA-256 of the owner's password hash; a token is void when the password changes. */
      passwordMark: hidden(text({ max: 64 }).optional()),
      /** The token that it was made with, and ends with; none: the account itself. */
      madeWith: hidden(ref('tokens', { onDelete: 'cascade' }).optional()),
      /** The roles of the credential that created it, when those were limited. */
      roles: hidden(list(text({ max: 200 })).optional()),
      /** Created by signing in on an HTML page. */
      session: hidden(boolean().optional()),
      /** The provider that the person signed in with on that page. */
      provider: hidden(text({ max: 200 }).optional()),
    },
    {
      access: { read: owner('owner'), create: signedIn, delete: owner('owner') },
      methods: tokensTable.methods,
    },
  )
}

/** The declaration, for the types of clients. */
export type TokensResource = ReturnType<typeof createTokensResource>

/** Returns every possible scope, for validation, forms and descriptions. */
function listScopes(accounts: string, collections: readonly string[]): readonly string[] {
  const names = new Set(['*', ...collections, 'tokens', ...operatorDocuments])
  return [...names].flatMap((name) => {
    const actions = name === accounts ? [...scopeActions, grantAction] : scopeActions
    return actions.map((action) => `${name}:${action}`)
  })
}

/** Documents of operators, which have scopes too. */
const operatorDocuments = ['metrics', 'status', 'audit']
