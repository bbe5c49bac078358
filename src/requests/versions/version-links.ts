/** The header fields and links of responses in an older version of the interface. */

import type { InterfaceVersion } from '../../definition/interface-version.ts'
import type { Format } from '../../formats/format.ts'
import { json } from '../../formats/json.ts'
import { linksNamingVersion, translateLinks, versionFormats } from '../../formats/version-formats.ts'
import { formatHttpDate } from '../../http/http-date.ts'
import type { Link } from '../../http/link.ts'
import type { ResponseFields } from '../../http/message.ts'
import { versionParameter, withoutParameter } from '../../query/query-parameter.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import { docsUri, uriInVersion } from '../../views/uri.ts'
import type { RequestContext } from '../context/request-context.ts'
import { type Target, uriWithoutFormat } from '../context/target.ts'
import { offeredInVersion } from '../respond/offered-formats.ts'
import { namesVersion } from './requested-version.ts'

/** Deprecation (RFC 9745 §2) and Sunset (RFC 8594) of a resource that the version describes, such as an item; `/` is none. */
export function deprecationFields(target: Target, version: InterfaceVersion): ResponseFields {
  return isVersioned(target) ? fieldsOf(version) : {}
}

function isVersioned(target: Target): boolean {
  if (target.kind !== 'document') return true
  const { describesInterface, showsItems, showsHistory } = target.document
  return (describesInterface ?? showsItems ?? showsHistory) === true
}

/** RFC 9745 §2: a structured date. */
const fieldsOf = memoizeByObject(
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
  const translated = translateLinks(version, resource, links)
  return [
    ...(namesVersion(target) ? linksNamingVersion(version, translated) : translated),
    ...(self === undefined ? [] : alternates(format, version, self)),
    ...(version.deprecated === undefined || !isVersioned(target)
      ? []
      : [{ target: uriInVersion(docsUri(service.model), version), rel: 'deprecation', type: 'text/html' }]),
  ]
}

/** The present version, and the other formats of this one. */
function alternates(format: Format, version: InterfaceVersion, uri: string): readonly Link[] {
  const others = versionFormats(version).filter(({ mediaType }) => mediaType !== format.mediaType)
  return [
    { target: uriInPresent(uri), rel: 'alternate', type: 'application/json' },
    ...others.map(({ name, mediaType }) => ({
      target: `${uriInVersion(uri, version)}&format=${name}`,
      rel: 'alternate',
      type: mediaType,
    })),
  ]
}

function uriInPresent(uri: string): string {
  const [path = '', query] = uri.split('?', 2)
  const rest = withoutParameter(query, versionParameter) ?? ''
  return rest === '' ? path : `${path}?${rest}`
}

/** The fields with URIs of a response in the version. */
export function locationsInVersion(
  context: RequestContext,
  version: InterfaceVersion,
  fields: ResponseFields,
): ResponseFields {
  const shown = inVersion(version, fields['Content-Location']) ?? locationInVersion(context, version)
  const made = namesVersion(context.target) ? inVersion(version, fields.Location) : undefined
  return {
    ...(shown === undefined ? {} : { 'Content-Location': shown }),
    ...(made === undefined ? {} : { Location: made }),
  }
}

function inVersion(version: InterfaceVersion, uri: ResponseFields[string] | undefined): string | undefined {
  return typeof uri === 'string' ? uriInVersion(uri, version) : undefined
}

/** The Content-Location of a GET in the version: its JSON is what the URI of the version shows. */
export function locationInVersion(
  { target, format, method }: RequestContext,
  version: InterfaceVersion,
): string | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined
  const uri = uriInVersion(uriWithoutFormat(target), version)
  const [first] = offeredInVersion(target, method, version).formats
  const isDefault = format.name === first?.name || format.name === json.name
  return isDefault ? uri : `${uri}&format=${format.name}`
}
