/** A route as a resource of the service: who may use it, its content, its signature, and its code. */

import { callerRefusal } from '../../access/access-refusal.ts'
import { authenticate } from '../../access/authenticate.ts'
import { anonymous, type Principal, scopesOf } from '../../access/principal.ts'
import { compileRule } from '../../access/rule-condition.ts'
import { scopesPermit } from '../../access/scopes.ts'
import type { SignedEvent } from '../../definition/logic/verify.ts'
import type { HttpRequest, HttpResponse } from '../../http/message.ts'
import { serviceOrigin } from '../../http/origin.ts'
import { refuse } from '../../refusal.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import { partOf } from '../../requests/context/service-part.ts'
import type { Document, DocumentRequest } from '../../requests/context/target.ts'
import { requireTrustedOrigin } from '../../requests/decisions/permission.ts'
import { requireSecondFactor } from '../../requests/decisions/second-factor.ts'
import type { RouteModel } from './route-model.ts'
import { routeSecrets } from './route-secrets.ts'
import { runRoute } from './run-route.ts'
import { parsePayload, verifySignature } from './verify-signature.ts'

export function createRouteDocument(route: RouteModel): Document {
  return {
    route: route.path,
    summary: `The route ${route.path}`,
    operations: 'route',
    methods: route.methods,
    by: route.by,
    personal: true,
    cache: 'no-store',
    respond: (received) => respond(received, route),
  }
}

/** Refuses 401, 403, 413 and 422 before the code runs. */
async function respond(
  { service, request, target }: DocumentRequest,
  route: RouteModel,
): Promise<HttpResponse> {
  const caller = await requireCaller({ service, request, target }, route)
  const octets = request.content.present ? await request.content.read(route.maxSize) : new Uint8Array()
  const event = route.verify && requireSignature(service, route, { request, octets })
  const uri = serviceOrigin(request) + request.target
  return runRoute(service, { route, caller, request, octets, uri, event })
}

/** Refuses 401 and 403. A cookie is no credential here: pages of other sites could use it. */
async function requireCaller(
  { service, request, target }: DocumentRequest,
  { by }: RouteModel,
): Promise<Principal> {
  if (by.kind === 'anyone') return anonymous
  const { schemes, model } = service
  const { cookie: _, ...fields } = request.fields
  const caller = await authenticate(schemes, { ...request, fields })
  await requireSecondFactor(service, caller, target, request)
  // The code may write with every method.
  requireTrustedOrigin(service, caller, 'POST', request)
  const scopes = scopesOf(caller)
  // The rule depends on no item, so the resource makes no difference.
  const [resource] = model.resources.values()
  const isPermitted = resource && compileRule(by, resource, caller).kind === 'always'
  if (isPermitted && (!scopes || scopesPermit(scopes, '*', 'create'))) return caller
  throw callerRefusal(caller)
}

interface ReceivedContent {
  readonly request: HttpRequest
  readonly octets: Uint8Array
}

/** The event. Refuses 403 a signature that is not valid, and 422 content that `parse` does not take. */
function requireSignature(
  service: ServiceContext,
  route: RouteModel,
  { request, octets }: ReceivedContent,
): SignedEvent | undefined {
  const { verify } = route
  if (!verify) return undefined
  const secrets = verify.secrets
    .map(({ variable }) => partOf(service, routeSecrets).get(variable) ?? '')
    .filter((one) => one !== '')
  const found = verifySignature(verify, secrets, { fields: request.fields, octets }, service.clock.now())
  if ('reason' in found) {
    service.observe({
      kind: 'signature-refused',
      request: request.id,
      route: route.path,
      reason: found.reason,
    })
    throw refuse('forbidden', { detail: 'The signature is not valid.' })
  }
  return { ...found, payload: parsedPayload(route, octets) }
}

function parsedPayload({ verify }: RouteModel, octets: Uint8Array): unknown {
  const payload = parsePayload(octets)
  if (!verify?.parse) return payload
  try {
    return verify.parse(payload)
  } catch (cause) {
    const detail = 'The content does not have the form that this route takes.'
    throw refuse('invalid-content', { detail, errors: [{ pointer: '', rule: 'parse', detail }], cause })
  }
}
