/** The header fields of the content of a file, stored or made by code, and the part of it that a request asks for. */

import type { StoredFile } from '../../definition/stored-file.ts'
import { formatContentDisposition } from '../../http/content-disposition.ts'
import { formatDigest } from '../../http/digest.ts'
import { formatHttpDate } from '../../http/http-date.ts'
import type { Fields, HttpRequest, ResponseFields } from '../../http/message.ts'
import { formatContentRange, type OctetRange, type RangeValidators, selectRange } from '../../http/range.ts'
import type { ServedType } from '../../http/served-type.ts'
import { refuse } from '../../refusal.ts'
import { storedFileUri } from '../../views/file-member.ts'
import { fileTag } from '../../views/file-validators.ts'
import { idOf } from '../../views/uri.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { FileTarget, StoredFileTarget } from '../context/target.ts'
import type { FoundItem } from '../read/current-state.ts'
import { fileCacheControl, varyOfFile } from './cacheability.ts'

type FileFacts = Pick<StoredFile, 'name' | 'type' | 'digest'>

interface ServedFile extends FileFacts {
  readonly served: ServedType
  /** In milliseconds; undefined where it has no date. */
  readonly modified?: number
  /** Whether its URI takes Range. */
  readonly hasRanges: boolean
}

export function fileContentFields({ name, digest, served, modified, hasRanges }: ServedFile): ResponseFields {
  const { contentType, disposition, isPdf } = served
  return {
    'Content-Type': contentType,
    'Content-Disposition': formatContentDisposition(disposition, name),
    ...(modified === undefined ? {} : { 'Last-Modified': formatHttpDate(modified) }),
    'Repr-Digest': formatDigest('sha-256', digest),
    ...(hasRanges ? { 'Accept-Ranges': 'bytes' } : {}),
    // The page of a browser that shows a PDF needs its own scripts and styles.
    ...(isPdf ? pdfPolicy : sandboxPolicy),
  }
}

const sandboxPolicy = { 'Content-Security-Policy': "default-src 'none'; sandbox" }
const pdfPolicy = { 'Content-Security-Policy': "frame-ancestors 'none'" }

interface RangedFile extends FileFacts {
  /** In octets. */
  readonly size: number
  /** In milliseconds; undefined where its date does not identify the content. */
  readonly strongDate: number | undefined
}

/** The range that a GET asks for; refuses 416. */
export function requestedRange(
  { fields }: Pick<HttpRequest, 'fields'>,
  { size, strongDate, ...file }: RangedFile,
  now: number,
): 'whole' | OctetRange {
  return requireRange(fields, size, { entityTag: { weak: false, opaque: fileTag(file) }, strongDate }, now)
}

/** The range of so many octets that a GET asks for; refuses 416. */
export function requireRange(
  fields: Fields,
  size: number,
  validators: RangeValidators,
  now: number,
): 'whole' | OctetRange {
  const range = selectRange(fields, size, validators, now)
  if (range !== 'unsatisfiable') return range
  throw refuse('range-not-satisfiable', {
    detail: `The file has ${size} octets.`,
    fields: { 'Content-Range': formatContentRange(undefined, size), 'Accept-Ranges': 'bytes' },
  })
}

/** The fields of a file that its 304 has too (RFC 9110 §15.4.5): validator, lifetime and place. */
export function fileFields(
  context: RequestContext<FileTarget | StoredFileTarget>,
  { row }: FoundItem,
  file: StoredFile,
): ResponseFields {
  const { target } = context
  const { kind, resource } = target
  return {
    ETag: `"${fileTag(file)}"`,
    'Cache-Control': fileCacheControl(context),
    ...varyOfFile(target),
    // §8.7: this representation has a URI of its own, whatever the target has later.
    ...(kind === 'file' && { 'Content-Location': storedFileUri(resource, idOf(resource, row), file) }),
  }
}
