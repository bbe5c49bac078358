/** Preconditions (RFC 9110 §13) on what stands at the target now: 304, 412, 428. */

import type { Method, RequestContext } from '../context/request-context.ts'
import type { Target } from '../context/target.ts'
import { parseEntityTags } from '../http/entity-tag.ts'
import type { HttpRequest, HttpResponse, ResponseFields } from '../http/message.ts'
import {
  evaluatePreconditions,
  isConditional,
  type PreconditionResult,
  type SelectedRepresentation,
} from '../http/precondition.ts'
import type { CurrentState } from '../read/current-state.ts'
import { isCreation } from '../read/item-access.ts'
import { loadCurrentTag, uncodedTag } from '../read/validators.ts'
import { refuse } from '../refusal.ts'
import { cacheControlOf, streamCacheControl, varyOf } from '../respond/cacheability.ts'
import { possibleTags } from '../respond/content-coding.ts'
import { contentLocation } from '../respond/offered-formats.ts'
import type { MaybePromise } from '../store/store.ts'
import { isSameVersion, lastModified } from '../view/opaque-tag.ts'

/** Undefined where the request goes ahead, else the 304; refuses 412 and 428. */
export function requirePreconditions(
  request: HttpRequest,
  context: RequestContext,
  current: CurrentState,
): MaybePromise<HttpResponse | undefined> {
  const { service, method, target } = context
  if (isConditional(request)) {
    const tag = uncodedTag(context, current)
    const known = tag === undefined ? undefined : knownTag(request, context, tag)
    const selected = selectedRepresentation(current, tag, known)
    const result = evaluatePreconditions(request, selected, service.clock.now())
    if (result === 'not-modified' && known !== undefined) {
      return notModified(context, current, known)
    }
    if (result !== 'proceed') return tell(result, context, current)
  }
  demandCondition(request, method, target, current)
  return undefined
}

/** What it is now has to be looked up, to be told along with the verdict. */
async function tell(
  result: PreconditionResult,
  context: RequestContext,
  current: CurrentState,
): Promise<HttpResponse> {
  const tag = await loadCurrentTag(context, current)
  if (result === 'failed') throw failed(tag)
  return notModified(context, current, tag)
}

/**
 * The one of the client's tags that is the tag of what would be sent. How large that is, and so
 * which tag it has, need not be looked up: a client can have only the right one.
 */
function knownTag(
  { fields }: HttpRequest,
  { coding }: RequestContext,
  tag: string,
): string | undefined {
  const noneMatch = fields['if-none-match']
  if (noneMatch === undefined) return undefined
  const possibles = possibleTags(tag, coding)
  // Mostly it is the one tag that the client has.
  if (possibles.includes(noneMatch)) return noneMatch
  const sent = parseEntityTags(noneMatch)
  if (sent === '*') return undefined
  return possibles.find((possible) => sent.some(({ opaque }) => opaque === opaqueOf(possible)))
}

/** What the request would select; undefined where the target has no current representation. */
function selectedRepresentation(
  current: CurrentState,
  tag: string | undefined,
  known: string | undefined,
): SelectedRepresentation | undefined {
  if (current.kind === 'streamed') return streamedRepresentation
  if (tag === undefined) return undefined
  return {
    entityTag: known === undefined ? undefined : { weak: false, opaque: opaqueOf(known) },
    lastModified: () => modificationTime(current),
    isCurrent: (opaque) => isSameVersion(opaqueOf(tag), opaque),
  }
}

/** A stream has no validators, so it matches `*` and no tag. */
const streamedRepresentation: SelectedRepresentation = Object.freeze({
  entityTag: undefined,
  lastModified: () => undefined,
  isCurrent: () => false,
})

/** What is embedded changes on its own, and has no part in the time the item was modified. */
function modificationTime(current: CurrentState): number | undefined {
  if (current.kind !== 'found' || current.view.embedded) return undefined
  return lastModified(current.row)
}

function opaqueOf(tag: string): string {
  return tag.slice(1, -1)
}

/** The current tag goes along, so that the client can see what it lost against. */
function failed(tag: string | undefined) {
  const detail = 'What is here is not in the state that the request demands.'
  if (tag === undefined) return refuse('precondition-failed', { detail })
  const members = { entityTag: tag }
  return refuse('precondition-failed', { detail, fields: { ETag: tag }, members })
}

/** §15.4.5: what the 200 would have said of itself, and nothing of its content. */
function notModified(
  context: RequestContext,
  current: CurrentState,
  tag: string | undefined,
): HttpResponse {
  const location = contentLocation(context)
  const streamed = current.kind === 'streamed'
  const fields: ResponseFields = {
    'Cache-Control': streamed ? streamCacheControl : cacheControlOf(context),
    Vary: varyOf(context.target),
  }
  if (tag !== undefined) fields.ETag = tag
  if (location !== undefined) fields['Content-Location'] = location
  return { status: 304, fields }
}

/** RFC 6585 §3, where the definition asks for it: a write must say what it was made from. */
function demandCondition(
  { fields }: HttpRequest,
  method: Method,
  target: Target,
  current: CurrentState,
) {
  if (target.kind !== 'item' || target.resource.conditional !== 'required') return
  if (method !== 'PUT' && method !== 'PATCH' && method !== 'DELETE') return
  const stated = fields['if-match'] ?? fields['if-unmodified-since']
  const creates = isCreation(method, target.resource, current) && fields['if-none-match']
  if (stated !== undefined || creates) return
  throw refuse('precondition-required', {
    detail: 'Send If-Match with the entity tag of the item that this change was made from.',
  })
}
