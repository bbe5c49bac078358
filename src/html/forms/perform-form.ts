/** Performs the request of a form below /forms: its success is a redirect with a notice, or the page of a result. */

import { isEditForm, parseFormPairs } from '../../formats/form-reader.ts'
import { parseEntityTags } from '../../http/entity-tag.ts'
import type { HttpResponse, ResponseFields } from '../../http/message.ts'
import { parsePrefer } from '../../http/prefer.ts'
import { formatPath } from '../../http/request-target.ts'
import { Refusal } from '../../refusal.ts'
import { hasTarget, type RequestContext } from '../../requests/context/request-context.ts'
import type { RequestTrace } from '../../requests/context/request-trace.ts'
import {
  isResult,
  performPlan,
  type RequestOutcome,
  type RequestResult,
} from '../../requests/handle-request.ts'
import { loadCurrentState, type Plan } from '../../requests/perform-method.ts'
import { uncodedTag } from '../../requests/read/validators.ts'
import { EarlyResponse, seeOther } from '../../requests/respond/early-response.ts'
import { isSameItem, isSameVersion } from '../../views/opaque-tag.ts'
import { collectionUri, homeUri, referenceUri, signInUri, verificationsUri } from '../../views/uri.ts'
import { redirectPage } from '../redirect-page.ts'
import { findConflicts } from './form-conflicts.ts'
import { isForm } from './form-key.ts'
import { noticeAfter, noticeFields } from './notice.ts'

type ShowResult = (result: RequestResult) => Promise<HttpResponse>

/**
 * 303 after the request of the form, also where an earlier form with its key has had the effect. The result of an action
 * has no URI, so the response is its page, or the file that it is. A script asks for 204 instead: a browser would follow the redirect before the
 * script knows of it.
 */
export async function performForm(
  plan: Plan,
  trace: RequestTrace,
  showResult: ShowResult,
): Promise<HttpResponse> {
  const { prefer = '' } = plan.request.fields
  const isMinimal = parsePrefer(prefer).get('return') === 'minimal'
  const preferences = new Map([...plan.context.preferences].filter(([name]) => name !== 'return'))
  const response = await answerForm({ ...plan, context: { ...plan.context, preferences } }, trace, showResult)
  if (!isMinimal || response.status !== 303) return response
  return { status: 204, fields: { ...response.fields, 'Preference-Applied': 'return=minimal' } }
}

async function answerForm(plan: Plan, trace: RequestTrace, showResult: ShowResult): Promise<HttpResponse> {
  try {
    const { outcome, isMerged } = await performMerged(plan, trace)
    if (isResult(outcome) && shownInPlace.has(outcome.response.view?.kind)) return await showResult(outcome)
    if (isResult(outcome) && outcome.response.status === 303) return leadTo(outcome.response.fields)
    return await redirectAfter(plan, isResult(outcome) ? outcome.response : outcome, isMerged)
  } catch (error) {
    if (!(error instanceof EarlyResponse)) throw error
    if (error.response.status === 303) return leadTo(error.response.fields)
    if (error.response.status >= 300) throw error
    return redirectAfter(plan, error.response, false)
  }
}

/** Results of actions, which have no URI. */
const shownInPlace: ReadonlySet<string | undefined> = new Set(['document', 'file'])

/**
 * 303 to a URI of this service. Browsers refuse that a form leads to another origin, so the response is then a page that
 * does (CSP, form-action).
 */
function leadTo({ Location }: ResponseFields): HttpResponse {
  const uri = String(Location)
  return uri.startsWith('/') ? seeOther(uri).response : redirectPage(uri, uri)
}

/** Each merge means that another request has changed the item in between. */
const maxMerges = 20

/** Performs the request, and again for the current version where both edits can be merged. */
async function performMerged(
  plan: Plan,
  trace: RequestTrace,
): Promise<{ readonly outcome: RequestOutcome; readonly isMerged: boolean }> {
  let present = plan
  for (let merges = 0; ; merges += 1) {
    try {
      return { outcome: await performPlan(present, trace), isMerged: merges > 0 }
    } catch (error) {
      const isLost = error instanceof Refusal && error.type === 'precondition-failed'
      const merged = isLost && merges < maxMerges ? await mergeEdit(plan) : undefined
      if (!merged) throw error
      present = merged
    }
  }
}

/** 303 to the item, or to its collection when it was deleted or is hidden, with a notice. */
async function redirectAfter(
  plan: Plan,
  { fields }: { readonly fields: ResponseFields },
  isMerged: boolean,
): Promise<HttpResponse> {
  const { context } = plan
  const { service, target, caller } = context
  const { model } = service
  const { accounts } = model
  const { 'Content-Location': location } = fields
  if (caller.kind === 'anonymous' && target.kind === 'collection' && target.resource === accounts?.resource) {
    if (accounts.signsUpByMail) return seeOther(`${verificationsUri(model)}?sent=true`).response
    return seeOther(signInUri(model), noticeFields(context, { kind: 'signed-up' })).response
  }
  const uri = typeof location === 'string' && target.kind !== 'file' ? location : placeOf(context)
  const notice = isMerged ? ({ kind: 'merged' } as const) : await noticeAfter(plan)
  return seeOther(uri, noticeFields(context, notice)).response
}

/** The URI of the item that a file belongs to, or of the collection of the target. */
function placeOf({ service: { model }, target }: RequestContext): string {
  if (target.kind === 'file') return referenceUri(model, target.resource, target.id)
  if (target.kind === 'item' && target.within) {
    const { resource, id, relation } = target.within
    return formatPath(referenceUri(model, resource, id), [relation.name])
  }
  if (!('resource' in target)) return target.path
  return target.resource === model.service ? homeUri(model) : collectionUri(model, target.resource)
}

/**
 * The plan of a form that edits the version in its If-Match, for the current version; undefined where both edits cannot
 * be merged.
 */
async function mergeEdit(plan: Plan): Promise<Plan | undefined> {
  const { context, request, content } = plan
  const { 'if-match': match } = request.fields
  if (match === undefined || !content || !isForm(request) || !hasTarget(context, 'item')) return undefined
  const current = await loadCurrentState(plan)
  if (current.kind !== 'found' || !current.isReadable) return undefined
  const tag = uncodedTag(context, current)
  if (tag === undefined || !isOlderVersion(match, tag)) return undefined
  const pairs = parseFormPairs(await content.octets())
  if (!isEditForm(pairs) || findConflicts(pairs, current.view).length > 0) return undefined
  return { ...plan, request: { ...request, fields: { ...request.fields, 'if-match': tag } } }
}

/** Whether the one entity tag in If-Match is that of another version of the same item. */
function isOlderVersion(match: string, currentTag: string): boolean {
  const tags = parseEntityTags(match)
  const [one] = tags === '*' ? [] : tags
  if (tags === '*' || !one || tags.length > 1) return false
  const current = currentTag.slice(1, -1)
  return isSameItem(one.opaque, current) && !isSameVersion(one.opaque, current)
}
