/** The paths outside of the base of the service: the files of its site (RFC 9110, RFC 9111). */

import type { ReadStream } from 'node:fs'
import { formatEntityTag } from '../../http/entity-tag.ts'
import { formatHttpDate } from '../../http/http-date.ts'
import type { Fields, HttpRequest, HttpResponse, ResponseFields } from '../../http/message.ts'
import { negotiateCoding } from '../../http/negotiation.ts'
import { evaluatePreconditions, type SelectedRepresentation } from '../../http/precondition.ts'
import { formatContentRange, type OctetRange } from '../../http/range.ts'
import { parseTarget } from '../../http/request-target.ts'
import { refuse } from '../../refusal.ts'
import { type Document, outsideBase } from '../../requests/context/target.ts'
import { requireRange } from '../../requests/respond/file-content.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import { beingReplaced, type FileVersion, openSite, type SiteFile } from './site-files.ts'
import { type SiteModel, siteModel } from './site-model.ts'

/** The files of a site, read once for all its requests. */
export const loadSite = memoizeByObject(openSite)

export const siteDocument: Document = {
  route: outsideBase,
  personal: false,
  async respond({ service: { model, clock }, request }) {
    const site = siteModel.of(model)
    return site && respondWithFile(site, request, clock.now())
  },
}

interface ChosenFile {
  readonly path: string
  readonly file: SiteFile
  /** Whether the response is the fallback, which depends on what the client asks for. */
  readonly isFallback: boolean
}

async function respondWithFile(model: SiteModel, request: HttpRequest, now: number): Promise<HttpResponse> {
  const site = await loadSite(model)
  // Once more where a new build has replaced the file.
  for (let tries = 0; tries < 3; tries++) {
    const found = findFile(model, request, site.find)
    const version = chooseVersion(found.file, request.fields)
    // First, because a tag of a former build must not be confirmed.
    const handle = await site.open(version)
    if (!handle) continue
    let body: ReadStream | undefined
    try {
      const { range, ...response } = selectResponse(model, request, { found, version, now })
      if (range === undefined) return response
      // The stream closes the file, also where the client leaves early.
      body = handle.createReadStream(range === 'whole' ? undefined : { start: range.first, end: range.last })
      return { ...response, body }
    } finally {
      if (!body) await handle.close()
    }
  }
  throw beingReplaced()
}

interface SelectedResponse extends Pick<HttpResponse, 'status' | 'fields'> {
  /** The octets of the content; undefined: it has none. */
  readonly range: 'whole' | OctetRange | undefined
}

interface SelectedFile {
  readonly found: ChosenFile
  readonly version: FileVersion
  readonly now: number
}

/** Refuses 412 and 416. */
function selectResponse(
  model: SiteModel,
  request: HttpRequest,
  { found, version, now }: SelectedFile,
): SelectedResponse {
  const fields = fieldsOf(model, found, version)
  const result = evaluatePreconditions(request, representationOf(found.file, version), now)
  if (result === 'failed') throw refuse('precondition-failed', { fields: { ETag: String(fields.ETag) } })
  if (result === 'not-modified') return { status: 304, fields, range: undefined }
  const validators = { entityTag: { weak: false, opaque: version.tag }, strongDate: undefined }
  const range =
    request.method === 'GET' ? requireRange(request.fields, version.size, validators, now) : 'whole'
  const complete = withContentFields(fields, found.file, version, range)
  const status = range === 'whole' ? 200 : 206
  return { status, fields: complete, range: request.method === 'HEAD' ? undefined : range }
}

/** Refuses 404. */
function findFile(
  { fallback }: SiteModel,
  request: HttpRequest,
  find: (path: string) => SiteFile | undefined,
): ChosenFile {
  const path = pathOf(request.target)
  const file = path === undefined ? undefined : find(path)
  if (path !== undefined && file) return { path, file, isFallback: false }
  const page = fallback !== undefined && path !== undefined && isNavigation(request.fields) && find(fallback)
  if (page) return { path: fallback, file: page, isFallback: true }
  throw refuse('not-found', { detail: "This page doesn't exist." })
}

/** The path of a file; undefined for one that no file has, whose segments are empty, begin with a dot or have a slash. */
function pathOf(target: string): string | undefined {
  const parsed = parseTarget(target)
  if (parsed.kind !== 'path') return undefined
  const { segments, hasTrailingSlash } = parsed
  const names = segments.length === 0 || hasTrailingSlash ? [...segments, 'index.html'] : segments
  return names.some((name) => !/^[^./][^/]*$/.test(name)) ? undefined : `/${names.join('/')}`
}

/** Whether a browser asks for a page, as it says by Sec-Fetch-Mode, or for HTML. */
function isNavigation({ 'sec-fetch-mode': mode, accept = '' }: Fields): boolean {
  return mode === undefined ? /\btext\/html\b/i.test(accept) : mode === 'navigate'
}

/** A part is one of the octets of the file itself. */
function chooseVersion({ versions }: SiteFile, { range, 'accept-encoding': accepted }: Fields): FileVersion {
  const [own, ...coded] = versions
  if (range !== undefined) return own
  const coding = negotiateCoding(
    accepted,
    coded.map((version) => version.coding),
  )
  return coded.find((version) => version.coding === coding) ?? own
}

function fieldsOf(
  { immutable, policy }: SiteModel,
  { path, file, isFallback }: ChosenFile,
  version: FileVersion,
): ResponseFields {
  const isImmutable = immutable !== undefined && path.startsWith(immutable)
  const varies = [
    ...(file.versions.length > 1 ? ['Accept-Encoding'] : []),
    ...(isFallback ? ['Accept', 'Sec-Fetch-Mode'] : []),
  ]
  return {
    'Cache-Control': isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    ETag: formatEntityTag({ weak: false, opaque: version.tag }),
    'Last-Modified': formatHttpDate(file.versions[0].modifiedAt),
    ...(varies.length > 0 ? { Vary: varies.join(', ') } : {}),
    ...(file.isPage ? { 'Content-Security-Policy': policy } : {}),
  }
}

function withContentFields(
  fields: ResponseFields,
  { contentType }: SiteFile,
  { coding, size }: FileVersion,
  range: 'whole' | OctetRange,
): ResponseFields {
  return {
    'Content-Type': contentType,
    ...(coding === 'identity' ? {} : { 'Content-Encoding': coding }),
    ...fields,
    'Accept-Ranges': 'bytes',
    ...(range === 'whole' ? {} : { 'Content-Range': formatContentRange(range, size) }),
    'Content-Length': String(range === 'whole' ? size : range.last - range.first + 1),
  }
}

function representationOf({ versions }: SiteFile, { tag }: FileVersion): SelectedRepresentation {
  return {
    entityTag: { weak: false, opaque: tag },
    lastModified: () => versions[0].modifiedAt,
    isCurrent: (opaque) => versions.some((version) => version.tag === opaque),
  }
}
