/** How a request is handled: the decisions, in the order of RFC 9110 §13.2 and docs/reference/http.md. */

import { authenticate } from '../access/authenticate.ts'
import { hasTarget, type RequestContent, type RequestContext } from '../context/request-context.ts'
import type { DecisionTrace, RequestTrace } from '../context/request-trace.ts'
import type { ServiceContext } from '../context/service-context.ts'
import type { CollectionTarget, DocumentTable, DocumentTarget, Target } from '../context/target.ts'
import { redirectAfterForm, unwrapForm } from '../html-pages/form-request.ts'
import { type HttpRequest, type HttpResponse, noFields } from '../http/message.ts'
import { safeMethods } from '../http/method.ts'
import { originOf } from '../http/origin.ts'
import { streamCollection } from '../read/collection-stream.ts'
import type { CurrentState } from '../read/current-state.ts'
import { loadCurrentState, requireItemAccess } from '../read/load-current-state.ts'
import { readCollection, readDocument, readItem } from '../read/read-target.ts'
import { withResponseCache } from '../read/response-cache.ts'
import { limitAddress, limitCaller, requireOwnOrigin } from '../request/caller-limits.ts'
import { requireAcceptableContent } from '../request/content.ts'
import { negotiate } from '../request/negotiation.ts'
import { parsePreferences } from '../request/preferences.ts'
import { chooseStore } from '../request/replica-choice.ts'
import {
  requireAllowedMethod,
  requireCapacityAndKnownMethod,
  requirePermission,
  respondToOptions,
} from '../request/request-checks.ts'
import { parseQuery, type ResolvedQuery, resolveQuery } from '../request/resolved-query.ts'
import { resolveTarget } from '../request/target.ts'
import { chooseCoding } from '../respond/content-coding.ts'
import { finishResponse, type ViewResponse } from '../respond/finish-response.ts'
import type { MaybePromise } from '../store/store.ts'
import { createMany, isBulk } from '../write/create-bulk.ts'
import { createToken } from '../write/create-token.ts'
import { parseIdempotencyKey, replayResponse } from '../write/idempotency.ts'
import { retryLostRaces } from '../write/lost-race.ts'
import { createAtUri, createItem, deleteItem, patchItem, replaceItem } from '../write/write-item.ts'
import { requirePreconditions } from './preconditions.ts'

/** What requests are handled with: the service, and the documents it serves beside the collections. */
export interface RequestHandling {
  readonly service: ServiceContext
  readonly documents: DocumentTable
}

/**
 * The response to a request. Each decision either passes, refuses by throwing a Refusal, or ends the
 * request by throwing an EarlyResponse; the trace names the decision that was made last.
 */
export async function handleRequest(
  { service, documents }: RequestHandling,
  received: HttpRequest,
  trace: RequestTrace,
): Promise<HttpResponse> {
  const decide = traced(trace, decisions)
  const { model, schemes } = service
  decide('requireCapacityAndKnownMethod')(service, received) //                503, 501
  const request = decide('unwrapForm')(model, received) //                     303, 400, 405
  const target = decide('resolveTarget')(model, documents, request) //         414, 400, 301, 404
  trace.target = target
  const method = decide('requireAllowedMethod')(target, request) //            405 + Allow
  const isOptions = method === 'OPTIONS'
  if (isOptions || hasOwnResponse(target)) {
    trace.allowance = decide('limitAddress')(service, request) //              429
  }
  if (isOptions) return respondToOptions(service, target, request) //        204
  if (hasOwnResponse(target)) {
    const own = await decide('respondFromDocument')(service, target, request) // assets, sign-in
    if (own) return own
  }
  const caller = await decide('authenticate')(schemes, request) //             429, 401 + challenge
  trace.caller = caller
  if (trace.allowance === noFields) {
    trace.allowance = decide('limitCaller')(service, caller, target, request) // 429
  }
  decide('requireOwnOrigin')(service, caller, method, request) //              403
  decide('requirePermission')(model, caller, method, target) //                401, 403
  const format = decide('negotiate')(target, method, request) //               406
  const coding = decide('chooseCoding')(target, method, request) //            406
  const preferences = decide('parsePreferences')(target, method, request) //   400
  const origin = originOf(request)
  const { address } = request.peer
  const chosen = { format, origin, coding, preferences }
  const negotiated = chooseStore({ service, caller, method, target, address, ...chosen }, request)
  trace.negotiated = negotiated
  const parsed = decide('parseQuery')(negotiated, request) //                  400
  const content = decide('requireAcceptableContent')(negotiated, request) //   400, 413, 415
  trace.content = content
  const query = await decide('resolveQuery')(negotiated, parsed, content) //   400, 413, 422 of QUERY
  using key = await decide('parseIdempotencyKey')(negotiated, request, content) // 400, 413 of forms
  const context: RequestContext = key ? { ...negotiated, key } : negotiated

  const respond = async () => {
    const current = await decide('loadCurrentState')(context, query)
    await decide('requireItemAccess')(context, current) //                     404, 301, 410, 401, 403
    if (key) await decide('replayResponse')(context) //                        2xx again, 409, 422
    const unchanged = await decide('requirePreconditions')(request, context, current) // 304, 412, 428
    if (unchanged) return unchanged
    return withResponseCache(context, current, async () => {
      const response = await decide('performMethod')(context, current, query, content) // 400 … 409
      if (request.viaForm) return redirectAfterForm(context, response) //    303
      return finishResponse(context, response) //                            200, 201, 204
    })
  }
  // Awaited here, so that the key is released after the response is there.
  return await (safeMethods.has(method) ? respond() : retryLostRaces(respond))
}

