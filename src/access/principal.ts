/** Who asks: nobody known, an account, or someone an issuer vouches for who has no account here. */

import { IDENTITY } from '../declare/model.ts'
import { clientNetwork } from '../http/network.ts'
import { oncePer } from '../once.ts'
import type { Row } from '../store/store.ts'
import type { Scopes } from './scopes.ts'

export type Principal = Anonymous | Account | Outsider

export interface Anonymous {
  readonly kind: 'anonymous'
}

/** An account that proved itself in this very request. */
export interface Account {
  readonly kind: 'account'
  /** The identity of its row, which references hold. */
  readonly identity: string
  readonly roles: ReadonlySet<string>
  /** Of the password it has: another as soon as that is changed. */
  readonly passwordMark: string
  readonly credential: Credential
}

/** Known by an issuer's word alone: it may have roles, and never owns anything. */
export interface Outsider {
  readonly kind: 'outsider'
  /** Issuer and subject together: a subject alone may be two people. */
  readonly subject: string
  readonly roles: ReadonlySet<string>
}

export type Credential =
  | { readonly kind: 'password' }
  | (Limited & { readonly kind: 'jwt' })
  | (Limited & {
      readonly kind: 'token'
      readonly identity: string
      readonly scopes: Scopes
      /** Whether it was made by signing in on pages, and sent in their cookie. */
      readonly session: boolean
    })

/** A credential that ends, and may stand for fewer roles than its account has. */
interface Limited {
  /** The roles it stands for; undefined: those that the account has. */
  readonly roles: ReadonlySet<string> | undefined
  /** In the form of a timestamp field. */
  readonly expiresAt: string
}

export const anonymous: Anonymous = Object.freeze({ kind: 'anonymous' })

/** The scopes that narrow what the caller may do; undefined where nothing does. */
export function scopesOf(who: Principal): Scopes | undefined {
  if (who.kind !== 'account' || who.credential.kind !== 'token') return undefined
  return who.credential.scopes
}

/** The caller as the Authorization field makes it known: never as a session of pages. */
export function withoutSession(who: Principal): Principal {
  return who.kind === 'account' && isSession(who) ? asToken(who) : who
}

/** Whether the account signed in on pages, and sent the cookie it got there. */
export function isSession(who: Principal): boolean {
  return who.kind === 'account' && who.credential.kind === 'token' && who.credential.session
}

/** Whether the row, of an account, is that of the caller. */
export function isOwnAccount(who: Principal, row: Row): boolean {
  return who.kind === 'account' && who.identity === row[IDENTITY]
}

/** Whether the caller has shown more than a token or a JWT: the password, or a session made with it. */
export function mayChangeCredentials(who: Principal): boolean {
  return isSession(who) || (who.kind === 'account' && who.credential.kind === 'password')
}

/** Rights are worked out once for each principal, so that there is one of each kind. */
const asToken = oncePer((account: Account): Account => {
  const credential = { ...account.credential, session: false }
  return { ...account, credential }
})

/** What a caller is counted by: its account with all its tokens, else where it calls from. */
export function callerName(who: Principal, address: string): string {
  switch (who.kind) {
    case 'anonymous':
      return `address ${clientNetwork(address)}`
    case 'outsider':
      return `subject ${who.subject}`
    case 'account':
      return `account ${who.identity}`
  }
}
