/**
 * The chunks of all backups of a place: objects that are named by the digest of their content. Backups share equal
 * chunks, so a backup adds only those that differ from the earlier ones.
 */

import { StoreUnavailable } from '../store.ts'
import type { BackupPlace } from './backup-place.ts'
import type { Sealing } from './sealing.ts'

export interface ChunkStore {
  /** Stores the content unless it is there already, and undamaged. Returns its digest when it is durable. */
  write(content: Uint8Array): Promise<string>
  /** The content. Throws a DamagedChunk. */
  read(digest: string): Promise<Uint8Array>
  /** Whether there is an object of this name, damaged or not. */
  has(digest: string): Promise<boolean>
  /** Deletes all other chunks; returns how many. */
  keepOnly(digests: ReadonlySet<string>): Promise<number>
}

export class DamagedChunk extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.name = 'DamagedChunk'
  }
}

const root = 'chunks/'

/** Chunks that other processes remove later are not noticed, so the place must be locked for writes. */
export function openChunkStore(place: BackupPlace, sealing: Sealing): ChunkStore {
  const keyOf = (digest: string) => `${root}${digest.slice(0, 2)}/${digest}`
  let listed: Promise<Set<string>> | undefined
  /** All keys are listed once: a request for each chunk would take long. */
  const known = () => {
    listed ??= Array.fromAsync(place.list(root, 'all')).then((keys) => new Set(keys))
    return listed
  }
  const read = (digest: string) => readChunk(place, keyOf(digest), { sealing, digest })

  async function isStored(digest: string): Promise<boolean> {
    if (!place.isReadAgain) return (await known()).has(keyOf(digest))
    return (await place.has(keyOf(digest))) && isReadable(() => read(digest))
  }

  return {
    read,
    has: async (digest) =>
      place.isReadAgain ? place.has(keyOf(digest)) : (await known()).has(keyOf(digest)),
    async write(content) {
      const digest = sealing.digest(content)
      if (await isStored(digest)) return digest
      await place.write(keyOf(digest), sealing.seal(content))
      if (place.isReadAgain) await read(digest)
      else (await known()).add(keyOf(digest))
      return digest
    },
    async keepOnly(digests) {
      const keys = await Array.fromAsync(place.list(root, 'all'))
      const others = keys.filter((key) => !digests.has(key.slice(key.lastIndexOf('/') + 1)))
      for (const key of others) await place.remove(key)
      return others.length
    },
  }
}

async function readChunk(
  place: BackupPlace,
  key: string,
  { sealing, digest }: { readonly sealing: Sealing; readonly digest: string },
): Promise<Uint8Array> {
  const file = place.locate(key)
  try {
    const sealed = await place.read(key)
    const content = sealed && sealing.open(sealed)
    if (!content) throw new DamagedChunk(`the file ${file} is missing`)
    if (sealing.digest(content) === digest) return content
  } catch (cause) {
    if (cause instanceof StoreUnavailable || cause instanceof DamagedChunk) throw cause
    throw new DamagedChunk(`the file ${file} is damaged`, { cause })
  }
  throw new DamagedChunk(`the file ${file} has other content`)
}

/** A damaged chunk is written again, so that a new backup does not depend on it. */
async function isReadable(read: () => Promise<Uint8Array>): Promise<boolean> {
  try {
    await read()
    return true
  } catch (error) {
    if (error instanceof DamagedChunk) return false
    throw error
  }
}
