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
  /** Remembers that a chunk is damaged, so that the next backup writes it again. */
  markDamaged(digest: string): Promise<void>
  /** Deletes all other chunks; returns how many. */
  keepOnly(digests: ReadonlySet<string>): Promise<number>
}

export class DamagedChunk extends Error {
  readonly digest: string

  constructor(digest: string, reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.name = 'DamagedChunk'
    this.digest = digest
  }
}

const root = 'chunks/'
const marks = 'damaged/'

/** Chunks that other processes remove later are not noticed, so the place must be locked for writes. */
export function openChunkStore(place: BackupPlace, encoding: BackupEncoding): ChunkStore {
  const keyOf = (digest: string) => `${root}${digest.slice(0, 2)}/${digest}`
  let listed: Promise<ListedChunks> | undefined
  /** All keys are listed once: a request for each chunk would take long. */
  const known = () => {
    listed ??= listChunks(place)
    return listed
  }
  const read = (digest: string) => readChunk(place, keyOf(digest), { encoding, digest })

  async function has(digest: string): Promise<boolean> {
    return place.isReadAgain ? place.has(keyOf(digest)) : (await known()).sizes.has(digest)
  }

  async function isIntact(digest: string, encoded: Uint8Array): Promise<boolean> {
    if (place.isReadAgain) return (await has(digest)) && isReadable(() => read(digest))
    return (await known()).sizes.get(digest) === encoded.length
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
      else await noteStored(place, { digest, size: encoded.length }, await known())
      return digest
    },
    async markDamaged(digest) {
      if (!place.isReadAgain) await place.write(`${marks}${digest}`, new Uint8Array())
    },
    async keepOnly(digests) {
      const keys = await Array.fromAsync(place.list(root, 'all'))
      const others = keys.filter((key) => !digests.has(digestOf(key)))
      for (const key of others) await place.remove(key)
      return others.length
    },
  }
}

interface ListedChunks {
  /** The sizes of the chunks that are not known to be damaged, by digest. One of a cut upload has another size. */
  readonly sizes: Map<string, number>
  /** The digests of chunks that `backup verify` has found to be damaged. */
  readonly damaged: ReadonlySet<string>
}

async function listChunks(place: BackupPlace): Promise<ListedChunks> {
  const damaged = new Set((await Array.fromAsync(place.list(marks, 'direct'))).map(digestOf))
  const sizes = new Map<string, number>()
  for (const [key, size] of await place.sizes(root))
    if (!damaged.has(digestOf(key))) sizes.set(digestOf(key), size)
  return { sizes, damaged }
}

async function noteStored(
  place: BackupPlace,
  { digest, size }: { readonly digest: string; readonly size: number },
  { sizes, damaged }: ListedChunks,
): Promise<void> {
  sizes.set(digest, size)
  if (damaged.has(digest)) await place.remove(`${marks}${digest}`)
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
    if (!content) throw new DamagedChunk(digest, `the file ${file} is missing`)
    if (encoding.digest(content) === digest) return content
  } catch (cause) {
    if (cause instanceof StoreUnavailable || cause instanceof DamagedChunk) throw cause
    throw new DamagedChunk(digest, `the file ${file} is damaged`, { cause })
  }
  throw new DamagedChunk(digest, `the file ${file} has other content`)
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
