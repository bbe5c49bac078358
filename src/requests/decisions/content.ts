/** The content of a request: its header fields are checked first, its octets are read when needed. */

import { gunzip } from 'node:zlib'
import { findFileModel } from '../../definition/file-fields.ts'
import { type InterfaceVersion, withVersionTypes } from '../../definition/interface-version.ts'
import type { Model, ResourceModel } from '../../definition/model.ts'
import { parseForm, parseFormPairs } from '../../formats/form-reader.ts'
import type { Format } from '../../formats/format.ts'
import { readableFormats, readableManyFormats } from '../../formats/formats.ts'
import { hal, readHal } from '../../formats/hal.ts'
import { parseJson } from '../../formats/json-reader.ts'
import { parseMediaType } from '../../http/media-type.ts'
import type { HttpRequest, ResponseFields } from '../../http/message.ts'
import type { Method } from '../../http/method.ts'
import { formDataType } from '../../http/multipart.ts'
import { partialUploadType } from '../../http/upload-fields.ts'
import { refuse } from '../../refusal.ts'
import { memoizeByObject, memoizeByText } from '../../tools/memoize.ts'
import { promisify } from '../../tools/node-builtins.ts'
import { createYield } from '../../tools/time-slices.ts'
import type { CoreRequest } from '../context/core-request.ts'
import { findOperation, methodsOf, operationOf } from '../context/operation-of.ts'
import type { ContentKind } from '../context/operations.ts'
import type { PatchKind, RequestContent } from '../context/request-content.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { ServiceContext } from '../context/service-context.ts'
import type { Target } from '../context/target.ts'

const mergePatch = 'application/merge-patch+json'
const jsonPatch = 'application/json-patch+json'
const formType = 'application/x-www-form-urlencoded'

/** The fields of a response that name the media types of content, in the order of OPTIONS. */
const acceptFieldNames: readonly (readonly [Method, string])[] = [
  ['POST', 'Accept-Post'],
  ['QUERY', 'Accept-Query'],
  ['PATCH', 'Accept-Patch'],
]

/** The fields that name the media types of the content that the target takes, in all versions of the interface. */
export function acceptFields(model: Pick<Model, 'versions'>, target: Target): ResponseFields {
  const fields = acceptFieldNames.flatMap(([method, name]) => {
    const content = methodsOf(target).has(method) ? findOperation({ target, method })?.content : undefined
    if (content === undefined || content === 'own' || content === 'document') return []
    return [[name, typesAt(model, target, content).join(', ')]]
  })
  return Object.fromEntries(fields)
}

/** The media types that an operation of the target takes. */
function typesAt(
  { versions }: Pick<Model, 'versions'>,
  target: Target,
  content: ContentKind,
): readonly string[] {
  switch (content) {
    case 'part':
      return [partialUploadType]
    case 'file':
      return target.kind === 'file' ? [...(findFileModel(target.field)?.types ?? []), formDataType] : []
    case 'form':
    case 'requests':
    case 'document':
      return acceptedTypes(content, undefined)
    default:
      return withVersionTypes(versions, acceptedTypes(content, findResource(target)))
  }
}

/** The media types of content in a version of the interface, the present one by default. */
export function acceptedTypes(
  content: ContentKind,
  resource: ResourceModel | undefined,
  version?: InterfaceVersion,
): readonly string[] {
  const types = [...readersFor(content, resource, version).keys()]
  return resource && takesFiles(content, resource) && !version ? [...types, formDataType] : types
}

/** Whether the content may be a form with files. */
function takesFiles(content: ContentKind, { fields }: ResourceModel): boolean {
  return (content === 'item' || content === 'items' || content === 'patch') && fields.some(findFileModel)
}

type Read = NonNullable<Format['read']>

type Readers = ReadonlyMap<string, Read>

/** The values of a form as they were sent. */
const formReaders: Readers = new Map([[formType, parseFormPairs]])
const jsonReaders: Readers = new Map([['application/json', parseJson]])
/** Documents take the forms of their HTML pages too, as members. */
const documentReaders: Readers = new Map([...jsonReaders, [formType, parseForm]])
const itemReaders: Readers = new Map(
  readableFormats.flatMap(({ mediaType, read }) => (read ? [[mediaType, read]] : [])),
)
/** RFC 9110 §9.3.4: a client may replace an item by what it got. */
const replacementReaders: Readers = new Map([...itemReaders, [hal.mediaType, readHal]])
const patchReaders: Readers = new Map([[mergePatch, parseJson], [jsonPatch, parseJson], ...itemReaders])
const bulkReaders: Readers = new Map([
  ...itemReaders,
  ...readableManyFormats.flatMap(({ mediaType, readMany }): [string, Read][] =>
    readMany ? [[mediaType, readMany]] : [],
  ),
])

