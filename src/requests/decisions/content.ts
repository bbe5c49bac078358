/** The content of a request: its header fields are checked first, its octets are read when needed. */

import { findFileModel } from '../../definition/file-fields.ts'
import { type InterfaceVersion, withVersionTypes } from '../../definition/interface-version.ts'
import type { ActionModel, Model, ResourceModel } from '../../definition/model.ts'
import { parseFormPairs } from '../../formats/form-reader.ts'
import type { Format } from '../../formats/format.ts'
import { readableFormats, readableManyFormats } from '../../formats/formats.ts'
import { parseJson } from '../../formats/json-reader.ts'
import { acceptImport } from '../../html/forms/import-form.ts'
import { parseMediaType } from '../../http/media-type.ts'
import type { HttpRequest } from '../../http/message.ts'
import { formDataType } from '../../http/multipart.ts'
import { refuse } from '../../refusal.ts'
import { memoizeByObject, memoizeByText } from '../../tools/memoize.ts'
import { createYield } from '../../tools/time-slices.ts'
import type { PatchKind, RequestContent } from '../context/request-content.ts'
import type { Method, NegotiatedRequest } from '../context/request-context.ts'
import type { ServiceContext } from '../context/service-context.ts'
import type { ActionTarget, CollectionTarget, DocumentTarget, ItemTarget, Target } from '../context/target.ts'
import { decoderFor } from './content-decoding.ts'

const withContent: ReadonlySet<Method> = new Set(['POST', 'QUERY', 'PUT', 'PATCH'])
const mergePatch = 'application/merge-patch+json'
const jsonPatch = 'application/json-patch+json'

/** The media types that the method accepts, as in Accept-Post, Accept-Patch and Accept-Query, with older versions. */
export function acceptedTypesInAllVersions(
  { versions }: Pick<Model, 'versions'>,
  method: Method,
  target: Target,
) {
  const types = acceptedTypes(method, target)
  return target.kind === 'document' ? types : withVersionTypes(versions, types)
}

/** The media types that the method accepts in a version of the interface, the present one by default. */
export function acceptedTypes(method: Method, target: Target, version?: InterfaceVersion): readonly string[] {
  const types = [...readersFor(method, target, version).keys()]
  return takesFiles(method, target) && !version ? [...types, formDataType] : types
}

/** Whether the request may be a form with files. */
function takesFiles(method: Method, target: Target): target is CollectionTarget | ItemTarget {
  if (method === 'QUERY' || (target.kind !== 'collection' && target.kind !== 'item')) return false
  return target.resource.fields.some(findFileModel)
}

type Read = NonNullable<Format['read']>

type Readers = ReadonlyMap<string, Read>

/** The values of a form as they were sent. */
const formReaders: Readers = new Map([['application/x-www-form-urlencoded', parseFormPairs]])
const jsonReaders: Readers = new Map([['application/json', parseJson]])
const itemReaders: Readers = new Map(
  readableFormats.flatMap(({ mediaType, read }) => (read ? [[mediaType, read]] : [])),
)
const patchReaders: Readers = new Map([[mergePatch, parseJson], [jsonPatch, parseJson], ...itemReaders])
const bulkReaders: Readers = new Map([
  ...itemReaders,
  ...readableManyFormats.flatMap(({ mediaType, readMany }): [string, Read][] =>
    readMany ? [[mediaType, readMany]] : [],
  ),
])

function readersFor(method: Method, target: Target, version?: InterfaceVersion): Readers {
  if (target.kind === 'document' && target.document.takesForm) return formReaders
  if (version)
    return method === 'PATCH' ? readersInVersion(version).patches : readersInVersion(version).ofItems
  if (method === 'QUERY' || target.kind === 'document') return jsonReaders
  if (method === 'PATCH') return patchReaders
  const bulk = method === 'POST' && target.kind === 'collection' && target.resource.bulk
  return bulk ? bulkReaders : itemReaders
}

/** Content in an older version of the interface is JSON. */
const readersInVersion = memoizeByObject(({ mediaType }: InterfaceVersion) => {
  const ofItems: Readers = new Map([[mediaType, parseJson], ...jsonReaders])
  const patches: Readers = new Map([[mergePatch, parseJson], [jsonPatch, parseJson], ...ofItems])
  return { ofItems, patches }
})

