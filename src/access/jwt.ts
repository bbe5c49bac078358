/**
 * Verifies JSON Web Tokens (RFC 7519) of the declared issuers. Keys and algorithms come from the
 * definition, never from the token. Claims are checked before keys are fetched.
 */

import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose'
import type { IssuerModel } from '../definition/issuer-model.ts'
import type { AccountsModel, Model } from '../definition/model.ts'
import type { Observer } from '../observation.ts'
import { unavailable } from '../refusal.ts'
import type { Store } from '../store/store.ts'
import { accountFromRow } from './basic-scheme.ts'
import { findBoundAccount } from './bound-account.ts'
import { credentialsOf } from './credentials.ts'
import { createKeySource, type KeySet, type KeySource } from './jwks.ts'
import type { Principal } from './principal.ts'

export type JwtVerifier = (credentials: string) => Promise<Principal | undefined>

export interface JwtOptions {
  readonly model: Model
  readonly issuers: readonly IssuerModel[]
  readonly accounts: AccountsModel | undefined
  readonly store: Store
  readonly now: () => number
  readonly observe: Observer
}

/** In seconds: clocks differ (RFC 7519 §4.1.4). */
const skew = 60

/** Returns a function from credentials to their principal, or undefined when they are not valid. */
export function createJwtVerifier(options: JwtOptions): JwtVerifier {
  const { issuers, now, observe } = options
  const keysOf = new Map(
    issuers.map((model) => {
      const onFailure = (cause: unknown) =>
        observe({ kind: 'issuer-unavailable', issuer: model.issuer, cause })
      return [model, createKeySource({ uri: model.jwks, now, onFailure })]
    }),
  )
  return async (credentials) => {
    const issuer = issuers.find((one) => isPlausible(one, credentials, now()))
    const keys = issuer && keysOf.get(issuer)
    if (!keys) return undefined
    const payload = await verifyWithRefresh(credentials, keys, verifyOptions(issuer, now()))
    return payload && createPrincipal(options, issuer, payload)
  }
}

/** Checks all but the signature, so that no keys are fetched for an invalid token. */
function isPlausible(issuer: IssuerModel, credentials: string, now: number): boolean {
  const parts = decodeToken(credentials)
  if (!parts) return false
  const { header, payload } = parts
  const audience = [payload.aud].flat()
  return (
    payload.iss === issuer.issuer &&
    issuer.audience.some((one) => audience.includes(one)) &&
    typeof payload.exp === 'number' &&
    payload.exp > now / 1000 - skew &&
    typeof header.alg === 'string' &&
    issuer.algorithms.includes(header.alg) &&
    // RFC 7515 §4.1.11: extensions that are not understood must be refused.
    header.crit === undefined
  )
}

function decodeToken(credentials: string) {
  try {
    return { header: decodeProtectedHeader(credentials), payload: decodeJwt(credentials) }
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined
    throw error
  }
}

function verifyOptions({ issuer, audience, algorithms }: IssuerModel, now: number): JWTVerifyOptions {
  return {
    issuer,
    audience: [...audience],
    algorithms: [...algorithms],
    requiredClaims: ['exp'],
    clockTolerance: skew,
    currentDate: new Date(now),
  }
}

/** Returns the claims of a valid token, or undefined. Refuses with 503 when there are no keys. */
async function verifyWithRefresh(
  credentials: string,
  keys: KeySource,
  rules: JWTVerifyOptions,
): Promise<JWTPayload | undefined> {
  const known = await keys.current()
  if (!known) throw unavailable('The keys of the token issuer cannot be fetched.')
  const attempt = await verify(credentials, known, rules)
  if (attempt !== 'unknown-key') return attempt
  const newer = await keys.newer(known)
  const again = newer && (await verify(credentials, newer, rules))
  return again === 'unknown-key' ? undefined : again
}

async function verify(credentials: string, keys: KeySet, rules: JWTVerifyOptions) {
  try {
    return (await jwtVerify(credentials, keys, rules)).payload
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return 'unknown-key'
    // An unusable key verifies nothing.
    if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined
    throw error
  }
}

/** Returns the account that the issuer's login claim names, or an external principal. */
async function createPrincipal(
  { model, accounts, store, now }: JwtOptions,
  issuer: IssuerModel,
  payload: JWTPayload,
): Promise<Principal | undefined> {
  const claimed = issuer.roles === undefined ? undefined : parseRoles(payload[issuer.roles])
  const resource = credentialsOf(model)
  if (issuer.login === undefined || !accounts || !resource) {
    if (typeof payload.sub !== 'string' || payload.sub === '') return undefined
    return { kind: 'external', issuer: issuer.issuer, subject: payload.sub, roles: claimed ?? new Set() }
  }
  const { sub: subject } = payload
  if (typeof subject !== 'string' || subject === '') return undefined
  const login = payload[issuer.login]
  // Otherwise anyone could register the address of another person with the issuer.
  if (issuer.login === 'email' && payload.email_verified !== true) return undefined
  if (typeof login !== 'string') return undefined
  const arrival = { issuer: issuer.issuer, subject, login }
  const row = await findBoundAccount({ model, resource, accounts, store, now }, arrival)
  if (!row) return undefined
  const account = accountFromRow(accounts, row)
  if (!account) return undefined
  // Verification requires `exp`.
  const expiresAt = new Date(Number(payload.exp) * 1000).toISOString()
  const credential = { kind: 'jwt', issuer: issuer.issuer, subject, roles: claimed, expiresAt } as const
  return { ...account, roles: claimed ?? account.roles, credential }
}

/** Reads a list of roles, or names separated by spaces as in `scope`. */
function parseRoles(claim: unknown): ReadonlySet<string> {
  const names = typeof claim === 'string' ? claim.split(' ') : [claim].flat()
  return new Set(names.filter((name): name is string => typeof name === 'string' && name !== ''))
}
