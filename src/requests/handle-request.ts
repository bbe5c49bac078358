/** Handles a request: the decisions, in the order of RFC 9110 §13.2 and docs/reference/http.md ("Order of decisions"). */

import { isPermittedAdmin } from '../access/access-refusal.ts'
import { authenticate } from '../access/authenticate.ts'
import { type Principal, requesterOf } from '../access/principal.ts'
import { hasSessionCookie } from '../access/session-cookie.ts'
import { performFileMethod, performUpload } from '../features/files/perform-on-files.ts'
import { requireSecondFactor } from '../features/second-factors/require-second-factor.ts'
import { redirectCrossSiteNavigation } from '../html/forms/cross-site-navigation.ts'
import { redirectAfterForm, type UnwrappedRequest, unwrapForm } from '../html/forms/form-request.ts'
import { requireFinishedSearch } from '../html/forms/form-search.ts'
import { mergeEdit } from '../html/forms/merge-edit.ts'
import { findNotice, withShownNotice } from '../html/forms/notice.ts'
import { formatForReader } from '../html/html.ts'
import { findPreview, toPreviewResponse } from '../html/view-as/access-preview.ts'
import { type HttpRequest, type HttpResponse, noFields } from '../http/message.ts'
import { type Method, safeMethods } from '../http/method.ts'
import { serviceOrigin } from '../http/origin.ts'
import { workFor } from '../limits/requester.ts'
import { type EntryHandler, requireBatchableContent, requireBatchableTarget } from './batch/perform-batch.ts'
import { hasTarget, type RequestContext } from './context/request-context.ts'
import { createTrace, type RequestTrace } from './context/request-trace.ts'
import type { ServiceContext } from './context/service-context.ts'
import type { DocumentTable, DocumentTarget, Target } from './context/target.ts'
import { requireAllowedMethod, requireKnownMethod, respondToOptions } from './decisions/allowed-methods.ts'
import { requireAcceptableContent } from './decisions/content.ts'
import { toDryRunResponse } from './decisions/dry-run.ts'
import { negotiateFormat } from './decisions/negotiate-format.ts'
import { requireCapacity } from './decisions/overload.ts'
import { requirePermission, requireTrustedOrigin } from './decisions/permission.ts'
import { parsePreferences } from './decisions/preferences.ts'
import { limitAddress, limitCaller } from './decisions/rate-limits.ts'
import { withReplicaStore } from './decisions/replica-choice.ts'
import { resolveTarget } from './decisions/resolve-target.ts'
import { parseQuery, resolveQuery } from './decisions/resolved-query.ts'
import { findExplanation } from './explanations/explained-access.ts'
import { loadCurrentState, type NestedRequests, type Plan, performMethod } from './perform-method.ts'
import { checkPreconditions } from './preconditions.ts'
import { requireItemAccess } from './read/item-access.ts'
import { withCurrentTotal } from './read/read-target.ts'
import { withResponseCache } from './read/response-cache.ts'
import { repeatWrite } from './repeat-write.ts'
import { chooseCoding } from './respond/content-coding.ts'
import { finishResponse } from './respond/finish-response.ts'
import type { TableBehaviours } from './table-behaviour.ts'
import { traced } from './traced-decision.ts'
import { findRequestedVersion, withMembers } from './versions/requested-version.ts'
import { type CommitChange, commitChange } from './write/commit.ts'
import { parseIdempotencyKey, replayStoredResponse } from './write/idempotency.ts'
import { isChange } from './write/planned-change.ts'
import { requireElementAccess } from './write/write-element.ts'

/** The service, the documents that it serves beside the collections, and the code of built-in tables. */
export interface PipelineContext {
  readonly service: ServiceContext
  readonly documents: DocumentTable
  readonly tables: TableBehaviours
}

/**
 * Returns the response to a request. Each decision passes, refuses by throwing a Refusal, or ends
 * the request by throwing an EarlyResponse. The trace names the decision that was made last.
 */
