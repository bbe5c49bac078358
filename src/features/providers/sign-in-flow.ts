/**
 * The state of a sign-in with a provider, in a cookie of the browser: the service keeps no session. The cookie is Lax, because the callback is a navigation from another site.
 */

import { sealedCookie } from '../../access/sealed-cookie.ts'
import type { DocumentRequest } from '../../requests/context/target.ts'
import type { FlowSecrets } from './code-flow.ts'

export interface SignInFlow extends FlowSecrets {
  readonly provider: string
  /** The path to go to afterwards. */
  readonly next: string
  /** Set where the identity is to be linked to an account; otherwise the person signs in. */
  readonly link?: AccountLink
  /** In milliseconds. */
  readonly expiresAt: number
}

/** The account that asked for a link, with its password and its session at that time: the link ends with each of them. */
export interface AccountLink {
  readonly account: string
  readonly passwordMark: string
  /** The identity of its token; undefined: the password was in the request. */
  readonly session: string | undefined
}

/** In seconds. */
export const flowLifetime = 600

const flowCookie = sealedCookie<SignInFlow>({ name: 'sign-in', lifetime: flowLifetime, sameSite: 'Lax' })

/** Formats Set-Cookie that begins a flow, and that ends one. */
export const { format: formatFlowCookie, formatExpired: formatExpiredFlowCookie } = flowCookie

/** The flow of the browser; undefined where there is none, or it has expired. */
export function findFlow({ service, request }: DocumentRequest): SignInFlow | undefined {
  const flow = flowCookie.find(request, service.encryption)
  return flow && flow.expiresAt > service.clock.now() ? flow : undefined
}
