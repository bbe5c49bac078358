/** Evaluates the preconditions of a request (RFC 9110 §13) on the current state of its target: 304, 412, 428. */

import type { HttpRequest, HttpResponse, ResponseFields } from '../http/message.ts'
import { type Method, safeMethods } from '../http/method.ts'
import { evaluatePreconditions, isConditional, type SelectedRepresentation } from '../http/precondition.ts'
import { refuse } from '../refusal.ts'
import { fileTag, fileTime } from '../views/file-validators.ts'
import { isSameVersion, lastModified } from '../views/opaque-tag.ts'
import { operationOf } from './context/operation-of.ts'
import { hasTarget, type RequestContext } from './context/request-context.ts'
import type { FileTarget, StoredFileTarget } from './context/target.ts'
import type { CurrentState } from './read/current-state.ts'
import { isCreation } from './read/item-access.ts'
import { currentComposition, hasEntityTag, isDatedByItem, shownTag, uncodedTag } from './read/validators.ts'
import { cacheControlOf, streamCacheControl, varyOf } from './respond/cacheability.ts'
import { tagWithCoding } from './respond/content-coding.ts'
import { fileFields } from './respond/file-content.ts'
import { locationInVersion } from './versions/version-links.ts'

/** The 304, or undefined when the method is to be performed; refuses 412 and 428. */
export async function checkPreconditions(
  request: HttpRequest,
  context: RequestContext,
  current: CurrentState,
): Promise<HttpResponse | undefined> {
  const { service, method } = context
  if (hasTarget(context, 'file', 'storedFile')) return checkFilePreconditions(request, context, current)
  if (isConditional(request)) {
    // A write changes the item in whichever representation it was read, also in one without a tag.
    const isWrite = !safeMethods.has(method) && context.target.kind !== 'document'
    const isTagged = isWrite || hasEntityTag(context)
    const tag = isTagged ? uncodedTag(context, current) : undefined
    const selected = isTagged ? selectedRepresentation(context, current, tag) : untaggedRepresentation
    const result = evaluatePreconditions(request, selected, service.clock.now())
    if (result === 'failed') throw preconditionFailed(shownTag(context, current))
    if (result === 'not-modified') return notModified(context, current)
  }
  requireCondition(request, context, current)
  return undefined
}

/** A file has validators of its own, not those of its item. */
function checkFilePreconditions(
  request: HttpRequest,
  context: RequestContext<FileTarget | StoredFileTarget>,
  current: CurrentState,
): HttpResponse | undefined {
  const { service } = context
  const file = current.kind === 'found' ? current.file : undefined
  const tag = file && fileTag(file)
  const selected = file &&
    tag !== undefined && {
      entityTag: { weak: false, opaque: tag },
      lastModified: () => fileTime(file),
      isCurrent: (opaque: string) => opaque === tag,
    }
  const result = evaluatePreconditions(request, selected || undefined, service.clock.now())
  const currentTag = tag === undefined ? undefined : `"${tag}"`
  if (result === 'failed') throw preconditionFailed(currentTag)
  if (result === 'not-modified' && current.kind === 'found' && file) {
    return { status: 304, fields: fileFields(context, current, file) }
  }
  requireCondition(request, context, current)
  return undefined
}

/** The selected representation (§3.2); undefined when the target has none. */
function selectedRepresentation(
  { method, coding }: RequestContext,
  current: CurrentState,
  tag: string | undefined,
): SelectedRepresentation | undefined {
  if (current.kind === 'streamed') return untaggedRepresentation
  if (tag === undefined) return undefined
  return {
    entityTag: { weak: false, opaque: opaqueOf(tagWithCoding(tag, coding)) },
    lastModified: () => modificationTime(method, current),
    isCurrent: (opaque) => isSameVersion(opaqueOf(tag), opaque),
  }
}

/** A stream and an HTML page have no validators, so they match `*` and no tag. */
const untaggedRepresentation: SelectedRepresentation = Object.freeze({
  entityTag: undefined,
  lastModified: () => undefined,
  isCurrent: () => false,
})

/** Only items have one. A write changes the item, in whichever representation it was read. */
function modificationTime(method: Method, current: CurrentState): number | undefined {
  if (current.kind !== 'found') return undefined
  if (safeMethods.has(method) && !isDatedByItem(current.view)) return undefined
  return lastModified(current.view)
}

function opaqueOf(tag: string): string {
  return tag.slice(1, -1)
}

/** 412 with the current entity tag. */
function preconditionFailed(tag: string | undefined) {
  const detail = 'The current state does not meet the condition of the request. Get it, then try again.'
  if (tag === undefined) return refuse('precondition-failed', { detail })
  const members = { entityTag: tag }
  return refuse('precondition-failed', { detail, fields: { ETag: tag }, members })
}

/** §15.4.5: the validators and cache fields of the 200, without content. */
function notModified(context: RequestContext, current: CurrentState): HttpResponse {
  const tag = shownTag(context, current)
  const { version } = context
  const location = version && locationInVersion(context, version)
  const streamed = current.kind === 'streamed'
  const fields: ResponseFields = {
    'Cache-Control': streamed ? streamCacheControl : cacheControlOf(context, currentComposition(current)),
    Vary: varyOf(context.target),
  }
  if (tag !== undefined) fields.ETag = tag
  if (location !== undefined) fields['Content-Location'] = location
  return { status: 304, fields }
}

/** RFC 6585 §3: refuses 428 for an unconditional write where the definition requires conditions. */
function requireCondition({ fields }: HttpRequest, context: RequestContext, current: CurrentState) {
  const { target } = context
  if (operationOf(context).conditions !== 'write') return
  if (!('resource' in target) || target.resource.conditional !== 'required') return
  const stated = fields['if-match'] ?? fields['if-unmodified-since']
  const creates = isNew(context, current)
  if (stated !== undefined || (creates && fields['if-none-match'])) return
  const detail = creates
    ? 'Send If-None-Match: * to create it.'
    : 'Send If-Match with the entity tag of the item that you changed.'
  throw refuse('precondition-required', { detail })
}

/** Whether the request creates the item or the file at its target. */
function isNew(context: RequestContext, current: CurrentState): boolean {
  const { target } = context
  if (target.kind === 'file') return current.kind === 'found' && !current.file
  return isCreation(context, current)
}
