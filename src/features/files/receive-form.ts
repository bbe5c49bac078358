/** Receives a form with files (RFC 7578): files are stored as they arrive, other values are kept in memory. */

import { fileCountLimits, isFileList } from '../../definition/file-fields.ts'
import type { FieldModel } from '../../definition/model.ts'
import { parseContentDisposition } from '../../http/content-disposition.ts'
import type { Digests } from '../../http/digest.ts'
import type { MediaType } from '../../http/media-type.ts'
import type { HttpRequest } from '../../http/message.ts'
import { isBoundary, MultipartFault, type MultipartPart, readMultipart } from '../../http/multipart.ts'
import type { QueryPair } from '../../http/query-string.ts'
import { type ContentFault, refuse } from '../../refusal.ts'
import type { AcceptedFile } from '../../requests/context/request-content.ts'
import { otherDigest } from '../../server/content-digest.ts'
import type { FileStore, ReceivedFile } from '../../store/file-store.ts'
import { createDigester, type Digester } from '../../store/files/digester.ts'
import { cleanFileName } from '../../store/files/file-name.ts'
import type { QuotaLimit } from './quota-limit.ts'
import {
  describeType,
  findSignatureFault,
  hasDigests,
  limited,
  maxOf,
  requirePartType,
  tooLarge,
} from './upload-checks.ts'

/** Octets of boundaries and header sections. */
const maxOverhead = 65_536

export interface FileForm {
  readonly files: FileStore
  readonly request: HttpRequest
  /** The fields whose files it may have. */
  readonly fields: readonly FieldModel[]
  readonly boundary: string
  /** The digests that the content must have. */
  readonly digests: Digests
  /** Octets of all values that are no files. */
  readonly maxValues: number
}

export interface ReceivedForm {
  /** The values that are no files. */
  readonly pairs: readonly QueryPair[]
  /** The files, by the name of their field; several of a list. */
  readonly files: ReadonlyMap<string, readonly AcceptedFile[]>
  /** Files that are not what their parts say, or that no field takes. No file is stored then. */
  readonly faults: readonly ContentFault[]
}

/** The boundary of a form; refuses 400 where it has none. */
export function requireBoundary({ parameters }: MediaType): string {
  const boundary = parameters.get('boundary')
  if (isBoundary(boundary)) return boundary
  throw refuse('malformed-request', { detail: 'The Content-Type of a form needs a valid boundary.' })
}

/** The largest size of the content, in octets. */
export function maxFormSize({ fields, maxValues }: Pick<FileForm, 'fields' | 'maxValues'>): number {
  return fields.reduce((sum, field) => sum + maxOf(field) * maxCountOf(field), maxValues + maxOverhead)
}

/** The number of files that a form may have for the field. */
function maxCountOf(field: FieldModel): number {
  return isFileList(field) ? fileCountLimits(field).max : 1
}

/** Receives, checks and stores all files of the form; refuses 400, 413 and 415, and then stores none. */
export async function receiveForm(form: FileForm, limit?: QuotaLimit): Promise<ReceivedForm> {
  const { request, boundary, digests } = form
  const digester = createDigester(digests.keys())
  const octets = digested(request.content.stream(maxFormSize(form)), digester)
  const parts = new FormParts(form, limit)
  try {
    for await (const part of readMultipart(octets, boundary)) await parts.receive(part)
    if (!hasDigests(digests, digester.finish().digests)) throw otherDigest()
    return await parts.accept()
  } catch (error) {
    await parts.discard()
    throw error instanceof MultipartFault ? malformedForm(error) : error
  }
}

async function* digested(octets: AsyncIterable<Uint8Array>, digester: Digester) {
  for await (const part of octets) {
    digester.update(part)
    yield part
  }
}

function malformedForm({ reason, message }: MultipartFault) {
  return refuse(reason === 'malformed' ? 'malformed-content' : 'content-too-large', { detail: message })
}

