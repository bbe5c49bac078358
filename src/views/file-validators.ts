/** The validators of a file (RFC 9110 §8.8): its own, not those of its item. */

import { hash } from 'node:crypto'
import type { StoredFile } from '../definition/stored-file.ts'

/** The opaque part of its entity tag: other for each content, type and name. */
export function fileTag({ digest, type, name }: Pick<StoredFile, 'digest' | 'type' | 'name'>): string {
  return `f${hash('sha256', `${digest}\n${type}\n${name}`, 'base64url').slice(0, 27)}`
}

/** In milliseconds. */
export function fileTime({ at }: StoredFile): number {
  return Date.parse(at)
}
