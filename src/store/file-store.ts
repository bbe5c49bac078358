/**
 * The interface of what stores the content of files, by its digest. Content is never changed: a digest
 * names the same octets for ever, or nothing. Rows name digests; content that no row names is removed
 * by `setAside` and `erase`, which leave every reader and writer a whole file or none. See decision 0060.
 */

import type { DigestAlgorithm, Digests } from '../http/digest.ts'
import type { OctetRange } from '../http/range.ts'

export interface FileStore {
  /**
   * Receives all octets where no reader sees them, and computes these digests too. Rejects with the error
   * of the parts, and leaves nothing then.
   */
  receive(parts: AsyncIterable<Uint8Array>, digests?: Iterable<DigestAlgorithm>): Promise<ReceivedFile>
  /** The octets of stored content; undefined where there is none. Throws StoreUnavailable where that is unknown. */
  sizeOf(digest: string): Promise<number | undefined>
  /**
   * Yields the octets of a part of stored content. Nothing is open before the first octet is taken. Throws a
   * DamagedContent where they are not all there.
   */
  read(digest: string, range: OctetRange): AsyncGenerator<Uint8Array>
  /** Marks content as in use now, so that it is not removed before a row names it. False where there is none. */
  renew(digest: string): Promise<boolean>
  /** The digests of content that was last in use before a time, in milliseconds. */
  unusedSince(time: number): AsyncIterable<string>
  /** Hides content before it is erased. Every use brings it back. False where it was used after the time. */
  setAside(digest: string, unusedSince: number): Promise<boolean>
  /** Shows content again. */
  restore(digest: string): Promise<void>
  /** Removes content that was set aside and not brought back. */
  erase(digest: string): Promise<void>
  /** Removes what an ended process left: received octets since before a time, and content that was set aside. */
  recover(time: number): Promise<void>
}

/** Octets that were received and are not stored yet. */
export interface ReceivedFile {
  readonly size: number
  /** The SHA-256 digest of the octets, in base64. */
  readonly digest: string
  /** The digests that were asked for. */
  readonly digests: Digests
  /** The first octets, at most 4,096. */
  readonly head: Uint8Array
  /** Stores the octets under their SHA-256 digest. They survive a power cut when it resolves. */
  keep(): Promise<void>
  discard(): Promise<void>
}

/** Stored content is missing, or is not what its digest says. The database that names it may be sound. */
export class DamagedContent extends Error {
  readonly digest: string
  readonly reason: string

  /** `reason` says what is wrong, such as `is missing`. */
  constructor(digest: string, reason: string) {
    super(`The stored content ${Buffer.from(digest, 'base64').toString('hex')} ${reason}.`)
    this.name = 'DamagedContent'
    this.digest = digest
    this.reason = reason
  }
}
