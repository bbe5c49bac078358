/** Preconditions (RFC 9110 §13): whether a conditional request goes ahead. */

import { type EntityTag, formatEntityTag, parseEntityTags, weakMatch } from './entity-tag.ts'
import { parseHttpDate } from './http-date.ts'
import type { HttpRequest } from './message.ts'

export type PreconditionResult = 'proceed' | 'not-modified' | 'failed'

/** What the target currently has for this request. */
export interface SelectedRepresentation {
  /** Its own tag, which If-None-Match is compared with; undefined where it has none. */
  readonly entityTag: EntityTag | undefined
  /** In milliseconds; undefined where no modification date is available. */
  lastModified(): number | undefined
  /**
   * Whether a strong tag with these characters belongs to the target's current version, in whatever
   * representation it was served: a client may edit what it got in another format or coding.
   */
  isCurrent(opaque: string): boolean
}

/**
 * Evaluates in the order of §13.2.2. `selected` is undefined where the target has no current
 * representation. Call it only where the unconditional answer would be a success (§13.2.1).
 */
export function evaluatePreconditions(
  request: Pick<HttpRequest, 'method' | 'fields'>,
  selected: SelectedRepresentation | undefined,
  now: number,
): PreconditionResult {
  const { method, fields } = request
  // §13.2.1: methods that neither select nor modify a representation ignore conditions.
  if (method === 'OPTIONS' || method === 'TRACE' || method === 'CONNECT') return 'proceed'

  const match = fields['if-match']
  // §13.1.4: If-Unmodified-Since is ignored when If-Match is present.
  if (match !== undefined) {
    if (!isIfMatchTrue(match, selected)) return 'failed'
  } else if (isModifiedSince(fields['if-unmodified-since'], selected, now) === true) return 'failed'

  const noneMatch = fields['if-none-match']
  // §13.1.3: If-Modified-Since is ignored when If-None-Match is present, whatever its outcome.
  if (noneMatch !== undefined) {
    if (isIfNoneMatchTrue(noneMatch, selected)) return 'proceed'
    return conditionalReads.has(method) ? 'not-modified' : 'failed'
  }
  // §13.1.3: and with any method but these.
  if (method !== 'GET' && method !== 'HEAD') return 'proceed'
  const modified = isModifiedSince(fields['if-modified-since'], selected, now)
  return modified === false ? 'not-modified' : 'proceed'
}

/** The methods whose failed If-None-Match is 304; QUERY by RFC 10008, being safe and cacheable. */
const conditionalReads: ReadonlySet<string> = new Set(['GET', 'HEAD', 'QUERY'])

/** §13.1.1: strong comparison, so a weak tag never matches. */
function isIfMatchTrue(fieldValue: string, selected: SelectedRepresentation | undefined): boolean {
  if (selected === undefined) return false
  const tags = parseEntityTags(fieldValue)
  return tags === '*' || tags.some((tag) => !tag.weak && selected.isCurrent(tag.opaque))
}

/** §13.1.2: weak comparison. */
function isIfNoneMatchTrue(
  fieldValue: string,
  selected: SelectedRepresentation | undefined,
): boolean {
  if (selected === undefined) return true
  const { entityTag } = selected
  // Mostly it is that one tag, and need not be taken apart.
  if (entityTag && fieldValue === formatEntityTag(entityTag)) return false
  const tags = parseEntityTags(fieldValue)
  if (tags === '*') return false
  return entityTag === undefined || !tags.some((tag) => weakMatch(tag, entityTag))
}

/**
 * Whether the representation changed after that date, in whole seconds as the field counts them.
 * Undefined, so that the condition is ignored, without a valid date (a list of dates is none) or
 * without a modification date (§13.1.3, §13.1.4).
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

export function isConditional({ fields }: HttpRequest): boolean {
  return conditionalFields.some((name) => fields[name] !== undefined)
}

export const conditionalFields = [
  'if-match',
  'if-unmodified-since',
  'if-none-match',
  'if-modified-since',
]
