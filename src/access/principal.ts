/** Who asks: nobody known, an account, or someone an issuer vouches for who has no account here. */

import { IDENTITY } from '../definition/model.ts'
import { clientNetwork } from '../http/ip-network.ts'
import type { Row } from '../store/row.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import type { Scopes } from './scopes.ts'

export type Principal = Anonymous | Account | ExternalPrincipal

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
export interface ExternalPrincipal {
  readonly kind: 'external'
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
export function scopesOf(caller: Principal): Scopes | undefined {
  if (caller.kind !== 'account' || caller.credential.kind !== 'token') return undefined
  return caller.credential.scopes
}

/** The caller as the Authorization field makes it known: never as a session of pages. */
export function withoutSessionFlag(caller: Principal): Principal {
  return caller.kind === 'account' && isSession(caller) ? asToken(caller) : caller
}

/** Whether the account signed in on pages, and sent the cookie it got there. */
export function isSession(caller: Principal): boolean {
  return (
    caller.kind === 'account' && caller.credential.kind === 'token' && caller.credential.session
  )
}

/** Whether the row, of an account, is that of the caller. */
export function isOwnAccount(caller: Principal, row: Row): boolean {
  return caller.kind === 'account' && caller.identity === row[IDENTITY]
}

/** Whether the caller has shown more than a token or a JWT: the password, or a session made with it. */
export function mayChangeCredentials(caller: Principal): boolean {
  return isSession(caller) || (caller.kind === 'account' && caller.credential.kind === 'password')
}

/** Rights are worked out once for each principal, so that there is one of each kind. */
const asToken = memoizeByObject((account: Account): Account => {
  const credential = { ...account.credential, session: false }
  return { ...account, credential }
})

/** What a caller is counted by: its account with all its tokens, else where it calls from. */
export function callerKey(caller: Principal, address: string): string {
  switch (caller.kind) {
    case 'anonymous':
      return `address ${clientNetwork(address)}`
    case 'external':
      return `subject ${caller.subject}`
    case 'account':
      return `account ${caller.identity}`
  }
}
