/** Who asks: the Authorization field against the schemes on offer (RFC 9110 §11). */

import { formatChallenge, parseAuthorization } from '../http/authorization.ts'
import type { HttpRequest, Peer } from '../http/message.ts'
import { refuse } from '../refusal.ts'
import { andThen, type MaybePromise } from '../store/store.ts'
import { anonymous, type Principal, withoutSessionFlag } from './principal.ts'
import { findSessionCookie, formatExpiredSessionCookie } from './session-cookie.ts'

export interface AuthenticationSchemes {
  /** What the challenges say is being protected. */
  readonly realm: string
  /** By lower-case name, in the order they are offered. */
  readonly offered: ReadonlyMap<string, AuthenticationScheme>
}

export interface AuthenticationScheme {
  /** As its specification spells it. */
  readonly name: string
  /** What its challenge adds where its credentials were sent and are not valid. */
  readonly invalid: Readonly<Record<string, string>>
  /** The caller, or undefined where the credentials are not valid. */
  authenticate(credentials: string, peer: Peer): MaybePromise<Principal | undefined>
}

/** The caller. Credentials that are not valid are refused even where none were needed. */
export function authenticate(
  schemes: AuthenticationSchemes,
  request: HttpRequest,
): MaybePromise<Principal> {
  const { authorization } = request.fields
  if (authorization !== undefined) return identify(schemes, request, authorization)
  const token = findSessionCookie(request)
  return token === undefined ? anonymous : identify(schemes, request, `Bearer ${token}`, token)
}

function identify(
  schemes: AuthenticationSchemes,
  request: HttpRequest,
  value: string,
  token?: string,
): MaybePromise<Principal> {
  const authorization = parseAuthorization(value)
  const scheme = authorization && schemes.offered.get(authorization.scheme)
  const caller = scheme?.authenticate(authorization?.credentials ?? '', request.peer)
  return andThen(caller, (known) => {
    if (known) return token === undefined ? withoutSessionFlag(known) : known
    throw refuse('unauthenticated', {
      detail: 'The credentials sent are not valid.',
      fields: {
        'WWW-Authenticate': formatChallenges(schemes, scheme),
        // A cookie that is good for nothing any more would be refused again and again.
        ...(token === undefined ? {} : { 'Set-Cookie': formatExpiredSessionCookie(request.peer) }),
      },
    })
  })
}

/** The WWW-Authenticate field: one challenge for each scheme. */
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
