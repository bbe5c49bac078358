/** A file as the column of its field holds it: a JSON text that names the content by its digest. */

import type { JsonValue, Stored } from './model.ts'

export interface StoredFile {
  readonly name: string
  /** The media type, in lower case, with its charset where one was sent. */
  readonly type: string
  /** In octets. */
  readonly size: number
  /** The SHA-256 digest of the content, in base64. */
  readonly digest: string
  /** When the content was stored. */
  readonly at: string
  /** The identity of the account that stored it; undefined where a caller without an account did. */
  readonly by?: string
  /** Set where the field had other content in the same second, so that the date does not identify it. */
  readonly ambiguous?: true
}

/** The file in a column; undefined where it has none. */
export function parseStoredFile(stored: Stored | undefined): StoredFile | undefined {
  return typeof stored === 'string' ? (JSON.parse(stored) as StoredFile) : undefined
}

export function formatStoredFile(file: StoredFile): string {
  return JSON.stringify(storedMembers(file))
}

function storedMembers({ name, type, size, digest, at, by, ambiguous }: StoredFile) {
  return {
    ...{ name, type, size, digest, at },
    ...(by === undefined ? {} : { by }),
    ...(ambiguous ? { ambiguous } : {}),
  }
}

/** A file of a list. Its id is the last segment of its URI, and is not used for another file. */
export interface ListedFile extends StoredFile {
  readonly id: string
}

/** The files in the column of a list, in order; none where it is absent. */
export function parseStoredFiles(stored: Stored | undefined): readonly ListedFile[] {
  return typeof stored === 'string' ? (JSON.parse(stored) as readonly ListedFile[]) : []
}

export function formatStoredFiles(files: readonly ListedFile[]): string {
  return JSON.stringify(files.map(({ id, ...file }) => ({ id, ...storedMembers(file) })))
}

/** The members that a representation shows besides `href`. */
export function describeStoredFile(file: Pick<StoredFile, 'name' | 'type' | 'size' | 'digest'>) {
  const { name, type, size, digest } = file
  return { name, type, size, digest: `sha-256=:${digest}:` } satisfies JsonValue
}
