/** Fields of resumable uploads (draft-ietf-httpbis-resumable-upload), which are structured fields (RFC 9651). */

import type { Fields } from './message.ts'

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
  const value = fields['upload-complete']?.trim()
  return value === '?1' ? true : value === '?0' ? false : undefined
}

/** Upload-Offset or Upload-Length; undefined where it is no integer of 0 or more (RFC 9651 §3.3.1). */
export function parseOctetCount(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,15}$/.test(value.trim()) ? Number(value) : undefined
}

export function formatUploadComplete(isComplete: boolean): string {
  return isComplete ? '?1' : '?0'
}

/** Upload-Limit for a file of at most so many octets, whose upload ends after so many seconds. */
export function formatUploadLimit(maxSize: number, secondsLeft: number): string {
  return `max-size=${maxSize}, max-age=${secondsLeft}`
}
