/** Proactive negotiation of the format (RFC 9110 §12.1): by `?format=`, else by Accept. */

import type { Method } from '../context/request-context.ts'
import { type Target, uriWithoutFormat } from '../context/target.ts'
import type { InterfaceVersion } from '../definition/interface-version.ts'
import { formatLinks } from '../http/link.ts'
import type { HttpRequest } from '../http/message.ts'
import { negotiateMediaType } from '../http/negotiation.ts'
import { refuse } from '../refusal.ts'
import type { Format } from '../representations/format.ts'
import {
  alternateLinks,
  isWithinLinkLimit,
  namedFormat,
  offeredFormats,
  offeredInVersion,
} from '../respond/offered-formats.ts'

/** The format of the response; refuses 406 when no offered format is acceptable. */
export function negotiateFormat(
  target: Target,
  method: Method,
  request: HttpRequest,
  version?: InterfaceVersion,
): Format {
  const offers = version ? offeredInVersion(target, method, version) : offeredFormats(target, method)
  const first = offers.formats[0]
  // A file has one representation, whatever Accept says.
  if (target.kind === 'file' && first) return first
  const named = namedFormat(target)
  const format =
    named === undefined
      ? offers.byMediaType.get(negotiateMediaType(request.fields.accept, offers.mediaTypes) ?? '')
      : offers.formats.find(({ name }) => name === named)
  if (format) return format
  // These responses have no content, so every format is acceptable.
  if ((method === 'DELETE' || target.kind === 'element') && first) return first
  const alternates = alternateLinks(offers.formats, uriWithoutFormat(target)).filter(isWithinLinkLimit)
  throw refuse('not-acceptable', {
    detail: `Accept one of: ${offers.mediaTypes.join(', ')}.`,
    members: { offered: offers.mediaTypes },
    fields: alternates.length === 0 ? {} : { Link: formatLinks(alternates) },
  })
}