/** The content, undefined for methods without content. Refuses 415, 400 and 413 by the header fields. */
export function requireAcceptableContent(
  { service, caller, method, target, version }: NegotiatedRequest,
  request: HttpRequest & { readonly isImport?: boolean },
): RequestContent | undefined {
  if (!withContent.has(method) || target.kind === 'asterisk') return undefined
  // The URI says everything; content is ignored, as that of a DELETE is.
  if (target.kind === 'element') return undefined
  if (target.kind === 'file') {
    const { path, fileId } = target
    const field = fileId === undefined ? target.field : (target.field.item ?? target.field)
    return service.files?.acceptFile({ store: service.store, caller, field, path, request })
  }
  const { fields, content } = request
  if (!content.present) return isEmptyInput(target, fields) ? emptyInput : missingContent(method)
  if (request.isImport && target.kind === 'collection') {
    return acceptImport({ resource: target.resource, request, maxOctets: service.limits.content })
  }
  if (service.files && !version && takesFiles(method, target)) {
    const type = parseContentType(fields['content-type'] ?? '')
    const { resource } = target
    const maxValues = service.limits.content
    if (type?.essence === formDataType) {
      return service.files.acceptForm({ caller, resource, method, request, type, maxValues })
    }
  }
  return itemContent({ model: service.model, method, target, version }, request, service.limits)
}

/** The content in a format of items or of changes to them, decoded and read on demand. */
function itemContent(
  place: ContentPlace,
  { fields, content }: HttpRequest,
  limits: ServiceContext['limits'],
): RequestContent {
  const { method } = place
  const expected = fields['if-match']
  const { patch, read } = readerFor(place, fields['content-type'])
  const decode = decoderFor(fields['content-encoding'])
  // RFC 9110 §14.5: a partial PUT must not replace the whole item.
  if (method === 'PUT' && fields['content-range'] !== undefined) {
    throw refuse('malformed-request', {
      detail: 'PUT replaces the whole item. Send it without Content-Range.',
    })
  }
  const limit = method === 'QUERY' ? limits.query : limits.content
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

/** Whether an action gets an input without members: it requires none, or a form without fields was sent. */
function isEmptyInput(target: Target, fields: HttpRequest['fields']): boolean {
  if (target.kind !== 'action') return false
  const type = parseContentType(fields['content-type'] ?? '')
  return type?.essence === 'application/x-www-form-urlencoded' || !requiresInput(target.action)
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

function requiresInput({ input }: ActionModel): boolean {
  return input.fields.some((field) => field.required && field.default === undefined)
}

interface Reader {
  readonly patch: PatchKind
  read(octets: Uint8Array): unknown
}

interface ContentPlace {
  readonly model: Model
  readonly method: Method
  readonly target: CollectionTarget | ItemTarget | ActionTarget | DocumentTarget
  readonly version: InterfaceVersion | undefined
}

function readerFor(place: ContentPlace, value: string | undefined): Reader {
  const { method, target, version } = place
  const type = value === undefined ? undefined : parseContentType(value)
  const charset = type?.parameters.get('charset')?.toLowerCase()
  if (type && (charset === undefined || charset === 'utf-8')) {
    const readers = readersFor(method, target, version)
    const read = readers.get(type.essence)
    const patch = patchKinds[type.essence] ?? 'merge'
    const resource = resourceOf(target)
    // Formats of items need the resource.
    if (read && !resource) return { patch, read: readers === formReaders ? parseFormPairs : parseJson }
    if (read && resource) {
      const options = { resource, charset, patch: method === 'PATCH' }
      return { patch, read: (octets) => read(octets, options) }
    }
  }
  throw unsupported(place, value)
}

/** The resource that the content is an item of. */
function resourceOf(
  target: CollectionTarget | ItemTarget | ActionTarget | DocumentTarget,
): ResourceModel | undefined {
  if (target.kind === 'document') return undefined
  return target.kind === 'action' ? target.action.input : target.resource
}

const patchKinds: Readonly<Record<string, PatchKind>> = {
  [jsonPatch]: 'json-patch',
  'application/x-www-form-urlencoded': 'fields',
}

const parseContentType = memoizeByText(parseMediaType)

/** §15.5.16: 415 with the accepted types. It has no Accept-Encoding, which would blame the coding. */
function unsupported({ model, method, target, version }: ContentPlace, value: string | undefined) {
  const accepted = version
    ? acceptedTypes(method, target, version)
    : acceptedTypesInAllVersions(model, method, target)
  const types = accepted.join(', ')
  const sent = value === undefined ? 'No Content-Type was sent' : describeType(value)
  const field = acceptFields[method]
  return refuse('unsupported-media-type', {
    detail: `${sent}. Send one of: ${types}.`,
    fields: { Accept: types, ...(field === undefined ? {} : { [field]: types }) },
  })
}

function describeType(value: string): string {
  const isForm = parseContentType(value)?.essence === 'application/x-www-form-urlencoded'
  return isForm
    ? 'The content arrived as a form (application/x-www-form-urlencoded)'
    : 'This Content-Type is not supported'
}

const acceptFields: Partial<Record<Method, string>> = {
  POST: 'Accept-Post',
  PATCH: 'Accept-Patch',
  QUERY: 'Accept-Query',
}
