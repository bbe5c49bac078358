/** Copies content from one store to another. */

import type { FileStore } from '../../../store/file-store.ts'
import { StoreUnavailable } from '../../../store/store.ts'

/** Copies all content that the other store does not have. Returns how many files it copied. */
export async function copyFiles(from: FileStore, to: FileStore): Promise<number> {
  let copied = 0
  for await (const digest of from.unusedSince(Number.POSITIVE_INFINITY)) {
    if (await to.renew(digest)) continue
    const size = await from.sizeOf(digest)
    if (size === undefined) continue
    const received = await to.receive(from.read(digest, { first: 0, last: size - 1 }))
    if (received.digest !== digest) {
      await received.discard()
      throw new StoreUnavailable(
        'damaged',
        `The stored file ${digest} has other octets than its digest says.`,
      )
    }
    await received.keep()
    copied += 1
  }
  return copied
}