export async function handleRequest(
  { service, documents, tables }: PipelineContext,
  received: HttpRequest,
  trace: RequestTrace,
): Promise<HttpResponse> {
  const decide = traced(trace)
  const { model, schemes } = service
  decide(requireCapacity, service, received) //                              503
  decide(requireKnownMethod, received) //                                    501
  const request = decide(unwrapForm, model, received) //                     303, 400, 405
  const resolved = decide(resolveTarget, model, documents, request) //       414, 400, 301, 404
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
  const caller = await decide(authenticate, schemes, request) //             429, 401 + challenge
  trace.caller = caller
  if (isPermittedAdmin(model, caller, 'status')) trace.marks = []
  if (trace.rateLimitFields === noFields) {
    trace.rateLimitFields = decide(limitCaller, service, caller, resolved, request) // 429
  }
  decide(redirectCrossSiteNavigation, service, caller, resolved, method, request) // 200 for a page
  await decide(requireSecondFactor, service, caller, resolved, request) //   403, 303
  const explained = findExplanation({ model, documents }, caller, method, resolved)
  const preview = await decide(findPreview, service, caller, explained, request) // 400
  const target = preview?.target ?? explained
  trace.target = target
  decide(requireTrustedOrigin, service, caller, method, request) //          403
  if (target.kind === 'document' && target.document.operations === 'upload') {
    const complete = performAlone({ service, documents, tables, caller })
    return decide(performUpload, { service, caller, target, request }, complete) // 201, 204, 404, 409 …
  }
  const authenticated = { service, documents, tables, caller, target, method, request, ...preview }
  return workFor(requesterOf(caller, request.client.address, service), async () => {
    const plan = await planRequest(authenticated, trace)
    if (preview) return toPreviewResponse(await performRequest(plan, trace))
    return safeMethods.has(method) ? await performRequest(plan, trace) : performWrite(plan, trace)
  })
}

/** A request whose caller is known. */
interface AuthenticatedRequest extends PipelineContext {
  readonly caller: Principal
  readonly target: Target
  readonly method: Method
  readonly request: UnwrappedRequest
  readonly viewedAs?: RequestContext['viewedAs']
  /** Whether it is part of a dry run. Others say so in their query. */
  readonly isDryRun?: boolean | undefined
}

/** The decisions that need neither the content of a write nor the current state. */
async function planRequest(authenticated: AuthenticatedRequest, trace: RequestTrace): Promise<Plan> {
  const decide = traced(trace)
  const { service, documents, tables, caller, target, method, request, viewedAs } = authenticated
  decide(requirePermission, service.model, caller, method, target) //        401, 403
  const version = decide(findRequestedVersion, service.model, target, method, request) // 400
  const negotiatedFormat = decide(negotiateFormat, service.model, target, method, request, version) // 406
  const format = formatForReader(service.model, negotiatedFormat, request.fields['accept-language'])
  const coding = decide(chooseCoding, target, method, request) //            406
  const preferences = decide(parsePreferences, target, method, request) //   400
  const notice = findNotice({ target, format, method }, request)
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
      ...(hasSessionCookie(request) ? { hasCookie: true } : {}),
      ...(version ? { version } : {}),
      ...(notice ? { notice } : {}),
      ...(viewedAs === undefined ? {} : { viewedAs }),
    },
    request,
  )
  trace.context = negotiated
  const parsed = decide(parseQuery, negotiated, request) //                  400
  const shown = withMembers(negotiated, parsed.selection)
  const isDryRun = parsed.isDryRun || authenticated.isDryRun === true
  const performed = isDryRun ? { ...shown, isDryRun } : shown
  const content = decide(requireAcceptableContent, performed, request) //    400, 413, 415
  trace.content = content
  const query = await decide(resolveQuery, negotiated, parsed, content) //   400, 413, 422 of QUERY
  const idempotencyKey = await decide(parseIdempotencyKey, negotiated, request, content) // 400, 413 of forms
  return {
    documents,
    tables,
    // A dry run stores no response under a key.
    context: idempotencyKey && !isDryRun ? { ...performed, idempotencyKey } : performed,
    request,
    query,
    content,
  }
}

