/** HEAD, PATCH and DELETE of an upload. The caller who began it may continue it; for others it does not exist. */

import { parseMediaType } from '../../../http/media-type.ts'
import type { HttpRequest, HttpResponse } from '../../../http/message.ts'
import { evaluatePreconditions } from '../../../http/precondition.ts'
import { parseOctetCount, parseUploadComplete, partialUploadType } from '../../../http/upload-fields.ts'
import { type Refusal, refuse } from '../../../refusal.ts'
import type { UploadRequest } from '../../../requests/context/file-handler.ts'
import { uploaderOf } from './begin-upload.ts'
import {
  appendContent,
  inconsistentLength,
  mismatchingOffset,
  readAllParts,
  type UploadContext,
  type UploadService,
  uploadFields,
} from './resumable-upload.ts'
import { findUpload, finishUpload, removeUpload, type Upload } from './upload-rows.ts'

export async function performOnUpload(service: UploadService, sent: UploadRequest): Promise<HttpResponse> {
  const { id, store, caller, request } = sent
  const context = { ...service, store }
  const found = await findUpload(context, id)
  if (found?.uploader !== uploaderOf(caller)) throw missing()
  // So that the offset does not change after the response.
  await service.running.interrupt(id)
  const upload = await findUpload(context, id)
  if (!upload) throw missing()
  if (request.method === 'HEAD') return { status: 204, fields: uploadFields(upload) }
  requireConditions(request, upload, service.clock.now())
  if (request.method === 'DELETE') {
    await removeUpload(context, upload)
    return { status: 204, fields: { 'Cache-Control': 'no-store' } }
  }
  return patchUpload(context, upload, sent)
}

function missing() {
  return refuse('not-found', {
    detail: "This upload doesn't exist, or its time is over. Begin a new one.",
    fields: { 'Cache-Control': 'no-store' },
  })
}

async function patchUpload(
  context: UploadContext,
  upload: Upload,
  sent: UploadRequest,
): Promise<HttpResponse> {
  const { fields, content } = sent.request
  requirePartialUpload(sent.request)
  const offset = parseOctetCount(fields['upload-offset'])
  const isLast = parseUploadComplete(fields)
  if (offset === undefined)
    throw refuse('malformed-request', { detail: 'Upload-Offset must be a number of octets.' })
  if (isLast === undefined) throw refuse('malformed-request', { detail: 'Upload-Complete must be ?0 or ?1.' })
  if (upload.isComplete) throw completed(upload, sent.request)
  if (offset !== upload.offset) throw mismatchingOffset(upload, offset)
  const appended = await appendContent(context, upload, { content, fields, isLast })
  if (!isLast) return { status: 204, fields: uploadFields(appended) }
  const response = await sent.complete(wholeRequest(context, appended, sent.request))
  await finishUpload(context, appended)
  return {
    ...response,
    fields: {
      // RFC 9110 §15.3.2: without it, the URI of the upload would be that of the first file.
      ...(response.status === 201 && { Location: appended.target }),
      ...response.fields,
      'Upload-Complete': '?1',
      'Upload-Offset': String(appended.offset),
      'Cache-Control': 'no-store',
    },
  }
}

/** RFC 9110 §13.1: an upload has no entity tag, so If-Match is true for `*` alone. Refuses 412. */
function requireConditions(request: HttpRequest, upload: Upload, now: number): void {
  const untagged = { entityTag: undefined, lastModified: () => undefined, isCurrent: () => false }
  if (evaluatePreconditions(request, untagged, now) === 'proceed') return
  throw refuse('precondition-failed', {
    detail: 'An upload has no entity tag. Send Upload-Offset alone.',
    fields: uploadFields(upload),
  })
}

/** Octets after the end contradict its length. */
function completed(upload: Upload, { content }: HttpRequest): Refusal {
  if (content.present && content.length !== 0) return inconsistentLength(upload)
  return refuse('completed-upload', { fields: uploadFields(upload) })
}

/** Refuses 415. */
function requirePartialUpload({ fields }: HttpRequest): void {
  const type = fields['content-type']
  if (type !== undefined && parseMediaType(type)?.essence === partialUploadType) return
  throw refuse('unsupported-media-type', {
    detail: `Continue an upload with the type ${partialUploadType}.`,
    fields: { Accept: partialUploadType, 'Accept-Patch': partialUploadType },
  })
}

/** The PUT or POST of the whole file, as if it had been sent at once by this caller. */
function wholeRequest(context: UploadContext, upload: Upload, request: HttpRequest): HttpRequest {
  const { host, accept } = request.fields
  return {
    ...request,
    method: upload.method,
    target: upload.target,
    fields: {
      ...upload.fields,
      host,
      ...(accept === undefined ? {} : { accept }),
      'content-length': String(upload.offset),
    },
    content: {
      present: upload.offset > 0,
      length: upload.offset,
      async read() {
        throw new Error('A file is not read as a whole')
      },
      stream: () => readAllParts(context, upload),
    },
  }
}
