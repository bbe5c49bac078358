/** Uploads in several requests, and their header fields. */

import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import type { TestService } from '../../service.ts'
import { asPng, png } from './gallery.ts'

export const hour = 3_600_000
export const draft = { 'upload-draft-interop-version': '8' }
export const asPart = { 'content-type': 'application/partial-upload' }
export const begin = { ...asPng, ...draft, 'upload-complete': '?0' }

export const octets = Buffer.concat([png, randomBytes(1000)])

export function contentDigest(part: Uint8Array): string {
  return `sha-256=:${createHash('sha256').update(part).digest('base64')}:`
}

export const at = (offset: number, complete = false) => ({
  ...asPart,
  'upload-offset': String(offset),
  'upload-complete': complete ? '?1' : '?0',
})

/** Begins an upload with the first octets; returns its URI. */
export async function beginUpload(
  { request }: TestService,
  file: string,
  first = octets.subarray(0, 500),
  fields = {},
) {
  const begun = await request(`PUT ${file}`, { ...begin, ...fields }, first)
  assert.equal(begun.status, 201, begun.text)
  return String(begun.fields.location)
}
