/** Range requests (RFC 9110 §14): the part of a representation that a request asks for. */

import { type EntityTag, parseEntityTags, strongMatch } from './entity-tag.ts'
import { parseHttpDate } from './http-date.ts'
import type { Fields } from './message.ts'

/** Positions of octets, both included. */
export interface OctetRange {
  readonly first: number
  readonly last: number
}

/** `whole`: send all of it with 200. `unsatisfiable`: 416. */
export type RangeResult = 'whole' | 'unsatisfiable' | OctetRange

/** The validators that If-Range is compared with. */
export interface RangeValidators {
  readonly entityTag: EntityTag
  /** In milliseconds; undefined where the date is no strong validator (§8.8.2.2). */
  readonly strongDate: number | undefined
}

/**
 * The part of a representation of `length` octets that a GET asks for. Several ranges, other units and
 * malformed values are answered by the whole representation, as §14.2 allows.
 */
export function selectRange(
  fields: Fields,
  length: number,
  validators: RangeValidators,
  now: number,
): RangeResult {
  const { range, 'if-range': condition } = fields
  if (range === undefined) return 'whole'
  if (condition !== undefined && !isSameRepresentation(condition, validators, now)) return 'whole'
  return parseRange(range, length)
}

/** The part that a value of Range names. */
export function parseRange(fieldValue: string, length: number): RangeResult {
  // §14.1: range units are case-insensitive.
  const parts = /^bytes=[ \t]*(?:(\d+)-(\d*)|-(\d+))[ \t]*$/i.exec(fieldValue)
  if (!parts) return 'whole'
  const [, from, to, suffix] = parts
  if (suffix !== undefined) return lastOctets(Number(suffix), length)
  const first = Number(from)
  const last = to === '' ? Number.POSITIVE_INFINITY : Number(to)
  // §14.1.1: such a range is invalid, and an invalid Range is ignored.
  if (last < first) return 'whole'
  if (first >= length) return 'unsatisfiable'
  return { first, last: Math.min(last, length - 1) }
}

/** §14.1.2: a longer suffix than the representation is all of it; an empty one is not satisfiable. */
function lastOctets(count: number, length: number): RangeResult {
  if (count === 0 || length === 0) return 'unsatisfiable'
  return { first: Math.max(0, length - count), last: length - 1 }
}

/** §13.1.5: a strong comparison of the tag, or exactly the same date. */
function isSameRepresentation(
  condition: string,
  { entityTag, strongDate }: RangeValidators,
  now: number,
): boolean {
  if (/^(?:W\/)?"/.test(condition)) {
    const tags = parseEntityTags(condition)
    return tags !== '*' && tags.length === 1 && tags.every((tag) => strongMatch(tag, entityTag))
  }
  const date = parseHttpDate(condition, now)
  if (date === undefined || strongDate === undefined) return false
  return Math.floor(strongDate / 1000) === Math.floor(date / 1000)
}

/** The value of Content-Range (§14.4) of a part, or of a 416. */
export function formatContentRange(range: OctetRange | undefined, length: number): string {
  return range ? `bytes ${range.first}-${range.last}/${length}` : `bytes */${length}`
}
