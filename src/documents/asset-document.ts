/** /assets/{name}: what pages need. The name changes with the content, so it is good for ever. */

import type { Document } from '../context/target.ts'
import { formatEntityTag, parseEntityTags } from '../http/entity-tag.ts'
import type { HttpRequest } from '../http/message.ts'
import { refuse } from '../refusal.ts'
import { findAsset } from '../representations/html/assets.ts'
import { chooseCoding, encodeBody, tagWithCoding } from '../respond/content-coding.ts'

const forEver = 'public, max-age=31536000, immutable'

export const asset: Document = {
  route: '/assets/{name}',
  personal: false,
  async show() {
    throw new Error('Assets are sent as they are')
  },
  async respond({ request, target }) {
    const found = findAsset(target.parameter ?? '')
    if (!found) throw refuse('not-found', { detail: "This page doesn't exist." })
    const { mediaType, content, tag } = found
    const choice = chooseCoding(target, 'GET', request)
    const fields = {
      'Cache-Control': forEver,
      ETag: tagWithCoding(formatEntityTag({ weak: false, opaque: tag }), content, choice),
      Vary: 'Accept-Encoding',
      // Whoever opens it as a page of its own gets nothing else with it.
      'Content-Security-Policy': "default-src 'none'",
    }
    if (isKnown(request, fields.ETag)) return { status: 304, fields }
    const { coding, body } = await encodeBody(content, choice)
    const coded = coding === undefined ? {} : { 'Content-Encoding': coding }
    const type = mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType
    return { status: 200, fields: { 'Content-Type': type, ...coded, ...fields }, body }
  },
}

/** RFC 9110 §13.1.2: the comparison is the weak one. */
function isKnown({ fields }: HttpRequest, tag: string): boolean {
  const sent = parseEntityTags(fields['if-none-match'] ?? '')
  return sent === '*' || sent.some(({ opaque }) => `"${opaque}"` === tag)
}
