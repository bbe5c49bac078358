/** Receives the content of resumable uploads in parts. A part counts as soon as it is stored. */

import type { Model } from '../../../definition/model.ts'
import { formatOctetSize } from '../../../definition/octet-size.ts'
import type { Digests } from '../../../http/digest.ts'
import type { Content, Fields, ResponseFields } from '../../../http/message.ts'
import { formatUploadComplete, formatUploadLimit, parseOctetCount } from '../../../http/upload-fields.ts'
import { type Refusal, refuse } from '../../../refusal.ts'
import type { FileQuota } from '../../../requests/context/file-handler.ts'
import type { Clock } from '../../../requests/context/service-context.ts'
import { otherDigest } from '../../../server/content-digest.ts'
import type { FileStore } from '../../../store/file-store.ts'
import type { Store } from '../../../store/store.ts'
import { hasDigests, requestDigests } from '../upload-checks.ts'
import type { RunningUploads } from './running-uploads.ts'
import { appendPart, findUpload, partsOf, removeUpload, setLength, type Upload } from './upload-rows.ts'

/** The part of the handler of files that uploads need. */
export interface UploadService {
  readonly model: Model
  readonly files: FileStore
  readonly clock: Clock
  readonly running: RunningUploads
  readonly quota: FileQuota | undefined
  /** Whether requests may begin uploads: a dry run must not. */
  readonly mayBegin: boolean
}

/** Octets of a part: those of the part that is arriving are lost in a crash. */
const partOctets = 8_000_000
/** Parts of an upload: each is a row. Every cut connection makes one more. */
const maxParts = 10_000

/** For one request. */
export interface UploadContext extends UploadService {
  readonly store: Store
}

/** A request that appends to an upload. */
export interface Append {
  readonly content: Content
  readonly fields: Fields
  /** Whether the content ends the upload. */
  readonly isLast: boolean
}

/**
 * The upload with the content of the request. Refuses 400 and 413, also where the content is cut: then what has
 * arrived is stored. Content with a digest is stored whole or not at all.
 */
export async function appendContent(context: UploadContext, begun: Upload, append: Append): Promise<Upload> {
  // Repr-Digest is that of the whole file.
  const digests = requestDigests({ 'content-digest': append.fields['content-digest'] })
  const upload = await withLength(context, begun, append)
  return context.running.run(upload.id, async (interruption) => {
    // A request that was interrupted may have appended since.
    const current = await findUpload(context, upload.id)
    if (current?.offset !== upload.offset) throw mismatchingOffset(current ?? upload)
    const source = createSource(append.content, { upload, interruption })
    let appended = current
    do {
      appended = await appendNextPart(context, appended, { ...append, source, digests })
    } while (!source.ending)
    const { error, isBeyond } = source.ending
    if (isBeyond) await removeUpload(context, appended)
    if (error !== undefined) throw error
    if (append.isLast && appended.length !== undefined && appended.offset !== appended.length) {
      throw inconsistentLength(appended)
    }
    return appended
  })
}

/** The upload with the length that the request tells or implies; refuses 400 and 413. Content beyond it ends the upload. */
async function withLength(context: UploadContext, upload: Upload, append: Append): Promise<Upload> {
  const { fields, isLast, content } = append
  const declared = declaredLength(fields)
  const end = content.length === undefined ? undefined : upload.offset + content.length
  if ((end ?? 0) > (upload.length ?? declared ?? Number.POSITIVE_INFINITY)) {
    await removeUpload(context, upload)
    throw inconsistentLength(upload)
  }
  const lengths = [declared, isLast ? end : undefined, upload.length].filter((one) => one !== undefined)
  const [length] = lengths
  if (lengths.some((one) => one !== length)) throw inconsistentLength(upload)
  if (Math.max(length ?? 0, end ?? 0) > upload.maxSize) throw tooLarge(upload)
  if (length === undefined || length === upload.length) return upload
  const changed = await setLength(context, upload, length)
  if (changed) return changed
  throw mismatchingOffset((await findUpload(context, upload.id)) ?? upload)
}

/** Upload-Length. */
export function declaredLength(fields: Fields): number | undefined {
  return parseOctetCount(fields['upload-length'])
}

/** The octets of a request. Its end is normal, or has the error that cut it. */
interface Source {
  next(): Promise<Uint8Array | undefined>
  ending: SourceEnding | undefined
}

interface SourceEnding {
  readonly error?: unknown
  /** Whether the octets are more than the length of the upload, which makes it invalid. */
  readonly isBeyond?: boolean
}