/** Performs a write, and again where another request has changed the state in between. */
function performWrite(plan: Plan, trace: RequestTrace): Promise<HttpResponse> {
  const { idempotencyKey } = plan.context
  const response = repeatWrite(plan, (context) => performRequest({ ...plan, context }, trace))
  // Released when the response is complete.
  return idempotencyKey ? response.finally(() => idempotencyKey[Symbol.dispose]()) : response
}

/**
 * The decisions on the current state, and the effect, which the request of a batch leaves to it. Throws a LostRace where
 * the state is out of date.
 */
async function performRequest(
  plan: Plan,
  trace: RequestTrace,
  addToBatch?: CommitChange,
): Promise<HttpResponse> {
  const decide = traced(trace)
  const { context, query, content } = plan
  const current = await decide(loadCurrentState, context, query)
  await decide(requireItemAccess, context, current) //                       404, 301, 410, 401, 403
  if (hasTarget(context, 'element') && current.kind === 'found')
    await decide(requireElementAccess, context, current) //                  404, 301, 401, 403
  if (context.idempotencyKey) await decide(replayStoredResponse, context, plan.request, content) // 2xx again, 303, 409, 422
  const isEdit = plan.request.hasFormMatch === true
  const request = isEdit ? await decide(mergeEdit, plan, current) : plan.request // 400, 413
  const notModified = await decide(checkPreconditions, request, context, current)
  if (notModified) return query.isCounted ? withCurrentTotal(notModified, current) : notModified // 304; 412, 428
  if (hasTarget(context, 'file') && current.kind === 'found') {
    const response = await decide(performFileMethod, context, current, plan)
    return query.isDryRun ? toDryRunResponse(response) : response //           200, 201, 204, 206, 416 …
  }
  if (request.viaForm) await decide(requireFinishedSearch, request, context.target, content) // 422 of forms
  return withResponseCache(context, current, async () => {
    const performed = await decide(performMethod, plan, current, nestedRequests(plan)) // 400 … 409
    const response = isChange(performed)
      ? await (addToBatch ? addToBatch(context, performed) : decide(commitChange, context, performed)) // 403, 409, 413, 422
      : performed
    if (query.isDryRun) return toDryRunResponse(await finishResponse(context, response)) // 200, 204
    const isMerged = request !== plan.request
    if (request.viaForm) return redirectAfterForm(context, response, { ...plan, isMerged }) // 303
    return finishResponse(context, withShownNotice(context, response)) //      200, 201, 204
  })
}

/** The parts of a request that the requests inside it share. */
type OuterRequest = Pick<AuthenticatedRequest, 'service' | 'documents' | 'tables' | 'caller' | 'isDryRun'>

function nestedRequests({ documents, tables, context }: Plan): NestedRequests {
  const { service, caller, isDryRun } = context
  const outer = { service, documents, tables, caller }
  return { handleEntry: handleEntry(outer), performAlone: performAlone({ ...outer, isDryRun }) }
}

/** Handles a request of a batch: the decisions after authentication, once. */
function handleEntry(outer: OuterRequest): EntryHandler {
  return async (service, request, addToBatch) => {
    const trace = createTrace(service.tracer)
    const target = resolveTarget(service.model, outer.documents, request)
    const method = requireAllowedMethod(target, request)
    requireBatchableTarget(target, method)
    const plan = await planRequest({ ...outer, service, target, method, request }, trace)
    requireBatchableContent(plan.context, await plan.content?.read())
    return { context: plan.context, response: await performRequest(plan, trace, addToBatch) }
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
    return performWrite(plan, trace)
  }
}

function hasOwnResponse(target: Target): target is DocumentTarget {
  return target.kind === 'document' && target.document.respond !== undefined
}

/** The document's own response; undefined for a request that is handled like any other. */
function respondFromDocument(service: ServiceContext, target: DocumentTarget, request: HttpRequest) {
  return target.document.respond?.({ service, request, target })
}
