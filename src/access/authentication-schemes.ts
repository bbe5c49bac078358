/** The schemes that a definition offers: Basic where there are accounts, Bearer with issuers too. */

import type { Model } from '../definition/model.ts'
import type { Observer } from '../observation.ts'
import type { Store } from '../store/store.ts'
import type { Tokens } from './api-token.ts'
import type { Scheme, Schemes } from './authenticate.ts'
import { basicScheme } from './basic-scheme.ts'
import { bearerScheme } from './bearer-scheme.ts'
import type { JwtCheck, JwtOptions } from './jwt.ts'
import { createSignInAttempts, type SignInAttempts } from './sign-in-attempts.ts'

export interface SchemeContext {
  readonly model: Model
  readonly store: Store
  readonly observe: Observer
  readonly now: () => number
  /** Where they are counted elsewhere; else here. */
  readonly attempts?: SignInAttempts | undefined
}

export interface OfferedSchemes {
  readonly schemes: Schemes
  /** Undefined where there are no accounts to make tokens for. */
  readonly tokens: Tokens | undefined
  readonly attempts: SignInAttempts
}

/** Their names as their specifications spell them, for those who only describe the service. */
export function schemeNamesOf({ accounts, issuers }: Model): readonly string[] {
  const bearer = accounts !== undefined || issuers.length > 0
  return [...(accounts ? ['Basic'] : []), ...(bearer ? ['Bearer'] : [])]
}

export function schemesOf({
  model,
  store,
  observe,
  now,
  ...counted
}: SchemeContext): OfferedSchemes {
  const { accounts, identities, issuers } = model
  const tokens = accounts &&
    model.tokens && { resource: model.tokens, accounts, store, now, observe }
  const schemes: Scheme[] = []
  const attempts = counted.attempts ?? createSignInAttempts(now)
  if (accounts) schemes.push(basicScheme({ accounts, store, now, attempts }))
  if (accounts || issuers.length > 0) {
    const jwt =
      issuers.length > 0
        ? checkOf({ issuers, accounts, identities, store, now, observe })
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
