/** A file that a PUT or POST sends as its content, or as the part of a form. It is stored as it arrives. */

import { findListedField } from '../../definition/file-fields.ts'
import type { FieldModel } from '../../definition/model.ts'
import { parseContentDisposition } from '../../http/content-disposition.ts'
import { type MediaType, parseMediaType } from '../../http/media-type.ts'
import type { Fields, HttpRequest } from '../../http/message.ts'
import { formDataType } from '../../http/multipart.ts'
import { invalidContent, refuse } from '../../refusal.ts'
import type { SentFile } from '../../requests/context/file-handler.ts'
import type { AcceptedFile, RequestContent } from '../../requests/context/request-content.ts'
import { otherDigest } from '../../server/content-digest.ts'
import { cleanFileName } from '../../store/files/file-name.ts'
import { type QuotaLimit, quotaLimit, requireWithin } from './quota-limit.ts'
import { type FileForm, receiveForm, refuseTooLongForm, requireBoundary } from './receive-form.ts'
import {
  describeType,
  findSignatureFault,
  hasDigests,
  limited,
  maxOf,
  requestDigests,
  requireType,
  requireUncoded,
  requireWhole,
  requireWholeForm,
  tooLarge,
} from './upload-checks.ts'
import { type BegunUpload, findBegunUpload } from './uploads/begin-upload.ts'
import type { UploadService } from './uploads/resumable-upload.ts'

/** Octets of values that a form has besides its file. */
const maxOtherValues = 65_536

/** The media types that a PUT or POST of the file accepts. */
function acceptedFileTypes({ file }: FieldModel): readonly string[] {
  return [...(file?.types ?? []), formDataType]
}

/** The content; refuses 400, 413 and 415 by the header fields. */
export function acceptFile(service: UploadService, sent: SentFile): RequestContent {
  const { request } = sent
  const { fields } = request
  const field = findListedField(sent.field) ?? sent.field
  const begun = findBegunUpload(service, { ...sent, field })
  const upload: PreparedUpload = { ...service, field, formField: sent.field, request, begun }
  const type = fields['content-type'] === undefined ? undefined : parseMediaType(fields['content-type'])
  const isForm = type?.essence === formDataType
  const receive = isForm ? prepareForm(upload, type) : prepareOctets(upload, type)
  let received: Promise<readonly AcceptedFile[]> | undefined
  const receiveOnce = (freed: number) => {
    received ??= quotaLimit(service, sent.caller, freed).then(receive)
    return received
  }
  return {
    patch: 'merge',
    expectsVersion: fields['if-match'] !== undefined,
    // In place of its octets, the fingerprint of a request has what identifies them.
    octets: async () => Buffer.from(JSON.stringify(await receiveOnce(Number.POSITIVE_INFINITY))),
    async read() {
      throw new Error('A file is not read as a whole')
    },
    file: {
      isForm,
      receive: receiveOnce,
      ...(begun ? { stored: begun.stored } : {}),
    },
  }
}

interface PreparedUpload extends UploadService {
  readonly field: FieldModel
  /** The field that parts of a form name: a list takes several. */
  readonly formField: FieldModel
  readonly request: HttpRequest
  /** Set where the request begins a resumable upload. */
  readonly begun: BegunUpload | undefined
}

/** Returns the function that receives the file after the last refusal by header fields. */
function prepareOctets({ files, field, request, begun }: PreparedUpload, sent: MediaType | undefined) {
  const { fields, content } = request
  const type = describeType(
    requireType(field, sent, { method: request.method, accepted: acceptedFileTypes(field) }),
  )
  // The Content-Digest of a part is not that of the file.
  const digests = requestDigests(begun ? { ...fields, 'content-digest': undefined } : fields)
  requireUncoded(fields)
  requireWhole(fields)
  if (!begun) requirePresent(request)
  if ((content.length ?? 0) > maxOf(field)) throw tooLarge(field)
  const name = cleanFileName(requestFileName(fields), { field: field.name, type })
  return async (limit: QuotaLimit | undefined): Promise<readonly AcceptedFile[]> => {
    requireWithin(limit, content.length ?? 0)
    const sentOctets = begun ? await begun.receive(limit) : content.stream(Number.POSITIVE_INFINITY)
    const octets = limited(sentOctets, field, { limit })
    const received = await files.receive(octets, digests.keys())
    try {
      if (!hasDigests(digests, received.digests)) throw otherDigest()
      const fault = findSignatureFault(field, type, received)
      if (fault) throw invalidContent([fault])
      await received.keep()
    } catch (error) {
      await received.discard()
      throw error
    }
    const { size, digest } = received
    return [{ name, type, size, digest }]
  }
}

/** An empty file is content too, if its length is stated. */
function requirePresent({ content, fields, method }: HttpRequest): void {
  if (content.present || fields['content-length'] !== undefined) return
  throw refuse('malformed-content', { detail: `${method} needs the file as its content.` })
}

function requestFileName(fields: Fields): string | undefined {
  const value = fields['content-disposition']
  if (value === undefined) return undefined
  const disposition = parseContentDisposition(value)
  if (disposition) return disposition.filename
  throw refuse('malformed-request', {
    detail: 'The value of Content-Disposition is malformed. Write it like: attachment; filename="a.png".',
  })
}

/** The parts of the form that have the name of the field. */
function prepareForm({ files, formField: field, request }: PreparedUpload, type: MediaType) {
  requireUncoded(request.fields)
  requireWholeForm(request.fields)
  requirePresent(request)
  const form: FileForm = {
    files,
    request,
    fields: [field],
    boundary: requireBoundary(type),
    digests: requestDigests(request.fields),
    maxValues: maxOtherValues,
  }
  refuseTooLongForm(form)
  return async (limit: QuotaLimit | undefined): Promise<readonly AcceptedFile[]> => {
    const { files: uploads, faults } = await receiveForm(form, limit)
    const sent = uploads.get(field.name)
    if (sent) return sent
    if (faults.length > 0) throw invalidContent(faults)
    throw invalidContent([{ pointer: `/${field.name}`, rule: 'required', detail: 'Choose a file.' }])
  }
}
