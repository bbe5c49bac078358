/**
 * The form that imports a file: its part `file` is read as the CSV or NDJSON content of a POST to the
 * collection. The name of the file tells its format, because browsers send different media types.
 */

import { hash } from 'node:crypto'
import type { ResourceModel } from '../../definition/model.ts'
import { csv } from '../../formats/csv.ts'
import type { Format } from '../../formats/format.ts'
import { ndjson } from '../../formats/ndjson.ts'
import { parseContentDisposition } from '../../http/content-disposition.ts'
import { parseMediaType } from '../../http/media-type.ts'
import type { HttpRequest } from '../../http/message.ts'
import {
  formDataType,
  isBoundary,
  MultipartFault,
  type MultipartPart,
  readMultipart,
} from '../../http/multipart.ts'
import { formatQueryString, type QueryPair } from '../../http/query-string.ts'
import { invalidContent, refuse } from '../../refusal.ts'
import type { RequestContent } from '../../requests/context/request-content.ts'
import { decoderFor } from '../../requests/decisions/content.ts'
import { type ImportedFile, importFileName } from './import-view.ts'

/** Octets of boundaries, header sections and other values. */
const maxOverhead = 65_536

interface SentImport {
  readonly resource: ResourceModel
  readonly request: HttpRequest
  /** Octets of the file. */
  readonly maxOctets: number
}

/** The content of a form that imports a file. */
export interface ImportContent extends RequestContent {
  /** The file; refuses as `read` does. */
  imported(): Promise<ImportedFile>
}

export function isImport(content: RequestContent | undefined): content is ImportContent {
  return content !== undefined && 'imported' in content
}

/** The content; refuses 400, 413 and 415 by the header fields. */
export function acceptImport(sent: SentImport): ImportContent {
  const { resource, request, maxOctets } = sent
  const boundary = requireBoundary(request)
  const decode = decoderFor(request.fields['content-encoding'])
  const limit = maxOctets + maxOverhead
  if ((request.content.length ?? 0) > limit) throw fileTooLarge(maxOctets)
  const receive = async () => {
    const octets = await request.content.read(limit)
    return receiveParts(decode ? await decode(octets, limit) : octets, boundary, maxOctets)
  }
  let received: Promise<ReceivedImport> | undefined
  const receiveOnce = () => {
    received ??= receive()
    return received
  }
  let value: Promise<unknown> | undefined
  return {
    patch: 'merge',
    expectsVersion: false,
    // A form that cannot be read is refused by `read`.
    octets: () => receiveOnce().then(describeImport, () => new Uint8Array(0)),
    read() {
      value ??= receiveOnce().then(({ file }) => readItems(requireFile(file), resource))
      return value
    },
    imported: async () => requireFile((await receiveOnce()).file),
  }
}

function requireBoundary({ fields }: HttpRequest): string {
  const type = parseMediaType(fields['content-type'] ?? '')
  if (type?.essence !== formDataType) {
    throw refuse('unsupported-media-type', {
      detail: `The form that imports a file is ${formDataType}.`,
      fields: { Accept: formDataType, 'Accept-Post': formDataType },
    })
  }
  const boundary = type.parameters.get('boundary')
  if (isBoundary(boundary)) return boundary
  throw refuse('malformed-request', { detail: 'The Content-Type of a form needs a valid boundary.' })
}

interface ReceivedImport {
  /** Undefined where none was chosen. */
  readonly file: ImportedFile | undefined
  readonly pairs: readonly QueryPair[]
}

async function receiveParts(
  octets: Uint8Array,
  boundary: string,
  maxOctets: number,
): Promise<ReceivedImport> {
  const pairs: QueryPair[] = []
  let file: ImportedFile | undefined
  try {
    for await (const part of readMultipart(oneChunk(octets), boundary)) {
      const { name, filename } = parseContentDisposition(part.fields['content-disposition'] ?? '') ?? {}
      const content = Buffer.concat(await Array.fromAsync(part.content))
      if (name === undefined) throw new MultipartFault('malformed', 'A part of the form has no name.')
      if (filename === undefined) pairs.push([name, content.toString()])
      else if (name === importFileName && filename !== '') file ??= createFile(part, filename, content)
    }
  } catch (error) {
    if (!(error instanceof MultipartFault)) throw error
    const type = error.reason === 'malformed' ? 'malformed-content' : 'content-too-large'
    throw refuse(type, { detail: error.message, cause: error })
  }
  if (file && file.octets.length > maxOctets) throw fileTooLarge(maxOctets)
  return { file, pairs }
}

async function* oneChunk(octets: Uint8Array) {
  yield octets
}

function fileTooLarge(maxOctets: number) {
  return refuse('content-too-large', { detail: `The file may have at most ${maxOctets} octets.` })
}

function createFile({ fields }: MultipartPart, name: string, octets: Uint8Array): ImportedFile {
  return { name, octets, mediaType: findFormat(name, fields['content-type'])?.mediaType }
}

/** The format by the end of the name, else by the media type that was sent. */
function findFormat(name: string, contentType: string | undefined): Format | undefined {
  if (/\.csv$/i.test(name)) return csv
  if (/\.(ndjson|jsonl)$/i.test(name)) return ndjson
  const type = parseMediaType(contentType ?? '')?.essence
  return formats.find(({ mediaType }) => mediaType === type)
}

const formats = [csv, ndjson]

function requireFile(file: ImportedFile | undefined): ImportedFile {
  if (file) return file
  throw invalidContent([{ pointer: '', rule: 'required', detail: 'Choose a file.' }])
}

function readItems({ octets, mediaType }: ImportedFile, resource: ResourceModel): unknown {
  const readMany = formats.find((format) => format.mediaType === mediaType)?.readMany
  if (readMany) return readMany(octets, { resource, charset: undefined, patch: false })
  throw refuse('unsupported-media-type', {
    detail: 'The file must be CSV or NDJSON, with a name that ends in .csv, .ndjson or .jsonl.',
    fields: { Accept: formDataType },
  })
}

/** The form as application/x-www-form-urlencoded, with a digest in place of the file. */
function describeImport({ file, pairs }: ReceivedImport): Uint8Array {
  const described: readonly QueryPair[] = file
    ? [[importFileName, `${file.mediaType} ${hash('sha256', file.octets, 'base64')}`]]
    : []
  return Buffer.from(formatQueryString([...pairs, ...described]))
}
