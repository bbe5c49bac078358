/** Preconditions (RFC 9110 §13) on what stands at the target now: 304, 412, 428. */

import { type EntityTag, formatEntityTag } from '../http/entity-tag.ts'
import { formatHttpDate } from '../http/http-date.ts'
import type { HttpRequest, ResponseFields } from '../http/message.ts'
import { evaluatePreconditions, type SelectedRepresentation } from '../http/precondition.ts'
import { refuse } from '../refusal.ts'
import type { Representation } from '../representations/representation.ts'
import { isTagOfVersion, itemTag, lastModified, pageTag, revisionTag } from '../view/validator.ts'
import type { ItemView } from '../view/view.ts'
import type { Method } from './admission.ts'
import { cacheControlOf, varyOf } from './cacheability.ts'
import { EarlyAnswer } from './early.ts'
import type { Errand } from './errand.ts'
import { type Current, type Found, isCreation } from './load.ts'
import type { Target } from './target.ts'

const conditionals = ['if-match', 'if-unmodified-since', 'if-none-match', 'if-modified-since']

/** Passes, or answers 304, or refuses 412 and 428. */
export function judge(request: HttpRequest, errand: Errand, current: Current): void {
  const { context, method, target, format } = errand
  demandCondition(request, method, target, current)
  if (!conditionals.some((name) => request.fields[name] !== undefined)) return
  const selected = selectedRepresentation(current, target, format)
  if (!selected && current.kind !== 'absent') return
  const verdict = evaluatePreconditions(request, selected, context.clock.now())
  if (verdict === 'failed') throw failed(current, format)
  if (verdict === 'not-modified') throw notModified(errand, selected?.entityTag)
}

/** §15.4.5: what the 200 would have said of itself, and nothing of its content. */
function notModified({ target, who }: Errand, tag: EntityTag | undefined): EarlyAnswer {
  const fields: ResponseFields = {
    'Cache-Control': cacheControlOf(target, who),
    Vary: varyOf(target),
    ...(tag ? { ETag: formatEntityTag(tag) } : {}),
  }
  return new EarlyAnswer({ status: 304, fields })
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

/** What the request would select; undefined where nothing here has a representation. */
function selectedRepresentation(
  current: Current,
  target: Target,
  format: Representation,
): SelectedRepresentation | undefined {
  switch (current.kind) {
    case 'found':
      return {
        entityTag: strong(itemTag(current.view, format.name)),
        lastModified: current.view.embedded ? undefined : lastModified(current.row),
        isCurrent: (opaque) => isTagOfVersion(current.row, opaque),
      }
    case 'page':
    case 'revised':
      return ofPage(pageTagOf(current, target, format))
    default:
      return undefined
  }
}

function ofPage(tag: string): SelectedRepresentation {
  return {
    entityTag: strong(tag),
    lastModified: undefined,
    isCurrent: (opaque) => opaque === tag,
  }
}

/** The opaque entity tag of the page at the target. */
export function pageTagOf(
  current: Extract<Current, { kind: 'page' | 'revised' }>,
  target: Target,
  format: Representation,
): string {
  if (current.kind === 'page') return pageTag(current.page.view, format.name)
  const { revisions, shown, look } = current
  const page = JSON.stringify([target.query, look.query.list, shown])
  return revisionTag(revisions, page, format.name)
}

/** The header fields that validate an item. */
export function validatorsOf(view: ItemView, format: Representation): ResponseFields {
  return {
    ETag: formatEntityTag(strong(itemTag(view, format.name))),
    // What is embedded changes on its own, and has no part in the time the item was modified.
    ...(view.embedded ? {} : { 'Last-Modified': formatHttpDate(lastModified(view.row)) }),
  }
}

export function strong(opaque: string) {
  return { weak: false, opaque }
}

/** The current tag goes along, so that the client can see what it lost against. */
function failed(current: Current, format: Representation) {
  const detail = 'The item is not in the state that the request demands.'
  if (!isReadable(current)) return refuse('precondition-failed', { detail })
  const ETag = formatEntityTag(strong(itemTag(current.view, format.name)))
  return refuse('precondition-failed', { detail, fields: { ETag }, members: { entityTag: ETag } })
}

function isReadable(current: Current): current is Found {
  return current.kind === 'found' && current.readable
}