interface FilePart {
  readonly field: FieldModel
  readonly name: string
  readonly type: string
  readonly received: ReceivedFile
}

/** The parts of a form that have arrived. */
class FormParts {
  readonly #form: FileForm
  readonly #pairs: QueryPair[] = []
  readonly #files: FilePart[] = []
  readonly #faults: ContentFault[] = []
  readonly #limit: QuotaLimit | undefined
  #valueOctets = 0

  constructor(form: FileForm, limit: QuotaLimit | undefined) {
    this.#form = form
    this.#limit = limit
  }

  async receive({ fields, content }: MultipartPart): Promise<void> {
    const disposition = parseContentDisposition(fields['content-disposition'] ?? '')
    const name = disposition?.name
    if (name === undefined) throw new MultipartFault('malformed', 'A part of the form has no name.')
    const filename = disposition?.filename
    if (filename === undefined) {
      this.#pairs.push([name, await this.#readValue(content)])
      return
    }
    // Browsers send an input without a file so.
    if (filename === '') return
    const field = this.#form.fields.find((one) => one.name === name)
    if (field)
      await this.#receiveFile({ field, type: fields['content-type'] ?? 'text/plain', filename }, content)
    else this.#faults.push({ pointer: `/${name}`, rule: 'file', detail: 'This field takes no file.' })
  }

  async #readValue(content: AsyncIterable<Uint8Array>): Promise<string> {
    const octets: Uint8Array[] = []
    for await (const part of content) {
      this.#valueOctets += part.length
      if (this.#valueOctets > this.#form.maxValues) {
        throw new MultipartFault('too-large', `The values may have at most ${this.#form.maxValues} octets.`)
      }
      octets.push(part)
    }
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(octets))
    } catch {
      throw new MultipartFault('malformed', 'A value of the form is not valid UTF-8.')
    }
  }

  async #receiveFile(
    sent: { field: FieldModel; type: string; filename: string },
    content: MultipartPart['content'],
  ) {
    const { field } = sent
    const max = maxCountOf(field)
    if (this.#files.filter((one) => one.field === field).length === max) {
      const limit = max === 1 ? 'one file' : `${max} files`
      throw new MultipartFault('malformed', `The form has more than ${limit} for ${field.name}.`)
    }
    const type = describeType(requirePartType(field, sent.type))
    const name = cleanFileName(sent.filename, { field: field.name, type })
    const before = this.#files.reduce((sum, { received }) => sum + received.size, 0)
    const octets = limited(content, field, { limit: this.#limit, before })
    this.#files.push({ field, name, type, received: await this.#form.files.receive(octets) })
  }

  /** Stores the files, if each is what its part says. */
  async accept(): Promise<ReceivedForm> {
    const misfits = this.#files.flatMap((one) => findSignatureFault(one.field, one.type, one.received) ?? [])
    const faults = [...this.#faults, ...misfits]
    if (faults.length > 0) {
      await this.discard()
      return { pairs: this.#pairs, files: new Map(), faults }
    }
    for (const { received } of this.#files) await received.keep()
    const files = new Map<string, AcceptedFile[]>()
    for (const { field, name, type, received } of this.#files) {
      const { size, digest } = received
      files.set(field.name, [...(files.get(field.name) ?? []), { name, type, size, digest }])
    }
    return { pairs: this.#pairs, files, faults }
  }

  async discard(): Promise<void> {
    for (const { received } of this.#files) await received.discard()
  }
}

/** Refuses 413 for a form that is too large by its length. */
export function refuseTooLongForm(form: FileForm): void {
  const { request, fields } = form
  if ((request.content.length ?? 0) <= maxFormSize(form)) return
  const [only, ...others] = fields
  throw only && others.length === 0 && !isFileList(only)
    ? tooLarge(only)
    : refuse('content-too-large', { detail: `The form may have at most ${maxFormSize(form)} octets.` })
}
