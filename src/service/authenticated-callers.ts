/** The callers of requests that other programs handle: identified like those of the service, and judged again at each call. */

import { authenticate, type Credentials } from '../access/authenticate.ts'
import { loadPresentCaller } from '../access/caller-check.ts'
import { type Principal, system } from '../access/principal.ts'
import type { Caller } from '../definition/logic/logic-tools.ts'
import type { AdapterContext } from '../html/adapter.ts'
import type { HttpRequest, HttpResponse } from '../http/message.ts'
import { describeCaller, systemCaller } from '../requests/context/described-caller.ts'
import { createTrace, type RequestTrace, traced } from '../requests/context/request-trace.ts'
import type { ServiceContext } from '../requests/context/service-context.ts'
import { requireTrustedOrigin } from '../requests/decisions/permission.ts'
import { limitCaller } from '../requests/decisions/rate-limits.ts'
import {
  findMissingSecondFactor,
  missingSecondFactor,
  requireSecondFactor,
} from '../requests/decisions/second-factor.ts'
import { respondToThrown } from './observed-request.ts'
import { scripts } from './scripts.ts'

export interface AuthenticatedCallers {
  /** The caller of a request, or the response that refuses it. */
  authenticate(request: HttpRequest): Promise<AuthenticatedCaller | Refused>
  /** The tools with the rights that the caller has at each call. Throws a TypeError for others than `authenticate` has returned. */
  accessOf(caller: unknown): object
  /** The tools with all rights. */
  readonly system: object
}

export interface AuthenticatedCaller {
  readonly caller: Caller
}

export interface Refused {
  readonly response: HttpResponse
}

/** A caller, and the credentials that identified it. */
interface Identification {
  readonly caller: Caller
  readonly principal: Principal
  readonly credentials: Credentials
}

/** `ending` is aborted when the service stops. */
export function createAuthenticatedCallers(
  adapter: AdapterContext,
  ending: AbortSignal,
): AuthenticatedCallers {
  const { service } = adapter
  const identifications = new WeakMap<object, Identification>()
  const createAccess = (caller: Caller, findCaller: () => Promise<Principal>): object =>
    scripts?.createAccess(service, { caller, findCaller, as: accessOf, ending }) ?? {}
  const accessOf = (caller: unknown) => {
    const known = identifications.get(Object(caller))
    if (!known) throw new TypeError("'as' takes a caller that 'authenticate' of this service returned.")
    return createAccess(known.caller, () => loadCaller(service, known))
  }
  return {
    async authenticate(request) {
      const trace = createTrace(service.tracer)
      try {
        const principal = await identify(service, request, trace)
        const caller = await describeCaller(service, principal)
        identifications.set(caller, { caller, principal, credentials: credentialsOf(request) })
        return { caller }
      } catch (thrown) {
        const { response } = await respondToThrown(adapter, request, trace, thrown)
        const fields = { ...trace.rateLimitFields, ...response.fields }
        return { response: { ...response, fields } }
      }
    },
    accessOf,
    system: createAccess(systemCaller, async () => system),
  }
}

/** The decisions on a caller, in the order of those of the service. */
async function identify(
  service: ServiceContext,
  request: HttpRequest,
  trace: RequestTrace,
): Promise<Principal> {
  const decide = traced(trace)
  const caller = await decide(authenticate, service.schemes, request) //                429, 401 + challenge
  trace.caller = caller
  trace.rateLimitFields = decide(limitCaller, service, caller, { route: '' }, request) // 429
  await decide(requireSecondFactor, service, caller, undefined, request) //             403, 303
  decide(requireTrustedOrigin, service, caller, request.method, request) //             403
  return caller
}

/** The parts of the request that identify the caller, without its content. */
function credentialsOf({ method, fields, client }: HttpRequest): Credentials {
  const { authorization, cookie, 'sec-fetch-site': site } = fields
  return { method, client, fields: { authorization, cookie, 'sec-fetch-site': site } }
}

/** The caller with its present rights. Refuses 401 where its credentials have ended, and 403 where they do not suffice any more. */
async function loadCaller(
  service: ServiceContext,
  { principal, credentials }: Identification,
): Promise<Principal> {
  const present = await loadPresentCaller(service, credentials, principal)
  const uri = await findMissingSecondFactor(service, present, undefined)
  if (uri !== undefined) throw missingSecondFactor(uri)
  return present
}
