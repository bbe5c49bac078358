/** How the answer is to be shown: Accept, or `?format=` where the client names one outright. */

import type { Method } from '../context/request-context.ts'
import { plainUri, type Target } from '../context/target.ts'
import { formatLinks } from '../http/link.ts'
import type { HttpRequest } from '../http/message.ts'
import { negotiateMediaType } from '../http/negotiate.ts'
import { refuse } from '../refusal.ts'
import type { Representation } from '../representations/representation.ts'
import {
  alternatesAmong,
  isWithinLinkLimit,
  namedFormat,
  offersFor,
} from '../respond/offered-formats.ts'

/** The format; refuses 406 where none on offer is acceptable, before anything has an effect. */
export function negotiate(target: Target, method: Method, request: HttpRequest): Representation {
  const offers = offersFor(target, method)
  const named = namedFormat(target)
  const format =
    named === undefined
      ? offers.byMediaType.get(negotiateMediaType(request.fields.accept, offers.mediaTypes) ?? '')
      : offers.formats.find(({ name }) => name === named)
  if (format) return format
  // DELETE shows nothing, so nothing can be unacceptable about it.
  const first = offers.formats[0]
  if (method === 'DELETE' && first) return first
  const alternates = alternatesAmong(offers.formats, plainUri(target)).filter(isWithinLinkLimit)
  throw refuse('not-acceptable', {
    detail: `On offer: ${offers.mediaTypes.join(', ')}.`,
    members: { offered: offers.mediaTypes },
    fields: alternates.length === 0 ? {} : { Link: formatLinks(alternates) },
  })
}