function readersFor(
  content: ContentKind,
  resource: ResourceModel | undefined,
  version: InterfaceVersion | undefined,
): Readers {
  if (content === 'form') return formReaders
  if (content === 'document') return documentReaders
  if (version)
    return content === 'patch' ? readersInVersion(version).patches : readersInVersion(version).ofItems
  if (content === 'filter' || content === 'requests') return jsonReaders
  if (content === 'patch') return patchReaders
  if (content === 'item') return replacementReaders
  return content === 'items' && resource?.bulk ? bulkReaders : itemReaders
}

/** Content in an older version of the interface is JSON. */
const readersInVersion = memoizeByObject(({ mediaType }: InterfaceVersion) => {
  const ofItems: Readers = new Map([[mediaType, parseJson], ...jsonReaders])
  const patches: Readers = new Map([[mergePatch, parseJson], [jsonPatch, parseJson], ...ofItems])
  return { ofItems, patches }
})

/** The content, undefined for operations without content. Refuses 415, 400 and 413 by the header fields. */
export function requireAcceptableContent(
  { unit, caller, method, target, version, isDryRun }: RequestContext,
  request: CoreRequest,
): RequestContent | undefined {
  const { content: kind } = operationOf({ target, method })
  if (kind === undefined) return undefined
  if (target.kind === 'file') {
    const { path, fileId } = target
    const field = fileId === undefined ? target.field : (target.field.item ?? target.field)
    return unit.files?.acceptFile({ store: unit.store, isDryRun, caller, field, path, request })
  }
  const { fields, content } = request
  const resource = target.kind === 'document' ? target.document.form?.input(unit.model) : findResource(target)
  if (!content.present) return isEmptyInput(target, resource, fields) ? emptyInput : missingContent(method)
  if (request.acceptContent) return request.acceptContent(unit.limits.content)
  if (unit.files && !version && resource && takesFiles(kind, resource)) {
    const type = parseContentType(fields['content-type'] ?? '')
    const maxValues = unit.limits.content
    if (type?.essence === formDataType) {
      return unit.files.acceptForm({ isDryRun, caller, resource, method, request, type, maxValues })
    }
  }
  const place = { model: unit.model, method, target, kind, resource, version }
  return itemContent(place, request, unit.limits)
}

/** The content in a format of items or of changes to them, decoded and read on demand. */
function itemContent(
  place: ContentPlace,
  { fields, content }: HttpRequest,
  limits: ServiceContext['limits'],
): RequestContent {
  const { kind } = place
  const expected = fields['if-match']
  const { patch, read } = readerFor(place, fields['content-type'])
  const decode = decoderFor(fields['content-encoding'])
  // RFC 9110 §14.5: a partial PUT must not replace the whole item.
  if (kind === 'item' && fields['content-range'] !== undefined) {
    throw refuse('malformed-request', {
      detail: 'PUT replaces the whole item. Send it without Content-Range.',
    })
  }
  const limit = kind === 'filter' ? limits.query : limits.content
  if (content.length !== undefined && content.length > limit) {
    throw refuse('content-too-large', {
      detail: `The content may have at most ${limit} octets.`,
    })
  }
  let octets: Promise<Uint8Array> | undefined
  let value: Promise<unknown> | undefined
  const requestContent: RequestContent = {
    patch,
    expectsVersion: expected !== undefined && expected.trim() !== '*',
    octets() {
      if (octets) return octets
      const sent = content.read(limit)
      octets = decode ? sent.then((coded) => decode(coded, limit)) : sent
      return octets
    },
    read() {
      value ??= requestContent.octets().then(async (sent) => {
        const pause = createYield()
        const parsed = await read(sent)
        // The use of a large value begins a time slice of its own.
        await pause()
        return parsed
      })
      return value
    },
  }
  return requestContent
}

/** Whether an action or a form gets an input without members: it requires none, or a form without fields was sent. */
function isEmptyInput(
  { kind }: Target,
  input: ResourceModel | undefined,
  fields: HttpRequest['fields'],
): boolean {
  if (!input || (kind !== 'action' && kind !== 'document')) return false
  const type = parseContentType(fields['content-type'] ?? '')
  return type?.essence === formType || !requiresInput(input)
}

