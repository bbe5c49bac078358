/** The content of a request: what header fields say of it first, its octets only when needed. */

import type {
  Method,
  NegotiatedRequest,
  PatchKind,
  RequestContent,
} from '../context/request-context.ts'
import type { CollectionTarget, ItemTarget, Target } from '../context/target.ts'
import { parseMediaType } from '../http/media-type.ts'
import type { HttpRequest } from '../http/message.ts'
import { refuse } from '../refusal.ts'
import { readableFormats, readableManyFormats } from '../representations/formats.ts'
import { parseJson } from '../representations/json-reader.ts'
import type { Representation } from '../representations/representation.ts'
import { memoizeByText } from '../tools/memoize.ts'
import { decoderFor } from './content-decoding.ts'

const withContent: ReadonlySet<Method> = new Set(['POST', 'QUERY', 'PUT', 'PATCH'])
const mergePatch = 'application/merge-patch+json'
const jsonPatch = 'application/json-patch+json'

/** The media types that content of this method may have, as Accept-Post and its kin list them. */
export function acceptedTypes(method: Method, target: Target): readonly string[] {
  return [...readersFor(method, target).keys()]
}

type Read = NonNullable<Representation['read']>

type Readers = ReadonlyMap<string, Read>

const ofQueries: Readers = new Map([['application/json', parseJson]])
const ofItems: Readers = new Map(
  readableFormats.flatMap(({ mediaType, read }) => (read ? [[mediaType, read]] : [])),
)
const ofPatches: Readers = new Map([[mergePatch, parseJson], [jsonPatch, parseJson], ...ofItems])
const ofMany: Readers = new Map([
  ...ofItems,
  ...readableManyFormats.flatMap(({ mediaType, readMany }): [string, Read][] =>
    readMany ? [[mediaType, readMany]] : [],
  ),
])

function readersFor(method: Method, target: Target): Readers {
  if (method === 'QUERY') return ofQueries
  if (method === 'PATCH') return ofPatches
  const bulk = method === 'POST' && target.kind === 'collection' && target.resource.bulk
  return bulk ? ofMany : ofItems
}

/** Decides from header fields alone: 415, 400, 413. Undefined for methods without content. */
export function requireAcceptableContent(
  { service, method, target }: NegotiatedRequest,
  request: HttpRequest,
): RequestContent | undefined {
  if (!withContent.has(method) || !('resource' in target)) return undefined
  const { fields, content } = request
  if (!content.present) return missingContent(method)
  const { patch, read } = readerFor(method, target, fields['content-type'])
  const decode = decoderFor(fields['content-encoding'])
  // RFC 9110 §14.5: a partial PUT must not be taken for a whole one.
  if (method === 'PUT' && fields['content-range'] !== undefined) {
    throw refuse('malformed-request', { detail: 'Content-Range has no meaning in PUT here.' })
  }
  const limit = method === 'QUERY' ? service.limits.query : service.limits.content
  if (content.length !== undefined && content.length > limit) {
    throw refuse('content-too-large', { detail: `At most ${limit} octets.` })
  }
  let octets: Promise<Uint8Array> | undefined
  let value: Promise<unknown> | undefined
  const admitted: RequestContent = {
    patch,
    octets() {
      if (octets) return octets
      const sent = content.read(limit)
      octets = decode ? sent.then((coded) => decode(coded, limit)) : sent
      return octets
    },
    read() {
      value ??= admitted.octets().then(read)
      return value
    },
  }
  return admitted
}

/** Refused only when it is read: an empty message and an empty chunked one are judged alike. */
function missingContent(method: Method): RequestContent {
  return {
    patch: 'merge',
    octets: async () => new Uint8Array(0),
    async read() {
      throw refuse('malformed-content', { detail: `${method} needs content, and none was sent.` })
    },
  }
}

interface Reader {
  readonly patch: PatchKind
  read(octets: Uint8Array): unknown
}

function readerFor(
  method: Method,
  target: CollectionTarget | ItemTarget,
  value: string | undefined,
): Reader {
  const { resource } = target
  const type = value === undefined ? undefined : typeOf(value)
  const charset = type?.parameters.get('charset')?.toLowerCase()
  if (type && (charset === undefined || charset === 'utf-8')) {
    const read = readersFor(method, target).get(type.essence)
    const patch = patchKinds[type.essence] ?? 'merge'
    const form = { resource, charset, patch: method === 'PATCH' }
    if (read) return { patch, read: (octets) => read(octets, form) }
  }
  throw unsupported(method, target, value)
}

const patchKinds: Readonly<Record<string, PatchKind>> = {
  [jsonPatch]: 'json-patch',
  'application/x-www-form-urlencoded': 'fields',
}

const typeOf = memoizeByText(parseMediaType)

/** §15.5.16: says what would be taken. No Accept-Encoding here, for the coding is not at fault. */
function unsupported(method: Method, target: Target, value: string | undefined) {
  const types = acceptedTypes(method, target).join(', ')
  const named = value === undefined ? 'No Content-Type was sent' : describeType(value)
  const field = acceptFields[method]
  return refuse('unsupported-media-type', {
    detail: `${named}; send one of: ${types}.`,
    fields: { Accept: types, ...(field === undefined ? {} : { [field]: types }) },
  })
}

function describeType(value: string): string {
  const isForm = typeOf(value)?.essence === 'application/x-www-form-urlencoded'
  return isForm
    ? 'The content arrived as a form (application/x-www-form-urlencoded)'
    : 'This Content-Type is not taken'
}

const acceptFields: Partial<Record<Method, string>> = {
  POST: 'Accept-Post',
  PATCH: 'Accept-Patch',
  QUERY: 'Accept-Query',
}
