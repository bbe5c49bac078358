/** Proactive negotiation of the format (RFC 9110 §12.1): by `?format=`, else by Accept. */

import { type InterfaceVersion, withVersionTypes } from '../../definition/interface-version.ts'
import type { Model } from '../../definition/model.ts'
import type { Format } from '../../formats/format.ts'
import { json } from '../../formats/json.ts'
import { formatLinks } from '../../http/link.ts'
import type { HttpRequest } from '../../http/message.ts'
import type { Method } from '../../http/method.ts'
import { negotiateMediaType } from '../../http/negotiation.ts'
import { invalidParameter } from '../../query/query-parameter.ts'
import { refuse } from '../../refusal.ts'
import { operationOf, showsContent } from '../context/operation-of.ts'
import { type Target, uriWithoutFormat } from '../context/target.ts'
import {
  alternateLinks,
  isWithinLinkLimit,
  namedFormat,
  offeredFormats,
  offeredInVersion,
} from '../respond/offered-formats.ts'

/** The format of the response; refuses 400 when `?format=` names none that is offered, 406 when none is acceptable. */
export function negotiateFormat(
  { versions }: Pick<Model, 'versions'>,
  target: Target,
  method: Method,
  request: HttpRequest,
  version?: InterfaceVersion,
): Format {
  const format = findFormat(target, method, request.fields.accept, version)
  if (format) return format
  const offers = offersOf(target, method, version)
  if (askedFormat(target, method) !== undefined) {
    const names = offers.formats.map(({ name }) => name)
    throw invalidParameter('format', `must be one of: ${names.join(', ')}`)
  }
  const first = offers.formats[0]
  // Without content every format is acceptable.
  if (!showsContent(operationOf({ target, method })) && first) return first
  const alternates = alternateLinks(offers.formats, uriWithoutFormat(target)).filter(isWithinLinkLimit)
  // Older versions have JSON only.
  const hasVersions = !version && offers.mediaTypes.includes(json.mediaType)
  const offered = hasVersions ? withVersionTypes(versions, offers.mediaTypes) : offers.mediaTypes
  throw refuse('not-acceptable', {
    detail: `Accept one of: ${offered.join(', ')}.`,
    members: { offered },
    fields: alternates.length === 0 ? {} : { Link: formatLinks(alternates) },
  })
}

/** The offered format that `?format=` names, or that the field value of Accept prefers; undefined: none is acceptable. */
export function findFormat(
  target: Target,
  method: Method,
  accept: string | undefined,
  version?: InterfaceVersion,
): Format | undefined {
  const { formats, mediaTypes, byMediaType } = offersOf(target, method, version)
  const [first] = formats
  // A file has one representation, whatever Accept says.
  if (operationOf({ target, method }).offers === 'file' && first) return first
  const named = askedFormat(target, method)
  if (named !== undefined) return formats.find(({ name }) => name === named)
  return byMediaType.get(negotiateMediaType(accept, mediaTypes) ?? '')
}

/** The value of `?format=`. Octets have no such parameter. */
function askedFormat(target: Target, method: Method): string | undefined {
  return operationOf({ target, method }).offers === 'octets' ? undefined : namedFormat(target)
}

function offersOf(target: Target, method: Method, version: InterfaceVersion | undefined) {
  return version ? offeredInVersion(target, method, version) : offeredFormats(target, method)
}
