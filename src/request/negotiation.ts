/** How the answer is to be shown: Accept, or `?format=` where the client names one outright. */

import type { Method } from '../context/request-context.ts'
import { type Target, uriWithoutFormat } from '../context/target.ts'
import { formatLinks } from '../http/link.ts'
import type { HttpRequest } from '../http/message.ts'
import { negotiateMediaType } from '../http/negotiation.ts'
import { refuse } from '../refusal.ts'
import type { Representation } from '../representations/representation.ts'
import {
  alternateLinks,
  isWithinLinkLimit,
  namedFormat,
  offeredFormats,
} from '../respond/offered-formats.ts'

/** The format; refuses 406 where none on offer is acceptable, before anything has an effect. */
export function negotiateFormat(
  target: Target,
  method: Method,
  request: HttpRequest,
): Representation {
  const offers = offeredFormats(target, method)
  const named = namedFormat(target)
  const format =
    named === undefined
      ? offers.byMediaType.get(negotiateMediaType(request.fields.accept, offers.mediaTypes) ?? '')
      : offers.formats.find(({ name }) => name === named)
  if (format) return format
  // DELETE shows nothing, so nothing can be unacceptable about it.
  const first = offers.formats[0]
  if (method === 'DELETE' && first) return first
  const alternates = alternateLinks(offers.formats, uriWithoutFormat(target)).filter(
    isWithinLinkLimit,
  )
  throw refuse('not-acceptable', {
    detail: `On offer: ${offers.mediaTypes.join(', ')}.`,
    members: { offered: offers.mediaTypes },
    fields: alternates.length === 0 ? {} : { Link: formatLinks(alternates) },
  })
}
