/** Identifies the caller by the Authorization field or the session cookie (RFC 9110 §11). */

import { formatChallenge, parseAuthorization } from '../http/authorization.ts'
import type { HttpRequest, Peer } from '../http/message.ts'
import { refuse } from '../refusal.ts'
import { anonymous, type Principal, withoutSessionFlag } from './principal.ts'
import { findSessionCookie, formatExpiredSessionCookie } from './session-cookie.ts'

export interface AuthenticationSchemes {
  /** The realm of every challenge (RFC 9110 §11.5). */
  readonly realm: string
  /** By lower-case name, in the order of the challenges. */
  readonly offered: ReadonlyMap<string, AuthenticationScheme>
}

export interface AuthenticationScheme {
  /** As spelled in its specification. */
  readonly name: string
  /** Parameters of the challenge when credentials of this scheme are not valid. */
  readonly invalid: Readonly<Record<string, string>>
  /**
   * Returns the caller, or undefined when the credentials are not valid. Throws InsufficientCredentials where they are
   * valid and must not be used.
   */
  authenticate(credentials: string, client: Peer): Promise<Principal | undefined>
}

/** Thrown for valid credentials that do not suffice; its message says which do. */
export class InsufficientCredentials extends Error {}

/** The parts of a request that identify its caller. */
export type Credentials = Pick<HttpRequest, 'method' | 'fields' | 'client'>

/**
 * Returns the caller. Refuses invalid credentials with 401, even when none were necessary. A service without schemes
 * ignores credentials.
 */
export async function authenticate(schemes: AuthenticationSchemes, request: Credentials): Promise<Principal> {
  if (schemes.offered.size === 0) return anonymous
  const { authorization } = request.fields
  if (authorization !== undefined) return identify(schemes, request, authorization)
  const token = findSessionCookie(request)
  return token === undefined ? anonymous : identify(schemes, request, `Bearer ${token}`, token)
}

async function identify(
  schemes: AuthenticationSchemes,
  request: Credentials,
  value: string,
  token?: string,
): Promise<Principal> {
  const authorization = parseAuthorization(value)
  const scheme = authorization && schemes.offered.get(authorization.scheme)
  const found = await findCaller(scheme, authorization?.credentials ?? '', request)
  if (found && 'kind' in found) return token === undefined ? withoutSessionFlag(found) : found
  throw refuse('unauthenticated', {
    detail: found?.message ?? 'Your credentials are not valid. Check them, or send the request without them.',
    fields: {
      'WWW-Authenticate': formatChallenges(schemes, scheme),
      // Without this the browser would send the invalid cookie again.
      ...(token === undefined ? {} : { 'Set-Cookie': formatExpiredSessionCookie(request.client) }),
    },
  })
}

/** The caller, or why the valid credentials do not suffice; undefined where they are not valid. */
async function findCaller(
  scheme: AuthenticationScheme | undefined,
  credentials: string,
  { client }: Credentials,
): Promise<Principal | InsufficientCredentials | undefined> {
  try {
    return await scheme?.authenticate(credentials, client)
  } catch (error) {
    if (error instanceof InsufficientCredentials) return error
    throw error
  }
}

/** Returns the value of WWW-Authenticate: one challenge for each scheme. */
export function formatChallenges(
  { realm, offered }: AuthenticationSchemes,
  failed?: AuthenticationScheme,
): string {
  return [...offered.values()]
    .map((scheme) => {
      const why = scheme === failed ? scheme.invalid : {}
      return formatChallenge(scheme.name, { realm, ...why })
    })
    .join(', ')
}
