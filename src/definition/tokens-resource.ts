/** Tokens, the service's own resource: credentials that callers make for themselves. */

import { boolean } from './kinds/boolean.ts'
import { choice } from './kinds/choice.ts'
import { list } from './kinds/list.ts'
import { integer } from './kinds/number.ts'
import { ref } from './kinds/ref.ts'
import { text } from './kinds/text.ts'
import { date, timestamp } from './kinds/time.ts'
import { type Resource, resource } from './resource.ts'
import { nobody, owner, signedIn } from './rules.ts'

/** What a scope may permit. `write` is all that changes something. */
const scopeActions = ['read', 'create', 'update', 'delete', 'write'] as const

/** A token that says nothing of scopes has these, and so all the rights of its owner. */
export const allScopes: readonly string[] = Object.freeze(['*:read', '*:write'])

/** In seconds: a year. */
export const maxTokenLifetime = 365 * 86_400

/**
 * Made by a program of their own (write/create-token.ts), which alone sets what no body can. A missing
 * scope, expiry or mark denies, as everywhere: none of them stands for "without limit".
 */
export function createTokensResource(accounts: string, collections: readonly string[]): Resource {
  return resource(
    {
      name: text({ min: 1, max: 100 }).optional(),
      scopes: list(choice(listScopes(collections)), { min: 1, max: 100 }).default([...allScopes]),
      /** In seconds; what it comes to is shown as `expiresAt`. */
      expiresIn: integer({ min: 1, max: maxTokenLifetime }).optional().writeOnly(),
      expiresAt: timestamp().optional().readOnly(),
      lastUsedOn: date().optional().readOnly(),
      owner: ref(accounts, { onDelete: 'cascade' }).fromPrincipal(),
      /** Kept as its SHA-256, and shown as it is only where it is made. */
      token: text({ max: 64 }).unique().optional().readOnly().visibleTo(nobody),
      /** SHA-256 of the owner's password hash when it was made: dead once that is another. */
      passwordMark: text({ max: 64 }).optional().readOnly().visibleTo(nobody),
      /** The roles it stands for, where whoever made it had not all that the account has. */
      roles: list(text({ max: 200 }))
        .optional()
        .readOnly()
        .visibleTo(nobody),
      /** Made by signing in on pages. */
      session: boolean().optional().readOnly().visibleTo(nobody),
    },
    {
      access: { read: owner('owner'), create: signedIn, delete: owner('owner') },
      methods: ['GET', 'POST', 'QUERY', 'DELETE'],
    },
  )
}

/** Every scope there can be: what is listed here is offered in forms and told in descriptions. */
function listScopes(collections: readonly string[]): readonly string[] {
  const names = new Set(['*', ...collections, 'tokens', ...operatorDocuments])
  return [...names].flatMap((name) => scopeActions.map((action) => `${name}:${action}`))
}

/** What operators read, and is no collection. */
const operatorDocuments = ['metrics', 'status']
