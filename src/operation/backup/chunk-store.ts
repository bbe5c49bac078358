/**
 * The chunks of all backups of a place: objects that are named by the digest of their content. Backups share equal
 * chunks, so a backup adds only those that differ from the earlier ones.
 */

import { StoreUnavailable } from '../../store/store.ts'
import type { BackupEncoding } from './backup-encoding.ts'
import type { BackupPlace } from './backup-place.ts'

export interface ChunkStore {
  /** Stores the content unless it is there already, and undamaged. Returns its digest when it is durable. */
  write(content: Uint8Array): Promise<string>
  /** The content. Throws a DamagedChunk. */
  read(digest: string): Promise<Uint8Array>
  /** Whether there is an object of this name that is not known to be damaged. */
  has(digest: string): Promise<boolean>
  /** Remembers that chunks are damaged, so that the next backup writes them again. */
  markDamaged(digests: readonly string[]): Promise<void>
  /** Deletes all other chunks; returns how many. */
  keepOnly(digests: ReadonlySet<string>): Promise<number>
}

/** A chunk is damaged, or the chunks of a file do not have its content. */
export class DamagedChunk extends Error {
  readonly digests: readonly string[]

  constructor(digests: readonly string[], reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.name = 'DamagedChunk'
    this.digests = digests
  }
}

const root = 'chunks/'
const marks = 'damaged/'

/** Chunks that other processes remove later are not noticed, so the place must be locked for writes. */
export function openChunkStore(place: BackupPlace, encoding: BackupEncoding): ChunkStore {
  const keyOf = (digest: string) => `${root}${digest.slice(0, 2)}/${digest}`
  // All keys are listed once: a request for each chunk would take long.
  let damagedList: Promise<Set<string>> | undefined
  const damaged = () => {
    damagedList ??= listDamaged(place)
    return damagedList
  }
  let sizeList: Promise<Map<string, number>> | undefined
  const sizes = () => {
    sizeList ??= listSizes(place)
    return sizeList
  }
  const read = (digest: string) => readChunk(place, keyOf(digest), { encoding, digest })

  async function has(digest: string): Promise<boolean> {
    if ((await damaged()).has(digest)) return false
    return place.isReadAgain ? place.has(keyOf(digest)) : (await sizes()).has(digest)
  }

  async function isIntact(digest: string, encoded: Uint8Array): Promise<boolean> {
    if (!(await has(digest))) return false
    if (place.isReadAgain) return isReadable(() => read(digest))
    return (await sizes()).get(digest) === encoded.length
  }

  return {
    read,
    has,
    async write(content) {
      const digest = encoding.digest(content)
      const encoded = encoding.encode(content)
      if (await isIntact(digest, encoded)) return digest
      await place.write(keyOf(digest), encoded)
      if (place.isReadAgain) await read(digest)
      else (await sizes()).set(digest, encoded.length)
      if ((await damaged()).delete(digest)) await place.remove(`${marks}${digest}`)
      return digest
    },
    async markDamaged(digests) {
      for (const digest of digests) await place.write(`${marks}${digest}`, new Uint8Array())
    },
    async keepOnly(digests) {
      const keys = await Array.fromAsync(place.list(root, 'all'))
      const others = keys.filter((key) => !digests.has(digestOf(key)))
      for (const key of others) await place.remove(key)
      return others.length
    },
  }
}

/** The digests of chunks that `backup verify` has found to be damaged. */
async function listDamaged(place: BackupPlace): Promise<Set<string>> {
  return new Set((await Array.fromAsync(place.list(marks, 'direct'))).map(digestOf))
}

/** The sizes of all chunks by digest. One of a cut upload has another size. */
async function listSizes(place: BackupPlace): Promise<Map<string, number>> {
  return new Map([...(await place.sizes(root))].map(([key, size]) => [digestOf(key), size]))
}

function digestOf(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1)
}

async function readChunk(
  place: BackupPlace,
  key: string,
  { encoding, digest }: { readonly encoding: BackupEncoding; readonly digest: string },
): Promise<Uint8Array> {
  const file = place.locate(key)
  try {
    const encoded = await place.read(key)
    const content = encoded && encoding.decode(encoded)
    if (!content) throw new DamagedChunk([digest], `the file ${file} is missing`)
    if (encoding.digest(content) === digest) return content
  } catch (cause) {
    if (cause instanceof StoreUnavailable || cause instanceof DamagedChunk) throw cause
    throw new DamagedChunk([digest], `the file ${file} is damaged`, { cause })
  }
  throw new DamagedChunk([digest], `the file ${file} has other content`)
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
