/** /assets/{name}: the scripts and styles of HTML pages. The name changes with the content, so caches may keep it. */

import { formatEntityTag, parseEntityTags } from '../http/entity-tag.ts'
import type { HttpRequest } from '../http/message.ts'
import { refuse } from '../refusal.ts'
import type { Document } from '../requests/context/target.ts'
import { chooseCoding, encodeBody, tagWithCoding } from '../requests/respond/content-coding.ts'
import { findAsset } from './assets.ts'

const immutable = 'public, max-age=31536000, immutable'

export const asset: Document = {
  route: '/assets/{name}',
  personal: false,
  async loadContent() {
    throw new Error('Assets respond by themselves')
  },
  async respond({ request, target }) {
    const found = findAsset(target.parameter ?? '')
    if (!found) throw refuse('not-found', { detail: "This page doesn't exist." })
    const { mediaType, content, tag } = found
    const choice = chooseCoding(target, 'GET', request)
    const fields = {
      'Cache-Control': immutable,
      ETag: tagWithCoding(formatEntityTag({ weak: false, opaque: tag }), choice),
      Vary: 'Accept-Encoding',
      // An asset that is opened as a page loads nothing else.
      'Content-Security-Policy': "default-src 'none'",
    }
    if (isKnown(request, fields.ETag)) return { status: 304, fields }
    const { coding, body } = await encodeBody(content, choice)
    const coded = coding === undefined ? {} : { 'Content-Encoding': coding }
    const type = mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType
    return { status: 200, fields: { 'Content-Type': type, ...coded, ...fields }, body }
  },
}

/** RFC 9110 §13.1.2: If-None-Match uses the weak comparison. */
function isKnown({ fields }: HttpRequest, tag: string): boolean {
  const sent = parseEntityTags(fields['if-none-match'] ?? '')
  return sent === '*' || sent.some(({ opaque }) => `"${opaque}"` === tag)
}
