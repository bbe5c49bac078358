/** The authentication schemes of a service: Basic for accounts, Bearer for accounts and issuers. */

import type { Model } from '../definition/model.ts'
import { createSignInAttempts, type SignInAttempts } from '../limits/sign-in-attempts.ts'
import type { Observer } from '../observation.ts'
import type { Store } from '../store/store.ts'
import type { TokenContext } from './account-tokens.ts'
import type { AuthenticationScheme, AuthenticationSchemes } from './authenticate.ts'
import { createBasicScheme, createLoginVerifier, type VerifyLogin } from './basic-scheme.ts'
import { hasSecondFactor } from './credentials.ts'
import { createFailedSignIns, type RecordFailure } from './failed-sign-ins.ts'
import type { JwtOptions, JwtVerifier } from './jwt.ts'
import type { PasswordCost } from './password.ts'
import { hasSecretTokenPrefix } from './secret-token.ts'
import { findTokenAccount } from './token-lookup.ts'

export interface AuthenticationOptions {
  readonly model: Model
  readonly store: Store
  readonly observe: Observer
  readonly now: () => number
  /** The cost of new password hashes. */
  readonly passwordCost: PasswordCost
  /** Counts attempts for several processes; without it this process counts its own. */
  readonly attempts?: SignInAttempts | undefined
}

export interface Authentication {
  readonly schemes: AuthenticationSchemes
  /** Undefined for a service without accounts. */
  readonly accounts: AccountAuthentication | undefined
}

/** The parts with which accounts sign in. */
export interface AccountAuthentication {
  readonly tokens: TokenContext
  /** Verifies a login and its password. */
  readonly verifyLogin: VerifyLogin
  /** Records a failed sign-in for the audit. */
  readonly recordFailure: RecordFailure
  /** Failed password checks. */
  readonly signInAttempts: SignInAttempts
}

/** Returns the names of the schemes as spelled in their specifications. */
export function schemeNames({ accounts, issuers }: Model): readonly string[] {
  const bearer = accounts !== undefined || issuers.length > 0
  return [...(accounts ? ['Basic'] : []), ...(bearer ? ['Bearer'] : [])]
}

/** Returns the schemes of the model, with what tokens and sign-in need. */
export function createAuthentication(options: AuthenticationOptions): Authentication {
  const { model, store, observe, now } = options
  const { issuers } = model
  const accounts = createAccountAuthentication(options)
  const schemes: AuthenticationScheme[] = []
  if (accounts) {
    schemes.push(createBasicScheme(accounts.verifyLogin, (account) => hasSecondFactor(model, store, account)))
  }
  if (accounts || issuers.length > 0) {
    const jwt =
      issuers.length > 0
        ? loadJwtVerifier({ model, issuers, accounts: model.accounts, store, now, observe })
        : undefined
    schemes.push(createBearerScheme(accounts?.tokens, jwt))
  }
  const offered = new Map(schemes.map((scheme) => [scheme.name.toLowerCase(), scheme]))
  return { schemes: { realm: model.title, offered }, accounts }
}

function createAccountAuthentication({
  model: { accounts, tokens: resource },
  store,
  observe,
  now,
  passwordCost,
  attempts: signInAttempts = createSignInAttempts(now),
}: AuthenticationOptions): AccountAuthentication | undefined {
  if (!accounts || !resource) return undefined
  const tokens = { resource, accounts, store, now, observe }
  const recordFailure = createFailedSignIns(tokens)
  const verifyLogin = createLoginVerifier({ ...tokens, signInAttempts, passwordCost, recordFailure })
  return { tokens, verifyLogin, recordFailure, signInAttempts }
}

/** The library for JWTs is loaded only for services with issuers. */
function loadJwtVerifier(options: JwtOptions): JwtVerifier {
  const loaded = import('./jwt.ts').then(({ createJwtVerifier: jwtCheck }) => jwtCheck(options))
  return async (credentials) => (await loaded)(credentials)
}

/** The Bearer scheme (RFC 6750): a token of this service, or a JWT of a trusted issuer. */
function createBearerScheme(
  tokens: TokenContext | undefined,
  checkJwt: JwtVerifier | undefined,
): AuthenticationScheme {
  return {
    name: 'Bearer',
    // RFC 6750 §3.1.
    invalid: { error: 'invalid_token' },
    async authenticate(credentials) {
      if (hasSecretTokenPrefix(credentials)) return tokens && findTokenAccount(tokens, credentials)
      return checkJwt?.(credentials)
    },
  }
}