/** By the names that logs and metrics show. */
const decisions = {
  requireCapacityAndKnownMethod,
  unwrapForm,
  resolveTarget,
  requireAllowedMethod,
  limitAddress,
  respondFromDocument,
  authenticate,
  limitCaller,
  requireOwnOrigin,
  requirePermission,
  negotiate,
  chooseCoding,
  parsePreferences,
  parseQuery,
  requireAcceptableContent,
  resolveQuery,
  parseIdempotencyKey,
  loadCurrentState,
  requireItemAccess,
  replayResponse,
  requirePreconditions,
  performMethod,
}

function hasOwnResponse(target: Target): target is DocumentTarget {
  return target.kind === 'document' && target.document.respond !== undefined
}

/** The response of a document that handles requests by itself; undefined where it is shown as others are. */
function respondFromDocument(
  service: ServiceContext,
  target: DocumentTarget,
  request: HttpRequest,
) {
  return target.document.respond?.({ service, request, target })
}

/** Reads the content only now: RFC 9110 §13.2.1 evaluates preconditions first. */
async function performMethod(
  context: RequestContext,
  current: CurrentState,
  { list, counted }: ResolvedQuery,
  content: RequestContent | undefined,
): Promise<ViewResponse> {
  const { method } = context
  const body = await content?.read()
  if (hasTarget(context, 'document') && current.kind === 'document') {
    return readDocument(context, current)
  }
  if (hasTarget(context, 'collection')) {
    if (method === 'POST') return createInCollection(context, current, body)
    if (list && current.kind === 'streamed') return streamCollection(context, list)
    if (list && (current.kind === 'page' || current.kind === 'revised')) {
      return readCollection(context, current, { list, counted })
    }
  }
  if (hasTarget(context, 'item') && current.kind === 'absent' && method === 'PUT') {
    return createAtUri(context, current, body)
  }
  if (hasTarget(context, 'item') && current.kind === 'found') {
    switch (method) {
      case 'PUT':
        return replaceItem(context, current, body)
      case 'PATCH':
        return patchItem(context, current, body, content?.patch)
      case 'DELETE':
        return deleteItem(context, current)
      default:
        return readItem(context, current)
    }
  }
  throw new Error(`${method} cannot be performed on a target of kind ${context.target.kind}`)
}

/** Creates a token, one item, or many. */
function createInCollection(
  context: RequestContext<CollectionTarget>,
  current: CurrentState,
  body: unknown,
): MaybePromise<ViewResponse> {
  if (context.target.resource.own === 'tokens') return createToken(context, body)
  if (isBulk(context, body)) return createMany(context, current, body)
  return createItem(context, current, body)
}

/** A function that records the name of a decision and returns the decision, to be called at once. */
export function traced<Decisions>(trace: DecisionTrace, decisions: Decisions) {
  return <Name extends keyof Decisions & string>(name: Name): Decisions[Name] => {
    trace.decision = name
    return decisions[name]
  }
}
