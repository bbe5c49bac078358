/** Handles a request: the decisions, in the order of RFC 9110 §13.2 and docs/reference/http.md ("Order of decisions"). */

import { authenticate } from '../access/authenticate.ts'
import { hasTarget, type RequestContent, type RequestContext } from '../context/request-context.ts'
import type { DecisionTrace, RequestTrace } from '../context/request-trace.ts'
import type { ServiceContext } from '../context/service-context.ts'
import type { CollectionTarget, DocumentTable, DocumentTarget, Target } from '../context/target.ts'
import { type HttpRequest, type HttpResponse, noFields } from '../http/message.ts'
import { safeMethods } from '../http/method.ts'
import { serviceOrigin } from '../http/origin.ts'
import { streamCollection } from '../read/collection-stream.ts'
import type { CurrentState } from '../read/current-state.ts'
import { streamEvents } from '../read/event-feed.ts'
import { requireItemAccess } from '../read/item-access.ts'
import { loadCurrentState } from '../read/load-current-state.ts'
import {
  readAggregates,
  readCollection,
  readDocument,
  readItem,
  withCurrentTotal,
} from '../read/read-target.ts'
import { withResponseCache } from '../read/response-cache.ts'
import { eventStream } from '../representations/server-sent-events.ts'
import { requireAllowedMethod, requireKnownMethod, respondToOptions } from '../request/allowed-methods.ts'
import { requireAcceptableContent } from '../request/content.ts'
import { redirectAfterForm, unwrapForm } from '../request/form-request.ts'
import { negotiateFormat } from '../request/negotiate-format.ts'
import { requireCapacity } from '../request/overload.ts'
import { requirePermission, requireTrustedOrigin } from '../request/permission.ts'
import { parsePreferences } from '../request/preferences.ts'
import { limitAddress, limitCaller } from '../request/rate-limits.ts'
import { withReplicaStore } from '../request/replica-choice.ts'
import { resolveTarget } from '../request/resolve-target.ts'
import { parseQuery, type ResolvedQuery, resolveQuery } from '../request/resolved-query.ts'
import { chooseCoding } from '../respond/content-coding.ts'
import { finishResponse, type ViewResponse } from '../respond/finish-response.ts'
import { createMany, isBulk } from '../write/create-bulk.ts'
import { createToken } from '../write/create-token.ts'
import { createWebhook } from '../write/create-webhook.ts'
import { parseIdempotencyKey, replayStoredResponse } from '../write/idempotency.ts'
import { retryLostRaces, type Turn } from '../write/lost-race.ts'
import { performAction } from '../write/perform-action.ts'
import { performOperation } from '../write/webhook-operations.ts'
import { addElement, removeElement } from '../write/write-element.ts'
import { createAtUri, createItem, deleteItem, patchItem, replaceItem } from '../write/write-item.ts'
import { checkPreconditions } from './preconditions.ts'

/** The service, and the documents that it serves beside the collections. */
export interface PipelineContext {
  readonly service: ServiceContext
  readonly documents: DocumentTable
}

/**
 * Returns the response to a request. Each decision passes, refuses by throwing a Refusal, or ends
 * the request by throwing an EarlyResponse. The trace names the decision that was made last.
 */
export async function handleRequest(
  { service, documents }: PipelineContext,
  received: HttpRequest,
  trace: RequestTrace,
): Promise<HttpResponse> {
  const decide = traced(trace, decisions)
  const { model, schemes } = service
  decide('requireCapacity')(service, received) //                              503
  decide('requireKnownMethod')(received) //                                    501
  const request = decide('unwrapForm')(model, received) //                     303, 400, 405
  const target = decide('resolveTarget')(model, documents, request) //         414, 400, 301, 404
  trace.target = target
  const method = decide('requireAllowedMethod')(target, request) //            405 + Allow
  const isOptions = method === 'OPTIONS'
  if (isOptions || hasOwnResponse(target)) {
    trace.rateLimitFields = decide('limitAddress')(service, request) //              429
  }
  if (isOptions) return respondToOptions(service, target, request) //          204
  if (hasOwnResponse(target)) {
    const response = await decide('respondFromDocument')(service, target, request)
    if (response) return response //                                           assets, sign-in
  }
  const caller = await decide('authenticate')(schemes, request) //             429, 401 + challenge
  trace.caller = caller
  if (trace.rateLimitFields === noFields) {
    trace.rateLimitFields = decide('limitCaller')(service, caller, target, request) // 429
  }
  decide('requireTrustedOrigin')(service, caller, method, request) //          403
  decide('requirePermission')(model, caller, method, target) //                401, 403
  const format = decide('negotiateFormat')(target, method, request) //         406
  const coding = decide('chooseCoding')(target, method, request) //            406
  const preferences = decide('parsePreferences')(target, method, request) //   400
  const negotiated = withReplicaStore(
    {
      service,
      caller,
      requestId: request.id,
      address: request.client.address,
      method,
      target,
      format,
      origin: serviceOrigin(request),
      coding,
      preferences,
    },
    request,
  )
  trace.negotiated = negotiated
  const parsed = decide('parseQuery')(negotiated, request) //                  400
  const content = decide('requireAcceptableContent')(negotiated, request) //   400, 413, 415
  trace.content = content
  const query = await decide('resolveQuery')(negotiated, parsed, content) //   400, 413, 422 of QUERY
  using idempotencyKey = await decide('parseIdempotencyKey')(negotiated, request, content) // 400, 413 of forms
  const context: RequestContext = idempotencyKey ? { ...negotiated, idempotencyKey } : negotiated

  const evaluateAndPerform = async () => {
    const current = await decide('loadCurrentState')(context, query)
    await decide('requireItemAccess')(context, current) //                     404, 301, 410, 401, 403
    if (idempotencyKey) await decide('replayStoredResponse')(context, request) //         2xx again, 303, 409, 422
    const notModified = await decide('checkPreconditions')(request, context, current)
    if (notModified) return query.isCounted ? withCurrentTotal(notModified, current) : notModified // 304; 412, 428
    return withResponseCache(context, current, async () => {
      const response = await decide('performMethod')(context, current, query, { request, content }) // 400 … 409
      if (request.viaForm) return redirectAfterForm(context, response) //      303
      return finishResponse(context, response) //                              200, 201, 204
    })
  }
  // Awaited here, so that the key is released after the response is complete.
  return await (safeMethods.has(method)
    ? evaluateAndPerform()
    : retryLostRaces(evaluateAndPerform, turnOf(service, target)))
}

