/** Entity tags (RFC 9110 §8.8.3): parsing, formatting and the two comparisons. */

import { memoizeLast } from '../tools/memoize.ts'
import { skipWhitespace } from './field-value.ts'

export interface EntityTag {
  readonly weak: boolean
  /** The characters between the quotes. */
  readonly opaque: string
}

/**
 * Parses the value of If-Match or If-None-Match. A malformed value, or a list with `*` among its
 * members, gives the empty list, which matches nothing.
 */
export const parseEntityTags = memoizeLast((fieldValue): '*' | readonly EntityTag[] => {
  if (fieldValue === '*') return '*'
  const tags: EntityTag[] = []
  let position = skipWhitespace(fieldValue, 0)
  while (position < fieldValue.length) {
    if (fieldValue[position] !== ',') {
      const tag = readEntityTag(fieldValue, position)
      if (tag === undefined) return []
      tags.push(tag)
      position = skipWhitespace(fieldValue, position + formatEntityTag(tag).length)
      if (position < fieldValue.length && fieldValue[position] !== ',') return []
    }
    position = skipWhitespace(fieldValue, position + 1)
  }
  return tags
})

/** Formats a tag. Its opaque part must consist of etagc (§8.8.3): VCHAR except `"`, and obs-text. */
export function formatEntityTag(tag: EntityTag): string {
  return tag.weak ? `W/"${tag.opaque}"` : `"${tag.opaque}"`
}

/** Strong comparison (§8.8.3.2): a weak tag never matches, not even itself. */
export function strongMatch(one: EntityTag, other: EntityTag): boolean {
  return !one.weak && !other.weak && one.opaque === other.opaque
}

/** Weak comparison (§8.8.3.2). */
export function weakMatch(one: EntityTag, other: EntityTag): boolean {
  return one.opaque === other.opaque
}

function readEntityTag(text: string, start: number): EntityTag | undefined {
  // §8.8.3: `W` is case-sensitive, and a backslash escapes nothing.
  const weak = text.startsWith('W/', start)
  const open = weak ? start + 2 : start
  if (text[open] !== '"') return undefined
  let close = open + 1
  while (isTagCharacter(text.charCodeAt(close))) close++
  if (text[close] !== '"') return undefined
  return { weak, opaque: text.slice(open + 1, close) }
}

function isTagCharacter(code: number): boolean {
  return code > 0x20 && code <= 0xff && code !== 0x22 && code !== 0x7f
}
