/** The content of a request, read when it is needed: parsed, or as a file that is never read as a whole. */

import type { StoredFile } from '../../definition/stored-file.ts'
import type { ResponseFields } from '../../http/message.ts'

/** The content of a request whose header fields were accepted. Both results are memoized. */
export interface RequestContent {
  /** How a PATCH applies it. */
  readonly patch: PatchKind
  /** Whether If-Match names the version that it is for. */
  readonly expectsVersion: boolean
  /** The octets after content decoding; refuses 413 and 400. */
  octets(): Promise<Uint8Array>
  /** The parsed value; refuses 413 and 400. */
  read(): Promise<unknown>
  /** Set where the content is a file, which is never read as a whole. */
  readonly file?: FileContent
}

/** The files that a request sends: one, except where a form adds several to a list. */
export interface FileContent {
  /** Whether the file is a part of a form; otherwise it is the whole content. */
  readonly isForm: boolean
  /**
   * Receives, checks and stores them, once for all attempts to name them in a row; refuses 400, 413, 415 and 422.
   * `freed` are octets that their row will no longer have, which count for the quota.
   */
  receive(freed: number): Promise<readonly AcceptedFile[]>
  /** Called when a row names the file; returns more fields of the response. */
  stored?(): Promise<ResponseFields>
}

/** A file whose content is stored. */
export type AcceptedFile = Pick<StoredFile, 'name' | 'type' | 'size' | 'digest'>

/** `fields`: each member replaces a field; an absent value removes it. */
export type PatchKind = 'merge' | 'json-patch' | 'fields'
