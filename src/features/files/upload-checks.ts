/** The checks of files that are sent: type, size, digest and first octets. */

import { findFileModel } from '../../definition/file-fields.ts'
import type { FieldModel } from '../../definition/model.ts'
import { formatOctetSize } from '../../definition/octet-size.ts'
import { type Digests, parseDigests } from '../../http/digest.ts'
import { type MediaType, parseMediaType } from '../../http/media-type.ts'
import type { Fields } from '../../http/message.ts'
import {
  formatUploadLimit,
  hasInteropVersion,
  maxUploadAge,
  parseUploadComplete,
} from '../../http/upload-fields.ts'
import { type ContentFault, type Refusal, refuse } from '../../refusal.ts'
import { otherDigest } from '../../server/content-digest.ts'
import type { ReceivedFile } from '../../store/file-store.ts'
import { fitsSignature } from '../../store/files/file-signature.ts'
import { type QuotaLimit, requireWithin } from './quota-limit.ts'

/** RFC 9530: of uncoded content that is not a part, both fields have the same digests. Refuses 400. */
export function requestDigests(fields: Fields): Digests {
  const found = ['content-digest', 'repr-digest'].flatMap((name) => {
    const value = fields[name]
    if (value === undefined) return []
    const digests = parseDigests(value)
    if (digests) return [...digests]
    throw refuse('malformed-request', { detail: `The value of ${name} is not a list of digests.` })
  })
  const digests = new Map(found)
  if (found.some(([name, digest]) => digests.get(name) !== digest)) throw otherDigest()
  return digests
}

/** Whether the content has all these digests. */
export function hasDigests(expected: Digests, found: Digests): boolean {
  return expected.entries().every(([name, digest]) => found.get(name) === digest)
}

/** Whether the field takes files of this type. */
function takesType(field: FieldModel, type: MediaType): boolean {
  return isAllowedType(findFileModel(field)?.types ?? [], type.essence)
}

/** Refuses 415 for content of a type that the field does not take; `accepted` are the types to send. */
export function requireType(
  field: FieldModel,
  type: MediaType | undefined,
  { method, accepted }: { readonly method: string; readonly accepted: readonly string[] },
): MediaType {
  if (type && takesType(field, type)) return type
  const types = accepted.join(', ')
  throw refuse('unsupported-media-type', {
    detail: `${type ? `The file has the type ${type.essence}` : 'No valid Content-Type was sent'}. Send one of: ${types}.`,
    fields: { Accept: types, ...(method === 'POST' ? { 'Accept-Post': types } : {}) },
  })
}

/** Refuses 415 for a file in a form. `Accept` would be about the form, so the detail names the types. */
export function requirePartType(field: FieldModel, sent: string): MediaType {
  const type = parseMediaType(sent)
  if (type && takesType(field, type)) return type
  const types = findFileModel(field)?.types.join(', ')
  const found = type ? `has the type ${type.essence}` : 'has no valid Content-Type'
  throw refuse('unsupported-media-type', {
    detail: `The file in '${field.name}' ${found}. Send one of: ${types}.`,
  })
}

/** The type with its charset, if it has one: other parameters do not change how it is shown. */
export function describeType({ essence, parameters }: MediaType): string {
  const charset = parameters.get('charset')?.toLowerCase()
  return charset !== undefined && /^[a-z0-9_.:-]{1,40}$/.test(charset)
    ? `${essence}; charset=${charset}`
    : essence
}

/** Refuses 415: files are stored octet for octet, so a coding would become part of them. */
export function requireUncoded(fields: Fields): void {
  const coding = fields['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (coding === 'identity') return
  throw refuse('unsupported-content-coding', {
    detail: 'Send the file uncoded.',
    fields: { 'Accept-Encoding': 'identity' },
  })
}

/** RFC 9110 §14.5: a partial PUT must not replace the whole. */
export function requireWhole(fields: Fields): void {
  if (fields['content-range'] === undefined) return
  throw refuse('malformed-request', { detail: 'Send the whole content, without Content-Range.' })
}

/** A form cannot be sent in parts: a part of it would be stored as the whole. Refuses 400. */
export function requireWholeForm(fields: Fields): void {
  requireWhole(fields)
  const complete = parseUploadComplete(fields)
  if (complete === undefined || (complete && !hasInteropVersion(fields))) return
  throw refuse('malformed-request', {
    detail:
      'A form cannot be a resumable upload. Send the file itself as the content, or the form without Upload-Complete.',
  })
}

/** Of one file, in octets. */
export function maxOf(field: FieldModel): number {
  return findFileModel(field)?.max ?? 0
}

export function tooLarge(field: FieldModel): Refusal {
  const max = formatOctetSize(maxOf(field))
  return refuse('content-too-large', {
    detail: `The file may have at most ${max}.`,
    fields: { 'Upload-Limit': formatUploadLimit(maxOf(field), maxUploadAge) },
  })
}

/** The octets; refuses 413 where they are more than the field takes, or with those before them than the quota. */
export async function* limited(
  octets: AsyncIterable<Uint8Array>,
  field: FieldModel,
  { limit, before = 0 }: { readonly limit?: QuotaLimit | undefined; readonly before?: number } = {},
): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const part of octets) {
    size += part.length
    if (size > maxOf(field)) throw tooLarge(field)
    requireWithin(limit, before + size)
    yield part
  }
}

/** The fault of content that does not begin as its type does. */
export function findSignatureFault({ name }: FieldModel, type: string, { head }: ReceivedFile) {
  if (fitsSignature(type, head)) return undefined
  const detail = `The content is not ${type}: it begins with other octets.`
  return { pointer: `/${name}`, rule: 'signature', detail } satisfies ContentFault
}

/** `types` are media types and ranges such as `image/*`; a file has a type, not a range. */
export function isAllowedType(types: readonly string[], sent: string): boolean {
  const parsed = parseMediaType(sent)
  if (!parsed || parsed.essence.includes('*')) return false
  return types.some((one) => one === parsed.essence || one === `${parsed.type}/*` || one === '*/*')
}
