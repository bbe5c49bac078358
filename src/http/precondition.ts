/** Preconditions (RFC 9110 §13): evaluating the conditional fields of a request. */

import { type EntityTag, formatEntityTag, parseEntityTags, weakMatch } from './entity-tag.ts'
import { parseHttpDate } from './http-date.ts'
import type { HttpRequest } from './message.ts'

export type PreconditionResult = 'proceed' | 'not-modified' | 'failed'

/** The validators of the selected representation (§8.8). */
export interface SelectedRepresentation {
  /** Compared with If-None-Match; undefined if it has none. */
  readonly entityTag: EntityTag | undefined
  /** In milliseconds; undefined if the modification date is not available. */
  lastModified(): number | undefined
  /**
   * Whether a strong tag with this opaque part belongs to the current version of the target in any
   * format or coding: a client may edit what it got in another one.
   */
  isCurrent(opaque: string): boolean
}

/**
 * Evaluates the preconditions in the order of §13.2.2. `selected` is undefined if the target has no
 * current representation. Call it only if the response without them would be 2xx (§13.2.1).
 */
export function evaluatePreconditions(
  request: Pick<HttpRequest, 'method' | 'fields'>,
  selected: SelectedRepresentation | undefined,
  now: number,
): PreconditionResult {
  const { method, fields } = request
  // §13.2.1: ignored by methods that neither select nor modify a representation.
  if (method === 'OPTIONS' || method === 'TRACE' || method === 'CONNECT') return 'proceed'

  const match = fields['if-match']
  // §13.1.4: If-Unmodified-Since is ignored when If-Match is present.
  if (match !== undefined) {
    if (!isIfMatchTrue(match, selected)) return 'failed'
  } else if (isModifiedSince(fields['if-unmodified-since'], selected, now) === true) return 'failed'

  const noneMatch = fields['if-none-match']
  // §13.1.3: If-Modified-Since is ignored when If-None-Match is present.
  if (noneMatch !== undefined) {
    if (isIfNoneMatchTrue(noneMatch, selected)) return 'proceed'
    return conditionalReads.has(method) ? 'not-modified' : 'failed'
  }
  // §13.1.3: If-Modified-Since is ignored with other methods.
  if (method !== 'GET' && method !== 'HEAD') return 'proceed'
  const modified = isModifiedSince(fields['if-modified-since'], selected, now)
  return modified === false ? 'not-modified' : 'proceed'
}

/** §13.1.2: a false If-None-Match is 304 with GET and HEAD, and with QUERY by RFC 10008. */
const conditionalReads: ReadonlySet<string> = new Set(['GET', 'HEAD', 'QUERY'])

/** §13.1.1: strong comparison, so a weak tag never matches. */
function isIfMatchTrue(fieldValue: string, selected: SelectedRepresentation | undefined): boolean {
  if (selected === undefined) return false
  const tags = parseEntityTags(fieldValue)
  return tags === '*' || tags.some((tag) => !tag.weak && selected.isCurrent(tag.opaque))
}

/** §13.1.2: weak comparison. */
function isIfNoneMatchTrue(fieldValue: string, selected: SelectedRepresentation | undefined): boolean {
  if (selected === undefined) return true
  const { entityTag } = selected
  // The usual value is exactly this tag; comparing the text saves parsing it.
  if (entityTag && fieldValue === formatEntityTag(entityTag)) return false
  const tags = parseEntityTags(fieldValue)
  if (tags === '*') return false
  return entityTag === undefined || !tags.some((tag) => weakMatch(tag, entityTag))
}

/**
 * Whether the representation changed after the date, in whole seconds. Undefined, so that the
 * condition is ignored, if either date is missing or invalid (§13.1.3, §13.1.4).
 */
function isModifiedSince(
  fieldValue: string | undefined,
  selected: SelectedRepresentation | undefined,
  now: number,
): boolean | undefined {
  if (fieldValue === undefined) return undefined
  const modified = selected?.lastModified()
  const date = parseHttpDate(fieldValue, now)
  if (modified === undefined || date === undefined) return undefined
  return Math.floor(modified / 1000) > Math.floor(date / 1000)
}

/** Whether the request has a conditional field (§13.1). */
export function isConditional({ fields }: HttpRequest): boolean {
  return conditionalFields.some((name) => fields[name] !== undefined)
}

export const conditionalFields = ['if-match', 'if-unmodified-since', 'if-none-match', 'if-modified-since']
