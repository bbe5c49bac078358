/** Backups in a folder. */

import { existsSync, statSync } from 'node:fs'
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { holdLock } from '../../store/sqlite/connection/file-lock.ts'
import { StoreOpenError } from '../../store/store.ts'
import { makeFolder, syncFolder } from '../../tools/durable-folder.ts'
import type { BackupPlace, BackupSource } from './backup-place.ts'

/** The folder need not exist: the first write makes it. */
export function openFolderPlace(folder: string): BackupPlace {
  const fileOf = (key: string) => join(folder, key)
  return {
    displayName: folder,
    isReadAgain: true,
    locate: fileOf,
    list: (prefix, depth) => listFiles(folder, prefix, depth),
    async sizes(prefix) {
      const sizes = new Map<string, number>()
      for await (const key of listFiles(folder, prefix, 'all')) sizes.set(key, (await stat(fileOf(key))).size)
      return sizes
    },
    has: async (key) => existsSync(fileOf(key)),
    async read(key) {
      return existsSync(fileOf(key)) ? readFile(fileOf(key)) : undefined
    },
    write: (key, content) => nameFullDisk(folder, () => writeDurably(fileOf(key), content)),
    remove: (key) => rm(fileOf(key), { force: true }),
    async removePartial() {
      for (const [prefix, depth] of [
        ['', 'direct'],
        ['chunks/', 'all'],
      ] as const) {
        for await (const key of listFiles(folder, prefix, depth)) {
          // Others may be written by `backup verify`, which takes no lock.
          if (isPartialBackup(key)) await rm(fileOf(key), { force: true })
        }
      }
    },
    async lock() {
      const lock = await nameFullDisk(folder, async () => {
        await makeFolder(folder)
        return holdLock(fileOf('lock'))
      })
      return lock && { [Symbol.asyncDispose]: async () => lock.close() }
    },
  }
}

async function nameFullDisk<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    const isFull = cause instanceof Error && 'code' in cause && fullCodes.has(String(cause.code))
    if (!isFull) throw cause
    const message = `The disk of the backups in ${folder} is full. Make room there, or name another folder with --to.`
    throw new StoreOpenError(message, { cause })
  }
}

const fullCodes: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT'])

/** A description or a chunk that was not complete when its process ended. */
function isPartialBackup(key: string): boolean {
  return /(\.backup|\/[0-9a-f]+)\.partial$/.test(key)
}

async function* listFiles(folder: string, prefix: string, depth: 'direct' | 'all'): AsyncGenerator<string> {
  const root = join(folder, prefix)
  if (!existsSync(root)) return
  const entries = await readdir(root, { recursive: depth === 'all', withFileTypes: true })
  for (const entry of entries) {
    if (!entry.isFile()) continue
    yield relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/')
  }
}

/** A folder of backups, or the file of one. Throws a StoreOpenError where there is neither. */
export function findFolderSource(path: string): BackupSource {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw new StoreOpenError(`There is no backup at ${path}.`)
  if (found.isDirectory()) return { place: openFolderPlace(path), name: undefined }
  return { place: openFolderPlace(dirname(path)), name: basename(path) }
}

/** Replaces the file, and creates its folder. The file has another name until it is complete and durable. */
async function writeDurably(file: string, content: Uint8Array): Promise<void> {
  await makeFolder(dirname(file))
  const partial = `${file}.partial`
  await rm(partial, { force: true })
  try {
    await writeAndSync(partial, content)
    await rename(partial, file)
  } catch (error) {
    // Its room may be needed.
    await rm(partial, { force: true })
    throw error
  }
  await syncFolder(dirname(file))
}

async function writeAndSync(file: string, content: Uint8Array): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
