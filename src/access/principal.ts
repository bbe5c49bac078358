/** Principals: the caller of a request is anonymous, an account, or an external principal. */

import { IDENTITY } from '../definition/model.ts'
import { clientNetwork } from '../http/ip-network.ts'
import type { ReadBudget } from '../limits/read-budget.ts'
import type { Requester } from '../limits/requester.ts'
import type { Actor } from '../store/change-log.ts'
import type { Row } from '../store/row.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import type { Scopes } from './scopes.ts'

export type Principal = Anonymous | Account | ExternalPrincipal | SystemPrincipal

export interface Anonymous {
  readonly kind: 'anonymous'
}

/** An account whose credentials came with the request. */
export interface Account {
  readonly kind: 'account'
  /** The identity of its row, which references hold. */
  readonly identity: string
  readonly roles: ReadonlySet<string>
  /** Digest of the stored password hash; changes with the password. */
  readonly passwordMark: string
  readonly credential: Credential
  /** The administrator who views a page as this account: the page shows nothing that the administrator may not read. */
  readonly within?: Principal
}

/** A caller with a JWT of a trusted issuer and without an account: it may have roles and owns nothing. */
export interface ExternalPrincipal {
  readonly kind: 'external'
  /** Two issuers may use the same subject. */
  readonly issuer: string
  readonly subject: string
  readonly roles: ReadonlySet<string>
}

/** The code of the definition, which has all rights. No request has this caller. */
export interface SystemPrincipal {
  readonly kind: 'system'
  /** None: its rights do not come from roles. */
  readonly roles: ReadonlySet<string>
}

export type Credential =
  | { readonly kind: 'password' }
  | (Limited & { readonly kind: 'jwt'; readonly issuer: string; readonly subject: string })
  | (Limited & {
      readonly kind: 'token'
      readonly identity: string
      readonly scopes: Scopes
      /** Whether it was created by signing in on an HTML page and came in the cookie. */
      readonly session: boolean
      /** The provider that the session was begun with; undefined: none. */
      readonly provider?: string | undefined
    })

/** A credential that expires and may have fewer roles than its account. */
interface Limited {
  /** Undefined: all roles of the account. */
  readonly roles: ReadonlySet<string> | undefined
  /** In the form of a timestamp field. */
  readonly expiresAt: string
}

export const anonymous: Anonymous = Object.freeze({ kind: 'anonymous' })
export const system: SystemPrincipal = Object.freeze({ kind: 'system', roles: new Set<string>() })

/** Returns the scopes of the caller's token; undefined when no scopes limit the caller. */
export function scopesOf(caller: Principal): Scopes | undefined {
  if (caller.kind !== 'account' || caller.credential.kind !== 'token') return undefined
  return caller.credential.scopes
}

/** The same caller, not as a session: the token came in the Authorization field. */
export function withoutSessionFlag(caller: Principal): Principal {
  return caller.kind === 'account' && isSession(caller) ? asToken(caller) : caller
}

/** Whether the caller signed in on an HTML page and sent its cookie. */
export function isSession(caller: Principal): boolean {
  return caller.kind === 'account' && caller.credential.kind === 'token' && caller.credential.session
}

/** Whether the row is the caller's own account. */
export function isOwnAccount(caller: Principal, row: Row): boolean {
  return caller.kind === 'account' && caller.identity === row[IDENTITY]
}

/** Whether the caller proved its password, now or when the session began; tokens and JWTs do not. */
export function mayChangeCredentials(caller: Principal): boolean {
  return isSession(caller) || (caller.kind === 'account' && caller.credential.kind === 'password')
}

/** Memoized, because rights are cached for each principal object. */
const asToken = memoizeByObject((account: Account): Account => {
  const credential = { ...account.credential, session: false }
  return { ...account, credential }
})

/** Identifies an external principal among those of all issuers. */
export function subjectKey({ issuer, subject }: ExternalPrincipal): string {
  return JSON.stringify([issuer, subject])
}

/** The key by which the requests and uploads of an account are counted. */
export function accountKey(identity: string): string {
  return `account ${identity}`
}

/** Returns the key by which requests are counted: the account with all its tokens, else the address. */
export function callerKey(caller: Principal, address: string): string {
  switch (caller.kind) {
    case 'anonymous':
      return `address ${clientNetwork(address)}`
    case 'external':
      return `subject ${subjectKey(caller)}`
    case 'account':
      return accountKey(caller.identity)
    case 'system':
      return 'system'
  }
}

/** The caller and address that dear work is shared among. */
export function requesterOf(
  caller: Principal,
  address: string,
  { readBudget }: { readonly readBudget?: ReadBudget | undefined } = {},
): Requester {
  return { address, caller: callerKey(caller, address), readBudget }
}

/** The account with the credential that it used, or the subject of an issuer. Anonymous has no member. */
export const actorOf = memoizeByObject((caller: Principal): Actor => {
  switch (caller.kind) {
    case 'anonymous':
      return {}
    case 'external':
      return { issuer: caller.issuer, subject: caller.subject }
    case 'system':
      return { name: 'logic' }
    case 'account': {
      const { identity: account, credential } = caller
      if (credential.kind === 'token') return { account, token: credential.identity }
      if (credential.kind === 'password') return { account }
      return { account, issuer: credential.issuer, subject: credential.subject }
    }
  }
})
