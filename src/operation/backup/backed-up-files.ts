/** The content of files in a backup: in chunks, like rows, so that backups share equal content. */

import { type ContentDamage, listDigests, missing, type NamedFile } from '../../store/copy/named-files.ts'
import { compareDigest, storeMissing } from '../../store/file-content.ts'
import { DamagedContent, type FileStore } from '../../store/file-store.ts'
import { workConcurrently } from '../../tools/concurrent-work.ts'
import { type BackedUpFile, refused } from './backup-manifest.ts'
import { type ChunkStore, DamagedChunk } from './chunk-store.ts'

/** The part of a store of files that backups need. */
export type BackedUpStore = Pick<FileStore, 'unusedSince' | 'sizeOf' | 'read'>

/** Octets of a chunk. */
const chunkOctets = 4_194_304

/** Octets of a small file. Several small files are stored at a time: most of the time of each is that of the disk. */
const smallOctets = 262_144
const concurrentFiles = 8

export interface FilesToStore {
  readonly store: BackedUpStore
  readonly chunks: ChunkStore
  /** The files of an earlier backup. */
  readonly earlier: readonly BackedUpFile[]
  /** The files that the rows of this backup name. */
  readonly named: AsyncIterable<NamedFile>
}

export interface StoredFiles {
  readonly files: readonly BackedUpFile[]
  /** Of the store. What an earlier backup has undamaged is in this one too. */
  readonly damage: ContentDamage
}

/**
 * Stores all content that is there now and has its digest. Content is stored before the row that names it, so what
 * rows of an earlier snapshot name is in it. Content of an earlier backup is not read again while its chunks are there.
 */
export async function storeFiles({ store, chunks, earlier, named }: FilesToStore): Promise<StoredFiles> {
  const known = new Map(earlier.map((file) => [file.digest, file]))
  const files: BackedUpFile[] = []
  const damage = new Map<string, string>()
  const { present, all } = await listDigests(store, named)
  const others: StoredContent[] = []
  await workConcurrently([...all], concurrentFiles, async (digest) => {
    const before = known.get(digest)
    const isKnown = before !== undefined && (await hasAll(chunks, before))
    if (isKnown) files.push(before)
    if (isKnown && present.has(digest)) return
    const size = await store.sizeOf(digest)
    if (size === undefined) damage.set(digest, missing)
    else if (!isKnown) others.push({ digest, size })
  })
  await eachBySize(others, async (content) => {
    try {
      files.push(await storeFile(store, chunks, content))
    } catch (error) {
      if (!(error instanceof DamagedContent)) throw error
      damage.set(content.digest, error.reason)
    }
  })
  return { files, damage }
}

type StoredContent = Pick<BackedUpFile, 'digest' | 'size'>

/** Works on several small files at a time, then on one large file after the other, so that memory is bounded. */
async function eachBySize<File extends StoredContent>(
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
  for await (const part of compareDigest(digest, store.read(digest, { first: 0, last: size - 1 }))) {
    parts.push(part)
    octets += part.length
    if (octets >= chunkOctets) await flush()
  }
  await flush()
  return { digest, size, chunks: stored }
}

/**
 * Reads all files of the backup and compares their digests; stores those that the store lacks, where there is one.
 * Throws a StoreOpenError that names a file that is damaged in the backup.
 */
export async function restoreFiles(
  { name, files }: { readonly name: string; readonly files: readonly BackedUpFile[] },
  chunks: ChunkStore,
  store: FileStore | undefined,
): Promise<void> {
  await eachBySize(files, async (file) => {
    const read = () => readBackedUpFile(name, file, chunks)
    if (store) await storeMissing(store, file.digest, read)
    else for await (const _ of read());
  })
}

/** The octets of a file of the backup. */
async function* readBackedUpFile(
  backup: string,
  { digest, chunks: digests }: BackedUpFile,
  chunks: ChunkStore,
): AsyncGenerator<Uint8Array> {
  try {
    yield* compareDigest(digest, readAll(chunks, digests))
  } catch (error) {
    const isOther = error instanceof DamagedContent
    const cause = isOther ? new DamagedChunk(digests, error.message, { cause: error }) : error
    if (!(cause instanceof DamagedChunk)) throw error
    throw refused(backup, `cannot be restored: ${cause.message}`, cause)
  }
}

async function* readAll(chunks: ChunkStore, digests: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const digest of digests) yield await chunks.read(digest)
}
