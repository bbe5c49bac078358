/** A PUT or POST that begins a resumable upload: its content is the first part, and may be all of it. */

import { hash } from 'node:crypto'
import { callerKey, type Principal } from '../../../access/principal.ts'
import type { Fields } from '../../../http/message.ts'
import { formatPath } from '../../../http/request-target.ts'
import {
  formatUploadLimit,
  hasInteropVersion,
  interopVersion,
  parseUploadComplete,
} from '../../../http/upload-fields.ts'
import { refuse } from '../../../refusal.ts'
import type { SentFile } from '../../../requests/context/file-handler.ts'
import type { FileContent } from '../../../requests/context/request-content.ts'
import { EarlyResponse } from '../../../requests/respond/early-response.ts'
import { type QuotaLimit, requireWithin } from '../quota-limit.ts'
import { maxOf, tooLarge } from '../upload-checks.ts'
import {
  appendContent,
  declaredLength,
  readAllParts,
  type UploadContext,
  type UploadService,
  uploadFields,
} from './resumable-upload.ts'
import { countUploads, countWaitingOctets, createUpload, finishUpload, type Upload } from './upload-rows.ts'

/** Uploads of a caller that are not complete. */
const maxUploads = 100

/** An upload that a request begins. */
export interface BegunUpload extends Required<Pick<FileContent, 'stored'>> {
  /** Stores what the request sends; responds 201 where that is not all, else returns all octets. */
  receive(limit: QuotaLimit | undefined): Promise<AsyncIterable<Uint8Array>>
}

/** Undefined for an ordinary request. Refuses 400, 413. */
export function findBegunUpload(service: UploadService, sent: SentFile): BegunUpload | undefined {
  const context = { ...service, store: sent.store }
  const { fields, content } = sent.request
  const isLast = parseUploadComplete(fields)
  if (isLast === undefined) return undefined
  if (!hasInteropVersion(fields) || !service.mayBegin) {
    if (isLast) return undefined
    // Stored as a whole file, a part would be damage.
    throw refuse('malformed-request', {
      detail: `A resumable upload needs Upload-Draft-Interop-Version: ${interopVersion}, and cannot be a dry run.`,
    })
  }
  if ((declaredLength(fields) ?? 0) > maxOf(sent.field)) throw tooLarge(sent.field)
  let upload: Upload | undefined
  return {
    async receive(limit) {
      const begun = await begin(context, sent, limit)
      const Location = locationOf(service, begun)
      content.inform?.(104, {
        Location,
        'Upload-Draft-Interop-Version': interopVersion,
        ...limitField(begun),
      })
      upload = await appendContent(context, begun, { content, fields, isLast })
      if (isLast) return readAllParts(context, upload)
      throw new EarlyResponse({ status: 201, fields: { Location, ...uploadFields(upload) } })
    },
    async stored() {
      if (!upload) throw new Error('The upload was not received')
      await finishUpload(context, upload)
      return { 'Upload-Complete': '?1', 'Upload-Offset': String(upload.offset) }
    },
  }
}

async function begin(
  context: UploadContext,
  { caller, field, path, request }: SentFile,
  limit: QuotaLimit | undefined,
): Promise<Upload> {
  const holder = hash('sha256', callerKey(caller, request.client.address), 'hex')
  if ((await countUploads(context, holder)) >= maxUploads) {
    throw refuse('too-many-requests', {
      detail: `You have ${maxUploads} uploads that are not complete. Complete or delete some of them.`,
      fields: { 'Retry-After': '3600' },
    })
  }
  const waiting = limit ? await countWaitingOctets(context, holder) : 0
  requireWithin(limit, waiting + (declaredLength(request.fields) ?? 1))
  return createUpload(context, {
    uploader: uploaderOf(caller),
    holder,
    method: request.method,
    target: path,
    fields: keptFields(request.fields),
    length: undefined,
    maxSize: Math.min(maxOf(field), (limit?.octets ?? Number.POSITIVE_INFINITY) - waiting),
  })
}

/** Identifies the caller who may continue the upload, from any address: all anonymous callers who know its id. */
export function uploaderOf(caller: Principal): string {
  return hash('sha256', callerKey(caller, 'any'), 'hex')
}

/** Fields that say what the whole file is, and what must hold for it when it is stored. */
const keptNames = [
  'content-type',
  'content-disposition',
  'content-encoding',
  'if-match',
  'if-none-match',
  'if-unmodified-since',
  'repr-digest',
]

function keptFields(fields: Fields): Fields {
  return Object.fromEntries(
    keptNames.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
  )
}

function locationOf({ model }: UploadService, { id }: Upload): string {
  return formatPath(model.base, [model.paths.uploads, id])
}

function limitField({ maxSize, secondsLeft }: Upload) {
  return { 'Upload-Limit': formatUploadLimit(maxSize, secondsLeft) }
}
