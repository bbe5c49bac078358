/** The older version of the interface that a request asks for: by `api-version`, Content-Type or Accept. */

import { type InterfaceVersion, withVersionTypes } from '../../definition/interface-version.ts'
import type { Model } from '../../definition/model.ts'
import { eventStream } from '../../formats/server-sent-events.ts'
import { formatWithMembers } from '../../formats/version-formats.ts'
import { parseMediaType } from '../../http/media-type.ts'
import type { HttpRequest } from '../../http/message.ts'
import type { Method } from '../../http/method.ts'
import { acceptedTypesByName, negotiateMediaType } from '../../http/negotiation.ts'
import { parseQueryString } from '../../http/query-string.ts'
import type { ItemSelection } from '../../query/item-query.ts'
import { invalidParameter, versionParameter } from '../../query/query-parameter.ts'
import { type Refusal, refuse } from '../../refusal.ts'
import { memoizeByObject, memoizeByText } from '../../tools/memoize.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { Target } from '../context/target.ts'
import { namedFormat, offeredFormats } from '../respond/offered-formats.ts'

/**
 * The version of the content and of the response; undefined: the present one. Refuses 400 where two
 * parts of the request name different versions. `requireKnownVersion` refuses an unknown one later.
 */
export function findRequestedVersion(
  { versions }: Model,
  target: Target,
  method: Method,
  { fields }: HttpRequest,
): InterfaceVersion | undefined {
  if (versions.size === 0) return undefined
  const named = namedVersion(target)
  const byParameter = named === undefined ? undefined : versions.get(named)
  const byContent = findByMediaType(versions, parseType(fields['content-type'] ?? '')?.essence)
  const stated = byParameter ?? byContent
  if (!stated)
    return named === undefined ? negotiateVersion(versions, target, method, fields.accept) : undefined
  const accepted = [...versions.values()].filter(({ mediaType }) =>
    acceptedTypesByName(fields.accept ?? '').has(mediaType),
  )
  const isRefused = accepted.length > 0 && !accepted.includes(stated)
  if ((byContent && byContent !== stated) || isRefused) throw conflict(stated, byContent, accepted)
  return stated
}

/** Refuses 400 for an unknown value of `api-version`. */
export function requireKnownVersion({ service, target }: RequestContext): void {
  const { versions } = service.model
  const named = versions.size === 0 ? undefined : namedVersion(target)
  if (named === undefined || versions.has(named)) return
  throw invalidParameter(
    versionParameter,
    `must be one of: ${[...versions.keys()].join(', ')}`,
    'Leave it out for the present version.',
  )
}

/** Whether the URI names a version, and not a media type: links then name it too. */
export function namesVersion(target: Target): boolean {
  return namedVersion(target) !== undefined
}

function namedVersion({ query }: Target): string | undefined {
  if (query === undefined) return undefined
  return parseQueryString(query)?.find(([name]) => name === versionParameter)?.[1]
}

type Versions = Model['versions']

function findByMediaType(versions: Versions, mediaType: string | undefined): InterfaceVersion | undefined {
  if (mediaType === undefined) return undefined
  return [...versions.values()].find((version) => version.mediaType === mediaType)
}

const parseType = memoizeByText((value) => parseMediaType(value) ?? null)

/** The version whose media type the client prefers to the formats of the present version. */
function negotiateVersion(
  versions: Versions,
  target: Target,
  method: Method,
  accept: string | undefined,
): InterfaceVersion | undefined {
  if (namedFormat(target) !== undefined) return undefined
  const offers = offersWith(versions)(offeredFormats(target, method).mediaTypes)
  return findByMediaType(versions, negotiateMediaType(accept, offers))
}

const offersWith = memoizeByObject((versions: Versions) =>
  memoizeByObject((offers: readonly string[]) => withVersionTypes(versions, offers)),
)

function conflict(
  stated: InterfaceVersion,
  byContent: InterfaceVersion | undefined,
  accepted: readonly InterfaceVersion[],
): Refusal {
  const other = byContent && byContent !== stated ? byContent : accepted[0]
  return refuse('malformed-request', {
    detail: `The request names the versions ${stated.name} and ${other?.name}. Use one of them for the URI, Content-Type and Accept.`,
  })
}

/** The request with a format that shows only the members that the client chose in an older version. */
export function withMembers(context: RequestContext, { members }: ItemSelection): RequestContext {
  const { version, format } = context
  if (!version || !members || format === eventStream) return context
  return { ...context, format: formatWithMembers(version, format, members) }
}
