/** Handles a request: the decisions, in the order of RFC 9110 §13.2 and docs/reference/http.md ("Order of decisions"). */

import { isPermittedAdmin } from '../access/access-refusal.ts'
import { authenticate } from '../access/authenticate.ts'
import { anonymous, type Principal, requesterOf } from '../access/principal.ts'
import { hasSessionCookie } from '../access/session-cookie.ts'
import { type HttpRequest, type HttpResponse, noFields } from '../http/message.ts'
import { type Method, safeMethods } from '../http/method.ts'
import { serviceOrigin } from '../http/origin.ts'
import { type Requester, workFor } from '../limits/requester.ts'
import type { Refusal } from '../refusal.ts'
import { type EntryHandler, requireBatchableContent, requireBatchableTarget } from './batch/perform-batch.ts'
import type { CoreRequest } from './context/core-request.ts'
import { type Admission, hasTarget, type RequestContext } from './context/request-context.ts'
import { createTrace, type RequestTrace, traced } from './context/request-trace.ts'
import type { ServiceContext, Unit } from './context/service-context.ts'
import type { DocumentTable, DocumentTarget, Target } from './context/target.ts'
import { requireAllowedMethod, requireKnownMethod, respondToOptions } from './decisions/allowed-methods.ts'
import { requireAcceptableContent } from './decisions/content.ts'
import { toDryRunResponse } from './decisions/dry-run.ts'
import { negotiateFormat } from './decisions/negotiate-format.ts'
import { requirePermission, requireTrustedOrigin } from './decisions/permission.ts'
import { parsePreferences } from './decisions/preferences.ts'
import { limitAddress, limitCaller, requireCapacity } from './decisions/rate-limits.ts'
import { withReplicaStore } from './decisions/replica-choice.ts'
import { resolveTarget, UnknownPath } from './decisions/resolve-target.ts'
import { parseQuery, resolveQuery } from './decisions/resolved-query.ts'
import { requireSecondFactor } from './decisions/second-factor.ts'
import { findAdministratorTarget } from './explanations/administrator-target.ts'
import type { FeatureCode } from './feature-code.ts'
import {
  loadCurrentState,
  type NestedRequests,
  type Plan,
  performFileMethod,
  performMethod,
  performUpload,
} from './perform-method.ts'
import { checkPreconditions } from './preconditions.ts'
import type { CurrentState } from './read/current-state.ts'
import { requireItemAccess } from './read/item-access.ts'
import { withCurrentTotal } from './read/read-target.ts'
import { cacheResponse, findCachedResponse } from './read/response-cache.ts'
import { repeatWrite } from './repeat-write.ts'
import { chooseCoding } from './respond/content-coding.ts'
import { finishResponse, type ViewResponse } from './respond/finish-response.ts'
import { findRequestedVersion, withMembers } from './versions/requested-version.ts'
import { type CommitChange, commitChange } from './write/commit.ts'
import { parseIdempotencyKey, replayStoredResponse } from './write/idempotency.ts'
import { requireElementAccess } from './write/write-element.ts'

/** The service, the documents that it serves beside the collections, and the code of features that performs requests. */
export interface PipelineContext {
  readonly service: ServiceContext
  readonly documents: DocumentTable
  readonly features: FeatureCode
}

/** A request whose caller is known. */
export interface AdmittedRequest extends PipelineContext {
  readonly caller: Principal
  readonly admission: Admission
  readonly target: Target
  readonly method: Method
  readonly request: CoreRequest
  /** For whom its work is done. */
  readonly requester: Requester
  /** Undefined: the service itself. */
  readonly unit?: Unit
  /** Whether it is part of a dry run. Others say so in their query. */
  readonly isDryRun?: boolean | undefined
}

/**
 * The decisions before the rights of the caller count. Each decision of a request passes, refuses by throwing a Refusal,
 * or ends the request by throwing an EarlyResponse. The trace names the decision that was made last.
 */
export async function admitRequest(
  pipeline: PipelineContext,
  request: CoreRequest,
  trace: RequestTrace,
): Promise<AdmittedRequest | HttpResponse> {
  const decide = traced(trace)
  const { service } = pipeline
  const { model, schemes } = service
  decide(requireCapacity, service, request) //                               503
  decide(requireKnownMethod, request) //                                     501
  const { target: resolved, caller: known } = await resolveForCaller(pipeline, request, trace)
  trace.target = resolved
  const method = decide(requireAllowedMethod, resolved, request) //          405 + Allow
  const isOptions = method === 'OPTIONS'
  if (isOptions || hasOwnResponse(resolved)) {
    trace.rateLimitFields = decide(limitAddress, service, request) //              429
  }
  if (isOptions) return respondToOptions(service, resolved, request) //          204
  if (hasOwnResponse(resolved)) {
    const response = await decide(respondFromDocument, service, resolved, request)
    if (response) return response //                                           assets, sign-in
  }
  const presumed = known ?? (needsNoCaller(resolved, method) ? anonymous : undefined)
  const caller = presumed ?? (await decide(authenticate, schemes, request)) // 429, 401 + challenge
  const admission = { credentials: request, at: service.clock.now() }
  trace.caller = caller
  if (isPermittedAdmin(model, caller, 'status')) trace.marks = []
  if (trace.rateLimitFields === noFields) {
    trace.rateLimitFields = decide(limitCaller, service, caller, resolved, request) // 429
  }
  await decide(requireSecondFactor, service, caller, resolved, request) //   403, 303
  const requester = requesterOf(caller, request.client.address, service)
  return { ...pipeline, caller, admission, target: resolved, method, request, requester }
}