interface SourceLimits {
  readonly upload: Upload
  readonly interruption: AbortSignal
}

function createSource(content: Content, { upload, interruption }: SourceLimits): Source {
  const iterator = content.stream(Number.POSITIVE_INFINITY)[Symbol.asyncIterator]()
  const limit = upload.length ?? upload.maxSize
  let position = upload.offset
  const source: Source = { ending: undefined, next }
  return source

  async function next(): Promise<Uint8Array | undefined> {
    try {
      const result = await unlessInterrupted(iterator.next(), interruption)
      if (!result) source.ending = { error: replaced() }
      else if (result.done) source.ending = {}
      else {
        position += result.value.length
        if (position <= limit) return result.value
        const isBeyond = upload.length !== undefined
        source.ending = { error: isBeyond ? inconsistentLength(upload) : tooLarge(upload), isBeyond }
      }
    } catch (error) {
      source.ending = { error }
    }
    return undefined
  }
}

/** The result; undefined where the signal comes first. `Promise.race` would keep all results until then. */
function unlessInterrupted<Result>(
  result: Promise<Result>,
  interruption: AbortSignal,
): Promise<Result | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Result | undefined>()
  const stop = () => resolve(undefined)
  if (interruption.aborted) stop()
  interruption.addEventListener('abort', stop, { once: true })
  result.then(resolve, reject)
  return promise.finally(() => interruption.removeEventListener('abort', stop))
}

interface PartAppend extends Append {
  readonly source: Source
  readonly digests: Digests
}

/** Stores the octets of the source up to the limit of a part; the upload itself where none came. */
async function appendNextPart(context: UploadContext, upload: Upload, append: PartAppend): Promise<Upload> {
  const { source, digests } = append
  const limit = digests.size === 0 ? partOctets : Number.POSITIVE_INFINITY
  const received = await context.files.receive(take(source, limit), digests.keys())
  const isCut = source.ending?.error !== undefined
  if (received.size === 0 || (isCut && digests.size > 0)) {
    await received.discard()
    return upload
  }
  if (upload.parts >= maxParts) {
    await received.discard()
    throw refuse('content-too-large', {
      detail: `An upload has at most ${maxParts} parts. Begin a new one.`,
      fields: uploadFields(upload),
    })
  }
  try {
    if (!hasDigests(digests, received.digests)) throw otherDigest()
    await received.keep()
  } catch (error) {
    await received.discard()
    throw error
  }
  const appended = await appendPart(context, upload, received)
  if (appended) return appended
  throw mismatchingOffset((await findUpload(context, upload.id)) ?? upload)
}

async function* take(source: Source, limit: number): AsyncGenerator<Uint8Array> {
  for (let size = 0; size < limit; ) {
    const octets = await source.next()
    if (!octets) return
    size += octets.length
    yield octets
  }
}

/** The octets of all parts, to be stored as one file. */
export async function* readAllParts(context: UploadContext, upload: Upload): AsyncGenerator<Uint8Array> {
  for await (const { size, digest } of partsOf(context, upload)) {
    yield* context.files.read(digest, { first: 0, last: size - 1 })
  }
}

/** The fields that tell how far an upload is. */
export function uploadFields(upload: Upload): ResponseFields {
  return {
    'Upload-Complete': formatUploadComplete(upload.isComplete),
    'Upload-Offset': String(upload.offset),
    ...(upload.length === undefined ? {} : { 'Upload-Length': String(upload.length) }),
    'Upload-Limit': formatUploadLimit(upload.maxSize, upload.secondsLeft),
    'Cache-Control': 'no-store',
  }
}

/** Refuses 409 with the offset at which the upload continues. */
export function mismatchingOffset(upload: Upload, sent?: number): Refusal {
  return refuse('mismatching-upload-offset', {
    detail: `The upload has ${upload.offset} octets. Continue there.`,
    fields: uploadFields(upload),
    members: {
      'expected-offset': upload.offset,
      ...(sent === undefined ? {} : { 'provided-offset': sent }),
    },
  })
}

export function inconsistentLength(upload: Upload): Refusal {
  return refuse('inconsistent-upload-length', { fields: uploadFields(upload) })
}

function tooLarge(upload: Upload): Refusal {
  return refuse('content-too-large', {
    detail: `The file may have at most ${formatOctetSize(upload.maxSize)}.`,
    fields: uploadFields(upload),
  })
}

function replaced(): Refusal {
  return refuse('request-in-progress', { detail: 'A newer request for this upload has ended this one.' })
}