/** Refused when it is read, like an empty message in chunked coding. */
function missingContent(method: Method): RequestContent {
  return {
    patch: 'merge',
    expectsVersion: false,
    octets: async () => new Uint8Array(0),
    async read() {
      throw refuse('malformed-content', { detail: `${method} needs content.` })
    },
  }
}

/** An action without required input needs no content, and then has an input without members. */
const emptyInput: RequestContent = Object.freeze({
  patch: 'merge',
  expectsVersion: false,
  octets: async () => new Uint8Array(0),
  read: async () => ({}),
})

function requiresInput({ fields }: ResourceModel): boolean {
  return fields.some((field) => field.required && field.default === undefined)
}

interface Reader {
  readonly patch: PatchKind
  read(octets: Uint8Array): unknown
}

interface ContentPlace {
  readonly model: Model
  readonly method: Method
  readonly target: Target
  readonly kind: ContentKind
  /** The resource that the content is an item of; undefined: it is none. */
  readonly resource: ResourceModel | undefined
  readonly version: InterfaceVersion | undefined
}

function readerFor(place: ContentPlace, value: string | undefined): Reader {
  const { kind, resource, version } = place
  const type = value === undefined ? undefined : parseContentType(value)
  const charset = type?.parameters.get('charset')?.toLowerCase()
  if (type && (charset === undefined || charset === 'utf-8')) {
    const read = readersFor(kind, resource, version).get(type.essence)
    const patch = patchKinds[type.essence] ?? 'merge'
    // Formats of items need the resource.
    if (read && !resource) return { patch, read: kind === 'form' ? parseFormPairs : parseJson }
    if (read && resource) {
      const options = { resource, charset, patch: kind === 'patch' }
      return { patch, read: (octets) => read(octets, options) }
    }
  }
  throw unsupported(place, value)
}

/** The resource that the content is an item of. */
function findResource(target: Target): ResourceModel | undefined {
  if (target.kind === 'action') return target.action.input
  return 'resource' in target ? target.resource : undefined
}

const patchKinds: Readonly<Record<string, PatchKind>> = {
  [jsonPatch]: 'json-patch',
  [formType]: 'fields',
}

const parseContentType = memoizeByText(parseMediaType)

/** §15.5.16: 415 with the accepted types. It has no Accept-Encoding, which would blame the coding. */
function unsupported(
  { model, method, target, kind, resource, version }: ContentPlace,
  value: string | undefined,
) {
  const accepted = version ? acceptedTypes(kind, resource, version) : typesAt(model, target, kind)
  const types = accepted.join(', ')
  const sent = value === undefined ? 'No Content-Type was sent' : describeType(value)
  const field = acceptFieldNames.find(([one]) => one === method)?.[1]
  return refuse('unsupported-media-type', {
    detail: `${sent}. Send one of: ${types}.`,
    fields: { Accept: types, ...(field === undefined ? {} : { [field]: types }) },
  })
}

function describeType(value: string): string {
  const isForm = parseContentType(value)?.essence === formType
  return isForm
    ? 'The content arrived as a form (application/x-www-form-urlencoded)'
    : 'This Content-Type is not supported'
}

/** Returns the decoded octets; refuses 413 when they exceed the limit, 400 when they are not valid. */
type Decoder = (coded: Uint8Array, limit: number) => Promise<Uint8Array>

/** The decoder for the value of Content-Encoding; undefined for `identity`. Refuses 415 for other codings. */
export function decoderFor(contentEncoding: string | undefined): Decoder | undefined {
  const coding = contentEncoding?.trim().toLowerCase() ?? 'identity'
  if (coding === 'identity') return undefined
  // §8.4.1.3: x-gzip is equivalent to gzip.
  if (coding === 'gzip' || coding === 'x-gzip') return decodeGzip
  throw refuse('unsupported-content-coding', {
    detail: 'Send the content uncoded or in gzip.',
    // §12.5.3: in a response, the codings that requests may use.
    fields: { 'Accept-Encoding': 'gzip' },
  })
}

const expand = promisify(gunzip)

/** Stops at the limit: a few coded octets can expand to very many. */
async function decodeGzip(coded: Uint8Array, limit: number): Promise<Uint8Array> {
  try {
    return await expand(coded, { maxOutputLength: limit })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw refuse('content-too-large', {
        detail: `The content may have at most ${limit} octets after gzip is decoded.`,
        cause,
      })
    }
    throw refuse('malformed-content', { detail: 'The content is not valid gzip.', cause })
  }
}
