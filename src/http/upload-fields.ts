/**
 * Fields of resumable uploads (draft-ietf-httpbis-resumable-upload), which are structured fields (RFC 9651). A field
 * with another value is ignored.
 */

import type { Fields } from './message.ts'
import { parseBoolean, parseInteger } from './structured-field.ts'

/** The version of the draft that clients must name, because its fields may still change. */
export const interopVersion = '8'

/** The media type of a PATCH that continues an upload. */
export const partialUploadType = 'application/partial-upload'

/** Seconds that an unfinished upload is kept. */
export const maxUploadAge = 86_400

/** Whether the client speaks this version of the draft. */
export function hasInteropVersion(fields: Fields): boolean {
  return fields['upload-draft-interop-version']?.trim() === interopVersion
}

/** Upload-Complete: whether the content ends the upload; undefined where it is absent or malformed. */
export function parseUploadComplete(fields: Fields): boolean | undefined {
  const value = fields['upload-complete']
  return value === undefined ? undefined : parseBoolean(value.trim())
}

/** Upload-Offset or Upload-Length; undefined where it is absent, or no integer of 0 or more. */
export function parseOctetCount(value: string | undefined): number | undefined {
  const count = value === undefined ? undefined : parseInteger(value.trim())
  return count !== undefined && count >= 0 ? count : undefined
}

export function formatUploadComplete(isComplete: boolean): string {
  return isComplete ? '?1' : '?0'
}

/** Upload-Limit for a file of at most so many octets, whose upload ends after so many seconds. */
export function formatUploadLimit(maxSize: number, secondsLeft: number): string {
  return `max-size=${maxSize}, max-age=${secondsLeft}`
}
