/** Reads stored content and compares its digest: what every backup, restore, verification and copy of files uses. */

import { createHash } from 'node:crypto'
import { DamagedContent, type FileStore } from './file-store.ts'

/** Passes the octets on. Throws a DamagedContent at their end where they have another digest. */
export async function* compareDigest(
  digest: string,
  octets: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  for await (const part of octets) {
    hash.update(part)
    yield part
  }
  if (hash.digest('base64') !== digest) {
    throw new DamagedContent(digest, 'has other content than its digest says')
  }
}

/** All octets of stored content. Throws a DamagedContent where there is none, or it has another digest. */
export async function* readWhole(
  store: Pick<FileStore, 'sizeOf' | 'read'>,
  digest: string,
): AsyncGenerator<Uint8Array> {
  const size = await store.sizeOf(digest)
  if (size === undefined) throw new DamagedContent(digest, 'is missing')
  yield* compareDigest(digest, store.read(digest, { first: 0, last: size - 1 }))
}

/** Stores the octets under their digest, unless the store has them, undamaged. Returns whether it had not. */
export async function storeMissing(
  store: FileStore,
  digest: string,
  read: () => AsyncIterable<Uint8Array>,
): Promise<boolean> {
  if ((await store.renew(digest)) && (await isIntact(store, digest))) return false
  const received = await store.receive(read())
  await received.keep()
  return true
}

/** Whether the store has the content with its digest. */
export async function isIntact(store: FileStore, digest: string): Promise<boolean> {
  try {
    for await (const _ of readWhole(store, digest));
    return true
  } catch (error) {
    if (error instanceof DamagedContent) return false
    throw error
  }
}
