/** The validators of a file (RFC 9110 §8.8): its own, not those of its item. */

import { hash } from 'node:crypto'
import type { StoredFile } from '../definition/stored-file.ts'

/** The opaque part of its entity tag: other for each content, type and name. */
export function fileTag({ digest, type, name }: Pick<StoredFile, 'digest' | 'type' | 'name'>): string {
  return `f${hash('sha256', `${digest}\n${type}\n${name}`, 'base64url').slice(0, 27)}`
}

/**
 * Names the file in its permanent URI, `/tasks/{id}/-/files/{key}`: the digest of its content, then the beginning of its
 * tag, which tells the same content with another name or type apart.
 */
export function fileKey(file: Pick<StoredFile, 'digest' | 'type' | 'name'>): string {
  return `${Buffer.from(file.digest, 'base64').toString('base64url')}.${fileTag(file).slice(1, 7)}`
}

/** The digest in a key, as columns have it; undefined where no file can have the key. */
export function digestOfKey(key: string): string | undefined {
  const [, digest] = /^([\w-]{43})\.[\w-]{6}$/.exec(key) ?? []
  return digest && Buffer.from(digest, 'base64url').toString('base64')
}

/** In milliseconds. */
export function fileTime({ at }: StoredFile): number {
  return Date.parse(at)
}