interface ResolvedRequest {
  readonly target: Target
  /** Where the target depends on it. */
  readonly caller?: Principal
}

/** Resolves the target. Of an unknown path, an administrator may have a document; others learn the nearest path. */
async function resolveForCaller(
  { service, documents }: PipelineContext,
  request: CoreRequest,
  trace: RequestTrace,
): Promise<ResolvedRequest> {
  const decide = traced(trace)
  const { model } = service
  try {
    return { target: decide(resolveTarget, model, documents, request) } //     414, 400, 301, 404
  } catch (error) {
    const hasCredentials = request.fields.authorization !== undefined || hasSessionCookie(request)
    if (!(error instanceof UnknownPath) || !hasCredentials) throw error
    const caller = await decide(authenticate, service.schemes, request) //     429, 401 + challenge
    trace.rateLimitFields = decide(limitCaller, service, caller, { route: '' }, request) // 429
    const target = findAdministratorTarget({ model, documents }, caller, request.target)
    if (target) return { target, caller }
    throw decide(suggestNearPath, error, caller) //                              404
  }
}

/** The 404 of an unknown path, with the nearest one that exists for the caller. */
function suggestNearPath(unknown: UnknownPath, caller: Principal): Refusal {
  return unknown.for(caller)
}

/** The decisions after those, and the effect. `respond` performs the plan, and writes the response. */
export async function handleAdmitted(
  admitted: AdmittedRequest,
  trace: RequestTrace,
  respond: (plan: Plan) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const decide = traced(trace)
  const { service, caller, target, method, request, requester } = admitted
  trace.target = target
  decide(requireTrustedOrigin, service, caller, method, request) //          403
  if (target.kind === 'document' && target.document.operations === 'upload') {
    const complete = performAlone(admitted)
    return decide(performUpload, { service, caller, target, request }, complete) // 201, 204, 404, 409 …
  }
  return workFor(requester, async () => respond(await planRequest(admitted, trace)))
}

/** The decisions that need neither the content of a write nor the current state. */
async function planRequest(admitted: Omit<AdmittedRequest, 'requester'>, trace: RequestTrace): Promise<Plan> {
  const decide = traced(trace)
  const {
    service,
    unit = service,
    documents,
    features,
    caller,
    admission,
    target,
    method,
    request,
  } = admitted
  decide(requirePermission, service.model, caller, method, target) //        401, 403
  const version = decide(findRequestedVersion, service.model, target, method, request) // 400
  const format = decide(negotiateFormat, service.model, target, method, request, version) // 406
  const coding = decide(chooseCoding, target, method, request) //            406
  const preferences = decide(parsePreferences, target, method, request) //   400
  const negotiated = withReplicaStore(
    {
      service,
      unit,
      caller,
      admission,
      requestId: request.id,
      address: request.client.address,
      method,
      target,
      format,
      origin: serviceOrigin(request),
      coding,
      preferences,
      ...(hasSessionCookie(request) ? { hasCookie: true } : {}),
      ...(version ? { version } : {}),
    },
    request,
  )
  trace.context = negotiated
  const parsed = await decide(parseQuery, negotiated, request) //            400
  const shown = withMembers(negotiated, parsed.selection)
  const isDryRun = parsed.isDryRun || admitted.isDryRun === true
  const performed = isDryRun ? { ...shown, isDryRun } : shown
  const content = decide(requireAcceptableContent, performed, request) //    400, 413, 415
  trace.content = content
  const query = await decide(resolveQuery, negotiated, parsed, content) //   400, 413, 422 of QUERY
  const idempotencyKey = await decide(parseIdempotencyKey, negotiated, request, content) // 400
  return {
    service,
    documents,
    features,
    // A dry run stores no response under a key.
    context: idempotencyKey && !isDryRun ? { ...performed, idempotencyKey } : performed,
    request,
    query,
    content,
  }
}

/** The outcome of a request: the result of its operation, which is still to be written in a format, or a response. */
export type RequestOutcome = RequestResult | HttpResponse

export interface RequestResult {
  readonly context: RequestContext
  /** The state before the operation. */
  readonly current: CurrentState
  readonly response: ViewResponse
}

