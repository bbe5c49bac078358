/**
 * The chunks of all backups in a folder: files that are named by the digest of their content. Backups share equal
 * chunks, so a backup adds only those that differ from the earlier ones.
 */

import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDurably } from './durable-file.ts'
import type { Sealing } from './sealing.ts'

export interface ChunkFolder {
  /** Stores the content unless it is there already, and undamaged. Returns its digest when it is durable. */
  write(content: Uint8Array): Promise<string>
  /** The content. Throws a DamagedChunk. */
  read(digest: string): Promise<Uint8Array>
  /** Whether there is a file of this name, damaged or not. */
  has(digest: string): boolean
  /** Deletes all other chunks; returns how many. */
  keepOnly(digests: ReadonlySet<string>): Promise<number>
}

export class DamagedChunk extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options)
    this.name = 'DamagedChunk'
  }
}

export function openChunkFolder(folder: string, sealing: Sealing): ChunkFolder {
  const root = join(folder, 'chunks')
  const fileOf = (digest: string) => join(root, digest.slice(0, 2), digest)

  async function read(digest: string): Promise<Uint8Array> {
    const file = fileOf(digest)
    if (!existsSync(file)) throw new DamagedChunk(`the file ${file} is missing`)
    try {
      const content = sealing.open(await readFile(file))
      if (sealing.digest(content) === digest) return content
    } catch (cause) {
      throw new DamagedChunk(`the file ${file} is damaged`, { cause })
    }
    throw new DamagedChunk(`the file ${file} has other content`)
  }

  return {
    read,
    has: (digest) => existsSync(fileOf(digest)),
    async write(content) {
      const digest = sealing.digest(content)
      const file = fileOf(digest)
      if (!existsSync(file) || !(await isReadable(() => read(digest)))) {
        await mkdir(join(root, digest.slice(0, 2)), { recursive: true, mode: 0o700 })
        await writeDurably(file, sealing.seal(content))
        await read(digest)
      }
      return digest
    },
    async keepOnly(digests) {
      const names = existsSync(root) ? await readdir(root, { recursive: true, withFileTypes: true }) : []
      const others = names.filter((entry) => entry.isFile() && !digests.has(entry.name))
      for (const { parentPath, name } of others) await rm(join(parentPath, name), { force: true })
      return others.length
    },
  }
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
