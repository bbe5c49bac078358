/** The schemes that a definition offers: Basic where there are accounts, Bearer with issuers too. */

import type { Model } from '../declare/model.ts'
import type { Notice } from '../http/happening.ts'
import type { Store } from '../store/store.ts'
import { type Attempts, signInAttempts } from './attempts.ts'
import type { Scheme, Schemes } from './authenticate.ts'
import { basicScheme } from './basic.ts'
import { bearerScheme } from './bearer.ts'
import type { JwtCheck, JwtOptions } from './jwt.ts'
import type { Tokens } from './token.ts'

export interface Surroundings {
  readonly model: Model
  readonly store: Store
  readonly notice: Notice
  readonly now: () => number
  /** Where they are counted elsewhere; else here. */
  readonly attempts?: Attempts | undefined
}

export interface Offered {
  readonly schemes: Schemes
  /** Undefined where there are no accounts to make tokens for. */
  readonly tokens: Tokens | undefined
  readonly attempts: Attempts
}

/** Their names as their specifications spell them, for those who only describe the service. */
export function schemeNamesOf({ accounts, issuers }: Model): readonly string[] {
  const bearer = accounts !== undefined || issuers.length > 0
  return [...(accounts ? ['Basic'] : []), ...(bearer ? ['Bearer'] : [])]
}

export function schemesOf({ model, store, notice, now, ...counted }: Surroundings): Offered {
  const { accounts, identities, issuers } = model
  const tokens = accounts &&
    model.tokens && { resource: model.tokens, accounts, store, now, notice }
  const schemes: Scheme[] = []
  const attempts = counted.attempts ?? signInAttempts(now)
  if (accounts) schemes.push(basicScheme({ accounts, store, now, attempts }))
  if (accounts || issuers.length > 0) {
    const jwt =
      issuers.length > 0
        ? checkOf({ issuers, accounts, identities, store, now, notice })
        : undefined
    schemes.push(bearerScheme(tokens, jwt))
  }
  const offered = new Map(schemes.map((scheme) => [scheme.name.toLowerCase(), scheme]))
  return { schemes: { realm: model.title, offered }, tokens, attempts }
}

/** What reads JWTs is loaded where an issuer is named: most services know none. */
function checkOf(options: JwtOptions): JwtCheck {
  const loaded = import('./jwt.ts').then(({ jwtCheck }) => jwtCheck(options))
  return async (credentials) => (await loaded)(credentials)
}
