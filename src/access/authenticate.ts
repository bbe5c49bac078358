/** Who asks: the Authorization field against the schemes on offer (RFC 9110 §11). */

import { formatChallenge, parseAuthorization } from '../http/authorization.ts'
import type { HttpRequest } from '../http/message.ts'
import { refuse } from '../refusal.ts'
import { type Account, anonymous, type Principal } from './principal.ts'

/** By lower-case name, in the order they are offered. */
export type Schemes = ReadonlyMap<string, Scheme>

export interface Scheme {
  /** As its specification spells it. */
  readonly name: string
  /** The account, or undefined where the credentials are not valid. */
  authenticate(credentials: string): Promise<Account | undefined>
}

/** The caller. Credentials that are not valid are refused even where none were needed. */
export async function authenticate(schemes: Schemes, request: HttpRequest): Promise<Principal> {
  const value = request.fields.authorization
  if (value === undefined) return anonymous
  const authorization = parseAuthorization(value)
  const scheme = authorization && schemes.get(authorization.scheme)
  const account = scheme && (await scheme.authenticate(authorization.credentials ?? ''))
  if (account) return account
  throw refuse('unauthenticated', { detail: 'The credentials sent are not valid.' })
}

/** The WWW-Authenticate field: one challenge for each scheme. */
export function challenges(schemes: Schemes, realm: string): string {
  return [...schemes.values()].map(({ name }) => formatChallenge(name, { realm })).join(', ')
}
