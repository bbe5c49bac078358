/** A route as a resource of the service: who may use it, its content, its signature, and its code. */

import { callerRefusal } from '../../access/access-refusal.ts'
import { authenticate } from '../../access/authenticate.ts'
import { loadPresentCaller } from '../../access/caller-check.ts'
import { anonymous, type Principal, scopesOf } from '../../access/principal.ts'
import { compileRule } from '../../access/rule-condition.ts'
import { scopesPermit } from '../../access/scopes.ts'
import { InvalidPayload, payloadOf, verifySignature } from '../../definition/logic/signature.ts'
import type { SignedEvent } from '../../definition/logic/verify.ts'
import type { HttpRequest, HttpResponse } from '../../http/message.ts'
import { safeMethods } from '../../http/method.ts'
import { serviceOrigin } from '../../http/origin.ts'
import { type Refusal, refuse } from '../../refusal.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import { partOf } from '../../requests/context/service-part.ts'
import type { Document, DocumentRequest } from '../../requests/context/target.ts'
import { requireTrustedOrigin } from '../../requests/decisions/permission.ts'
import { requireSecondFactor } from '../../requests/decisions/second-factor.ts'
import type { RouteModel, VerifierModel } from './route-model.ts'
import { routeSecrets } from './route-secrets.ts'
import { type ReceivedCall, runRoute, runVerifier } from './run-route.ts'

export function createRouteDocument(route: RouteModel): Document {
  const isPrefix = route.path.endsWith('/*')
  return {
    route: route.path.replace(/\*$/, '{path}'),
    ...(isPrefix && { parameter: { type: 'string', description: 'One or more segments.' } }),
    summary: `The route ${route.path}`,
    operations: 'route',
    methods: methodsOf(route),
    by: route.by,
    personal: true,
    cache: 'no-store',
    respond: (received) => respond(received, route),
  }
}

/** Refuses 400, 401, 403, 413 and 422 before the code runs. */
async function respond(received: DocumentRequest, route: RouteModel): Promise<HttpResponse> {
  const { service, request } = received
  const uri = requireUri(request)
  const caller = await requireCaller(received, route)
  const octets = request.content.present ? await request.content.read(route.maxSize) : new Uint8Array()
  const call = { route, caller, request, octets, uri }
  const event = await requireEvent(service, call)
  const findCaller = () => requirePresentCaller(received, route, caller)
  return runRoute(service, { ...call, event, findCaller })
}

/** The URI as the client used it. Refuses 400 a host that no standard `Request` can have, such as one with port 99999. */
function requireUri(request: HttpRequest): string {
  const uri = serviceOrigin(request) + request.target
  if (URL.canParse(uri)) return uri
  throw refuse('malformed-request', { detail: 'The host is not valid.' })
}

/** A route with GET has HEAD too: the same response, without content (RFC 9110 §9.3.2). */
function methodsOf({ methods }: RouteModel): readonly string[] {
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
}

/** Refuses 401 and 403. */
async function requireCaller(received: DocumentRequest, route: RouteModel): Promise<Principal> {
  const { service } = received
  if (!hasCaller(route)) return anonymous
  const caller = await authenticate(service.schemes, credentialsOf(received, route))
  await requirePermitted(received, route, caller)
  return caller
}

/** The caller as it is after code that may have taken a minute. Refuses 401 and 403. */
async function requirePresentCaller(
  received: DocumentRequest,
  route: RouteModel,
  before: Principal,
): Promise<Principal> {
  if (!hasCaller(route)) return anonymous
  const caller = await loadPresentCaller(received.service, credentialsOf(received, route), before)
  await requirePermitted(received, route, caller)
  return caller
}

function hasCaller({ by, cookie }: RouteModel): boolean {
  return by.kind !== 'anyone' || cookie
}

/** Unless the route declares it, a cookie is no credential: pages of other sites could use it. */
function credentialsOf({ request }: DocumentRequest, { cookie }: RouteModel): HttpRequest {
  const { cookie: _, ...others } = request.fields
  return cookie ? request : { ...request, fields: others }
}

async function requirePermitted(
  received: DocumentRequest,
  route: RouteModel,
  caller: Principal,
): Promise<void> {
  const { service, request, target } = received
  const { by, cookie } = route
  const sent = credentialsOf(received, route)
  await requireSecondFactor(service, caller, target, sent)
  // Unless the cookie counts, the code may write with every method.
  const method = cookie ? request.method : 'POST'
  requireTrustedOrigin(service, caller, method, sent)
  const scopes = scopesOf(caller)
  // The rule depends on no item, so the resource makes no difference.
  const [resource] = service.model.resources.values()
  const isPermitted = resource && compileRule(by, resource, caller).kind === 'always'
  const right = safeMethods.has(method) ? 'read' : 'create'
  if (isPermitted && (!scopes || scopesPermit(scopes, '*', right))) return
  throw callerRefusal(caller)
}

/** The event; undefined without `verify`. Refuses 403 a request that is not genuine, and 422 content that `parse` does not take. */
async function requireEvent(service: ServiceContext, call: ReceivedCall): Promise<object | undefined> {
  const { verify } = call.route
  if (!verify) return undefined
  try {
    if (typeof verify === 'object') return requireSignature(service, call, verify)
    const event = await runVerifier(service, call, verify)
    if (event) return event
  } catch (error) {
    throw error instanceof InvalidPayload ? refusalOf(error) : error
  }
  throw notGenuine(service, call, 'The code of the definition returned no event.')
}

function refusalOf(cause: InvalidPayload): Refusal {
  const detail = cause.message
  return refuse('invalid-content', { detail, errors: [{ pointer: '', rule: 'parse', detail }], cause })
}

function requireSignature(service: ServiceContext, call: ReceivedCall, verify: VerifierModel): SignedEvent {
  const { request, octets } = call
  const secrets = verify.secrets
    .map(({ variable }) => partOf(service, routeSecrets).get(variable) ?? '')
    .filter((one) => one !== '')
  const found = verifySignature(verify, secrets, { fields: request.fields, octets }, service.clock.now())
  if ('reason' in found) throw notGenuine(service, call, found.reason)
  return { ...found, payload: payloadOf(verify, octets) }
}

/** The 403, with the reason in the log alone. */
function notGenuine(service: ServiceContext, { request, route }: ReceivedCall, reason: string): Refusal {
  service.observe({ kind: 'signature-refused', request: request.id, route: route.path, reason })
  return refuse('forbidden', { detail: 'The signature is not valid.' })
}
