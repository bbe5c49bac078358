/** The header fields and links of responses in an older version of the interface. */

import type { InterfaceVersion } from '../../definition/interface-version.ts'
import type { ResourceModel } from '../../definition/model.ts'
import { presentName } from '../../definition/version-names.ts'
import { translateLinks, versionFormats } from '../../formats/version-formats.ts'
import { formatHttpDate } from '../../http/http-date.ts'
import type { Link } from '../../http/link.ts'
import type { ResponseFields } from '../../http/message.ts'
import { formatQueryString, parseQueryString, type QueryPair } from '../../http/query-string.ts'
import { versionParameter } from '../../query/query-parameter.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import { docsUri, uriInVersion } from '../../views/uri.ts'
import type { RequestContext } from '../context/request-context.ts'
import { type Target, uriWithoutFormat } from '../context/target.ts'

/** Deprecation (RFC 9745 §2: a structured date) and Sunset (RFC 8594). */
export const deprecationFields = memoizeByObject(
  ({ deprecated, sunset }: InterfaceVersion): ResponseFields => ({
    ...(deprecated === undefined ? {} : { Deprecation: `@${Math.floor(deprecated / 1000)}` }),
    ...(sunset === undefined ? {} : { Sunset: formatHttpDate(sunset) }),
  }),
)

/** The links in the version, with those to the present version and to the page about the deprecation. */
export function linksInVersion(
  { service, target, format }: RequestContext,
  version: InterfaceVersion,
  links: readonly Link[],
): readonly Link[] {
  const resource = 'resource' in target ? target.resource : undefined
  const self = links.find(({ rel }) => rel === 'self')?.target
  return [
    ...translateLinks(version, resource, links),
    ...(self === undefined ? [] : alternates({ target, format }, version, self)),
    ...(version.deprecated === undefined
      ? []
      : [{ target: uriInVersion(docsUri(service.model), version), rel: 'deprecation', type: 'text/html' }]),
  ]
}

function alternates(
  { target, format }: Pick<RequestContext, 'target' | 'format'>,
  version: InterfaceVersion,
  self: string,
): readonly Link[] {
  const present = presentUri(target, version, self)
  const others = versionFormats(version).filter(({ mediaType }) => mediaType !== format.mediaType)
  return [
    ...(present === undefined ? [] : [{ target: present, rel: 'alternate', type: 'application/json' }]),
    ...others.map(({ name, mediaType }) => ({
      target: `${uriInVersion(self, version)}&format=${name}`,
      rel: 'alternate',
      type: mediaType,
    })),
  ]
}

/** The URI of the present version, by its own names; undefined where a parameter has no equivalent. */
function presentUri(target: Target, version: InterfaceVersion, self: string): string | undefined {
  const [path = '', query] = self.split('?', 2)
  const resource = 'resource' in target ? target.resource : undefined
  const sent = (parseQueryString(query ?? '') ?? []).filter(
    ([name]) => name !== versionParameter && name !== '',
  )
  if (sent.length === 0) return path
  const pairs = resource && sent.map((pair) => presentPair(version, resource, pair))
  if (!pairs?.every((pair) => pair !== undefined)) return undefined
  return `${path}?${formatQueryString(pairs)}`
}

/** Parameters whose values are names of fields. */
const namesOfFields: ReadonlySet<string> = new Set(['sort', 'fields', 'embed', 'group-by', 'aggregate'])
const unchanged: ReadonlySet<string> = new Set(['limit', 'q'])

function presentPair(
  version: InterfaceVersion,
  resource: ResourceModel,
  [name, value]: QueryPair,
): QueryPair | undefined {
  if (unchanged.has(name)) return [name, value]
  // A cursor is for the list with the old names.
  if (name === 'after' || name === 'before') return undefined
  if (namesOfFields.has(name)) {
    const paths = value.split(',').map((path) => presentPath(version, resource, path))
    return paths.every((path) => path !== undefined) ? [name, paths.join()] : undefined
  }
  const path = presentPath(version, resource, name)
  return path === undefined ? undefined : [path, value]
}

/** The path with present names: `-owner.mail` becomes `-author.email`. */
function presentPath(version: InterfaceVersion, resource: ResourceModel, path: string): string | undefined {
  const [, sign = '', names = '', rest = ''] = /^(-?)([^[]*)(.*)$/.exec(path) ?? []
  let at: ResourceModel | undefined = resource
  const present: string[] = []
  for (const name of names.split('.')) {
    const found: string | undefined = at ? presentName(version, at, name) : name
    if (found === undefined) return undefined
    present.push(found)
    at = at?.relations.get(found)?.target
  }
  return `${sign}${present.join('.')}${rest}`
}

/** The Content-Location of a GET in the version: JSON is what the URI of the version shows. */
export function locationInVersion(
  { target, format, method }: RequestContext,
  version: InterfaceVersion,
): string | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined
  const uri = uriInVersion(uriWithoutFormat(target), version)
  return format.hypermedia === undefined ? uri : `${uri}&format=${format.name}`
}