/** Milliseconds of a request with hooks, with all its attempts. */
const hooksTime = 30_000

/** The turn of a request whose code lost races; undefined where it runs none. */
function turnOf({ logic, store }: ServiceContext, target: Target): Turn<HttpResponse> | undefined {
  const resource = 'resource' in target ? target.resource : undefined
  if (!logic || !resource) return undefined
  if (target.kind !== 'action' && !logic.runsHooks(resource)) return undefined
  return {
    milliseconds: hooksTime,
    run: (milliseconds, work) => store.withTurn(resource.name, milliseconds, work),
  }
}

/** The decisions by the names that logs and metrics show. */
const decisions = {
  requireCapacity,
  requireKnownMethod,
  unwrapForm,
  resolveTarget,
  requireAllowedMethod,
  limitAddress,
  respondFromDocument,
  authenticate,
  limitCaller,
  requireTrustedOrigin,
  requirePermission,
  negotiateFormat,
  chooseCoding,
  parsePreferences,
  parseQuery,
  requireAcceptableContent,
  resolveQuery,
  parseIdempotencyKey,
  loadCurrentState,
  requireItemAccess,
  replayStoredResponse,
  checkPreconditions,
  performMethod,
}

/** A function that records the name of a decision and returns the decision, to be called at once. */
function traced<Decisions>(trace: DecisionTrace, decisions: Decisions) {
  return <Name extends keyof Decisions & string>(name: Name): Decisions[Name] => {
    trace.decision = name
    return decisions[name]
  }
}

function hasOwnResponse(target: Target): target is DocumentTarget {
  return target.kind === 'document' && target.document.respond !== undefined
}

/** The document's own response; undefined for a request that is handled like any other. */
function respondFromDocument(service: ServiceContext, target: DocumentTarget, request: HttpRequest) {
  return target.document.respond?.({ service, request, target })
}

/** Reads the content only now: RFC 9110 §13.2.1 evaluates preconditions first. */
async function performMethod(
  context: RequestContext,
  current: CurrentState,
  query: ResolvedQuery,
  { request, content }: { readonly request: HttpRequest; readonly content: RequestContent | undefined },
): Promise<ViewResponse> {
  const { method } = context
  if (context.format === eventStream) return streamEvents(context, current, query, request)
  const { list, isCounted } = query
  if (hasTarget(context, 'item') && context.target.operation !== undefined && current.kind === 'found') {
    return performOperation(context, current)
  }
  const body = await content?.read()
  if (hasTarget(context, 'action')) return performAction(context, current, body)
  if (hasTarget(context, 'document') && current.kind === 'document') {
    return readDocument(context, current)
  }
  if (hasTarget(context, 'collection')) {
    if (method === 'POST') return createInCollection(context, current, body)
    if (list && current.kind === 'streamed') return streamCollection(context, current, { list, isCounted })
    if (list && current.kind === 'aggregates') return readAggregates(context, current, { list, isCounted })
    if (list && (current.kind === 'page' || current.kind === 'unloaded-page')) {
      return readCollection(context, current, { list, isCounted })
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
        return patchItem(context, current, body, content)
      case 'DELETE':
        return deleteItem(context, current)
      default:
        return readItem(context, current)
    }
  }
  if (hasTarget(context, 'element') && current.kind === 'found') {
    return method === 'PUT' ? addElement(context, current) : removeElement(context, current)
  }
  throw new Error(`${method} cannot be performed on a target of kind ${context.target.kind}`)
}

/** POST to a collection creates a token, a webhook, one item, or several. */
function createInCollection(
  context: RequestContext<CollectionTarget>,
  current: CurrentState,
  body: unknown,
): Promise<ViewResponse> {
  const { builtIn } = context.target.resource
  if (builtIn === 'tokens') return createToken(context, body)
  if (builtIn === 'webhooks') return createWebhook(context, body)
  if (isBulk(context, body)) return createMany(context, current, body)
  return createItem(context, current, body)
}
