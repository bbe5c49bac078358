/** The content of files in a backup: in chunks, like rows, so that backups share equal content. */

import { createHash } from 'node:crypto'
import { workConcurrently } from '../../tools/concurrent-work.ts'
import { type BackedUpFile, type Backup, refused } from './backup-manifest.ts'
import { type ChunkStore, DamagedChunk } from './chunk-store.ts'

/** The part of a store of files that backups need (`store/file-store.ts`). */
export interface BackedUpStore {
  unusedSince(time: number): AsyncIterable<string>
  sizeOf(digest: string): Promise<number | undefined>
  read(digest: string, range: { readonly first: number; readonly last: number }): AsyncIterable<Uint8Array>
}

/** Octets of a chunk. */
const chunkOctets = 4_194_304

/** Octets of a small file. Several small files are stored at a time: most of the time of each is that of the disk. */
const smallOctets = 262_144
const concurrentFiles = 8

/**
 * Stores all content that is there now. Content is stored before the row that names it, so what rows of an earlier
 * snapshot name is in it. Content of an earlier backup is not read again while its chunks are there.
 */
export async function storeFiles(
  store: BackedUpStore,
  chunks: ChunkStore,
  earlier: readonly BackedUpFile[],
): Promise<readonly BackedUpFile[]> {
  const known = new Map(earlier.map((file) => [file.digest, file]))
  const files: BackedUpFile[] = []
  // Listed at once: content that arrives during the backup would make it take longer and longer.
  const digests = await Array.fromAsync(store.unusedSince(Number.POSITIVE_INFINITY))
  const others: StoredContent[] = []
  await workConcurrently(digests, concurrentFiles, async (digest) => {
    const before = known.get(digest)
    if (before && (await hasAll(chunks, before))) {
      files.push(before)
      return
    }
    const size = await store.sizeOf(digest)
    // Content that was removed since it was listed is named by no row.
    if (size !== undefined) others.push({ digest, size })
  })
  await eachBySize(others, async (content) => {
    files.push(await storeFile(store, chunks, content))
  })
  return files
}

type StoredContent = Pick<BackedUpFile, 'digest' | 'size'>

/** Works on several small files at a time, then on one large file after the other, so that memory is bounded. */
export async function eachBySize<File extends StoredContent>(
  files: readonly File[],
  work: (file: File) => Promise<void>,
): Promise<void> {
  const { small = [], large = [] } = Object.groupBy(files, ({ size }) =>
    size <= smallOctets ? 'small' : 'large',
  )
  await workConcurrently(small, concurrentFiles, work)
  await workConcurrently(large, 1, work)
}

async function hasAll(chunks: ChunkStore, file: BackedUpFile): Promise<boolean> {
  for (const digest of file.chunks) if (!(await chunks.has(digest))) return false
  return true
}

async function storeFile(
  store: BackedUpStore,
  chunks: ChunkStore,
  { digest, size }: StoredContent,
): Promise<BackedUpFile> {
  const stored: string[] = []
  let parts: Uint8Array[] = []
  let octets = 0
  const flush = async () => {
    if (octets > 0) stored.push(await chunks.write(Buffer.concat(parts)))
    parts = []
    octets = 0
  }
  for await (const part of store.read(digest, { first: 0, last: size - 1 })) {
    parts.push(part)
    octets += part.length
    if (octets >= chunkOctets) await flush()
  }
  await flush()
  return { digest, size, chunks: stored }
}

/** The octets of a file of the backup. Throws a StoreOpenError where they are damaged. */
export async function* readBackedUpFile(
  backup: string,
  { chunks: digests }: BackedUpFile,
  chunks: ChunkStore,
): AsyncGenerator<Uint8Array> {
  for (const digest of digests) {
    try {
      yield await chunks.read(digest)
    } catch (error) {
      if (!(error instanceof DamagedChunk)) throw error
      throw refused(backup, `cannot be restored: ${error.message}`, error)
    }
  }
}

/** Reads all files and compares their digests. Throws a StoreOpenError that names one that is damaged. */
export async function verifyFiles(file: string, { files = [] }: Backup, chunks: ChunkStore): Promise<void> {
  for (const one of files) {
    const hash = createHash('sha256')
    for await (const octets of readBackedUpFile(file, one, chunks)) hash.update(octets)
    if (hash.digest('base64') !== one.digest) throw otherContent(file, one)
  }
}

export function otherContent(backup: string, { digest }: BackedUpFile) {
  return refused(backup, `cannot be restored: the file ${digest} has other content`)
}