export function isResult(outcome: RequestOutcome): outcome is RequestResult {
  return 'context' in outcome
}

/** Performs the request; a write again where another request has changed the state in between. */
export function performPlan(plan: Plan, trace: RequestTrace): Promise<RequestOutcome> {
  const { method, idempotencyKey } = plan.context
  if (safeMethods.has(method)) return attemptPlan(plan, trace)
  const outcome = repeatWrite(plan, (context) => attemptPlan({ ...plan, context }, trace))
  // Released when the result is complete.
  return idempotencyKey ? outcome.finally(() => idempotencyKey[Symbol.dispose]()) : outcome
}

/** Writes a result in its format. */
export async function finishOutcome(outcome: RequestOutcome): Promise<HttpResponse> {
  if (!isResult(outcome)) return outcome
  const { context, current, response } = outcome
  const finished = await finishResponse(context, response)
  if (context.isDryRun) return toDryRunResponse(finished) //                 200, 204
  cacheResponse(context, current, finished)
  return finished //                                                         200, 201, 204
}

/**
 * The decisions on the current state, and the effect, which the request of a batch leaves to it. Throws a LostRace where
 * the state is out of date.
 */
async function attemptPlan(
  plan: Plan,
  trace: RequestTrace,
  addToBatch?: CommitChange,
): Promise<RequestOutcome> {
  const decide = traced(trace)
  const { context, query, request } = plan
  const current = await decide(loadCurrentState, plan)
  await decide(requireItemAccess, context, current) //                       404, 301, 410, 401, 403
  if (hasTarget(context, 'element') && current.kind === 'found')
    await decide(requireElementAccess, context, current) //                  404, 301, 401, 403
  if (context.idempotencyKey) await decide(replayStoredResponse, context) // 2xx again, 409, 422
  const notModified = await decide(checkPreconditions, request, context, current)
  if (notModified) return query.isCounted ? withCurrentTotal(notModified, current) : notModified // 304; 412, 428
  if (hasTarget(context, 'file', 'storedFile') && current.kind === 'found') {
    const response = await decide(performFileMethod, plan.features, context, current, plan)
    return query.isDryRun ? toDryRunResponse(response) : response //           200, 201, 204, 206, 416 …
  }
  const cached = findCachedResponse(context, current)
  if (cached) return cached
  const performed = await decide(performMethod, plan, current, nestedRequests(plan)) // 400 … 409
  const response =
    'writes' in performed
      ? await (addToBatch ? addToBatch(context, performed) : decide(commitChange, context, performed)) // 403, 409, 413, 422
      : performed
  return { context, current, response }
}

/** The parts of a request that the requests inside it share. */
type OuterRequest = Pick<
  AdmittedRequest,
  'service' | 'documents' | 'features' | 'caller' | 'admission' | 'isDryRun'
>

function nestedRequests({ service, documents, features, context }: Plan): NestedRequests {
  const { caller, admission, isDryRun } = context
  const outer = { service, documents, features, caller, admission }
  return { handleEntry: handleEntry(outer), performAlone: performAlone({ ...outer, isDryRun }) }
}

/** Handles a request of a batch: the decisions after authentication, once. */
function handleEntry(outer: OuterRequest): EntryHandler {
  const { service } = outer
  return async (unit, request, addToBatch) => {
    const trace = createTrace(service.tracer)
    const target = resolveTarget(service.model, outer.documents, request)
    const method = requireAllowedMethod(target, request)
    requireBatchableTarget(target, method)
    const plan = await planRequest({ ...outer, unit, target, method, request }, trace)
    requireBatchableContent(plan.context, await plan.content?.read())
    const outcome = await attemptPlan(plan, trace, addToBatch)
    return { context: plan.context, response: await finishOutcome(outcome) }
  }
}

/** Performs another request for the caller, such as that which an upload completes: the decisions after authentication. */
function performAlone(outer: OuterRequest) {
  const { service } = outer
  return async (request: HttpRequest) => {
    const trace = createTrace(service.tracer)
    const target = resolveTarget(service.model, outer.documents, request)
    const method = requireAllowedMethod(target, request)
    const plan = await planRequest({ ...outer, target, method, request }, trace)
    return finishOutcome(await performPlan(plan, trace))
  }
}

function hasOwnResponse(target: Target): target is DocumentTarget {
  return target.kind === 'document' && target.document.respond !== undefined
}

/** Whether the content of the request proves who sends it, as that of a sign-in. */
function needsNoCaller(target: Target, method: Method): boolean {
  return target.kind === 'document' && method === 'POST' && target.document.form?.authenticates === false
}

/** The document's own response; undefined for a request that is handled like any other. */
function respondFromDocument(service: ServiceContext, target: DocumentTarget, request: HttpRequest) {
  return target.document.respond?.({ service, request, target })
}
