/** /assets/{name}: the scripts and styles of HTML pages. The name changes with the content, so caches may keep it. */

import { formatEntityTag } from '../http/entity-tag.ts'
import { evaluatePreconditions, type SelectedRepresentation } from '../http/precondition.ts'
import { refuse } from '../refusal.ts'
import type { Document } from '../requests/context/target.ts'
import { chooseCoding, encodeBody, tagWithCoding } from '../requests/respond/content-coding.ts'
import { findAsset } from './assets.ts'

const immutable = 'public, max-age=31536000, immutable'

export const asset: Document = {
  route: '/assets/{name}',
  personal: false,
  async respond({ service, request, target }) {
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
    const result = evaluatePreconditions(request, representationOf(fields.ETag), service.clock.now())
    if (result === 'failed') throw refuse('precondition-failed', { fields: { ETag: fields.ETag } })
    if (result === 'not-modified') return { status: 304, fields }
    const { coding, body } = await encodeBody(content, choice)
    const coded = coding === undefined ? {} : { 'Content-Encoding': coding }
    const type = mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType
    return { status: 200, fields: { 'Content-Type': type, ...coded, ...fields }, body }
  },
}

/** An asset has no modification date. */
function representationOf(tag: string): SelectedRepresentation {
  const opaque = tag.slice(1, -1)
  return {
    entityTag: { weak: false, opaque },
    lastModified: () => undefined,
    isCurrent: (sent) => sent === opaque,
  }
}
