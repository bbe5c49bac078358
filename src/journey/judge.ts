/** Preconditions (RFC 9110 §13) on what stands at the target now: 304, 412, 428. */

import { parseEntityTags } from '../http/entity-tag.ts'
import type { HttpRequest, HttpResponse, ResponseFields } from '../http/message.ts'
import {
  evaluatePreconditions,
  type SelectedRepresentation,
  type Verdict,
} from '../http/precondition.ts'
import { refuse } from '../refusal.ts'
import type { Awaitable } from '../store/store.ts'
import { isTagOfSame, lastModified } from '../view/validator.ts'
import type { Method } from './admission.ts'
import { cacheControlOf, streamCacheControl, varyOf } from './cacheability.ts'
import { possibleTags } from './coding.ts'
import type { Errand } from './errand.ts'
import { type Current, isCreation } from './load.ts'
import { contentLocation } from './negotiation.ts'
import type { Target } from './target.ts'
import { baseTag, currentTag } from './validators.ts'

const conditionals = ['if-match', 'if-unmodified-since', 'if-none-match', 'if-modified-since']

export function isConditional({ fields }: HttpRequest): boolean {
  return conditionals.some((name) => fields[name] !== undefined)
}

/** Undefined where the request goes ahead, else the 304; refuses 412 and 428. */
export function judge(
  request: HttpRequest,
  errand: Errand,
  current: Current,
): Awaitable<HttpResponse | undefined> {
  const { context, method, target } = errand
  if (isConditional(request)) {
    const tag = baseTag(errand, current)
    const known = tag === undefined ? undefined : knownTag(request, errand, tag)
    const selected = selectedRepresentation(current, tag, known)
    const verdict = evaluatePreconditions(request, selected, context.clock.now())
    if (verdict === 'not-modified' && known !== undefined) {
      return notModified(errand, current, known)
    }
    if (verdict !== 'proceed') return tell(verdict, errand, current)
  }
  demandCondition(request, method, target, current)
  return undefined
}

/** What it is now has to be looked up, to be told along with the verdict. */
async function tell(verdict: Verdict, errand: Errand, current: Current): Promise<HttpResponse> {
  const tag = await currentTag(errand, current)
  if (verdict === 'failed') throw failed(tag)
  return notModified(errand, current, tag)
}

/**
 * The one of the client's tags that is the tag of what would be sent. How large that is, and so
 * which tag it has, need not be looked up: a client can have only the right one.
 */
function knownTag({ fields }: HttpRequest, { coding }: Errand, tag: string): string | undefined {
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
  current: Current,
  tag: string | undefined,
  known: string | undefined,
): SelectedRepresentation | undefined {
  if (current.kind === 'streamed') return streamedRepresentation
  if (tag === undefined) return undefined
  return {
    entityTag: known === undefined ? undefined : { weak: false, opaque: opaqueOf(known) },
    lastModified: () => modificationTime(current),
    isCurrent: (opaque) => isTagOfSame(opaqueOf(tag), opaque),
  }
}

/** A stream has no validators, so it matches `*` and no tag. */
const streamedRepresentation: SelectedRepresentation = Object.freeze({
  entityTag: undefined,
  lastModified: () => undefined,
  isCurrent: () => false,
})

/** What is embedded changes on its own, and has no part in the time the item was modified. */
function modificationTime(current: Current): number | undefined {
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
function notModified(errand: Errand, current: Current, tag: string | undefined): HttpResponse {
  const location = contentLocation(errand)
  const streamed = current.kind === 'streamed'
  const fields: ResponseFields = {
    'Cache-Control': streamed ? streamCacheControl : cacheControlOf(errand),
    Vary: varyOf(errand.target),
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
  current: Current,
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
