/**
 * Stores files in a folder: `ab/cdef…` by digest, `incoming/` for octets that arrive, `aside/` for
 * content that is about to be removed. A file appears under its digest by one rename, when all its
 * octets are on the disk.
 */

import { randomUUID } from 'node:crypto'
import { type FileHandle, open, readdir, rename, stat, unlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { DigestAlgorithm } from '../../http/digest.ts'
import type { OctetRange } from '../../http/range.ts'
import { makeFolder, syncFolder } from '../../tools/durable-folder.ts'
import { takeReadBuffer } from '../../tools/read-buffers.ts'
import { DamagedContent, type FileStore, type ReceivedFile } from '../file-store.ts'
import { createDigester } from './digester.ts'
import { codeOf, translateFileSystemErrors } from './file-system-errors.ts'

/** A store in the folder, which is created when the first file arrives. */
export function openFolderStore(folder: string): FileStore {
  const places: Places = { folder, incoming: join(folder, 'incoming'), aside: join(folder, 'aside') }
  return {
    receive: (parts, digests = []) => translateFileSystemErrors(() => receive(places, parts, digests)),
    sizeOf: (digest) => translateFileSystemErrors(() => sizeOf(places, digest)),
    read: (digest, range) => readContent(places, digest, range),
    renew: (digest) => translateFileSystemErrors(() => renew(places, digest)),
    unusedSince: (time) => unusedSince(places, time),
    setAside: (digest, time) => translateFileSystemErrors(() => setAside(places, digest, time)),
    restore: (digest) => translateFileSystemErrors(async () => void (await restore(places, digest))),
    erase: (digest) => translateFileSystemErrors(() => removeIfPresent(asidePath(places, digest))),
    recover: (time) => translateFileSystemErrors(() => recover(places, time)),
  }
}

interface Places {
  readonly folder: string
  readonly incoming: string
  readonly aside: string
}

/** Base64url has no slash; two characters spread the files over folders. */
function contentPath({ folder }: Places, digest: string): string {
  const name = Buffer.from(digest, 'base64').toString('hex')
  return join(folder, name.slice(0, 2), name.slice(2))
}

function asidePath({ aside }: Places, digest: string): string {
  return join(aside, Buffer.from(digest, 'base64').toString('hex'))
}

async function receive(
  places: Places,
  parts: AsyncIterable<Uint8Array>,
  algorithms: Iterable<DigestAlgorithm>,
): Promise<ReceivedFile> {
  await makeFolder(places.incoming)
  const path = join(places.incoming, randomUUID())
  const handle = await open(path, 'wx', 0o600)
  const digester = createDigester(algorithms)
  try {
    for await (const part of parts) {
      digester.update(part)
      await writeAll(handle, part)
    }
    await handle.sync()
  } catch (error) {
    await handle.close()
    await removeIfPresent(path)
    throw error
  }
  await handle.close()
  const received = digester.finish()
  return {
    ...received,
    keep: () => translateFileSystemErrors(() => keep(places, path, received.digest)),
    discard: () => translateFileSystemErrors(() => removeIfPresent(path)),
  }
}

async function writeAll(handle: FileHandle, octets: Uint8Array): Promise<void> {
  for (let written = 0; written < octets.length; ) {
    written += (await handle.write(octets, written)).bytesWritten
  }
}

async function keep(places: Places, path: string, digest: string): Promise<void> {
  const place = contentPath(places, digest)
  const parent = join(place, '..')
  await makeFolder(parent)
  await rename(path, place)
  await syncFolder(parent)
  await syncFolder(places.folder)
}

async function sizeOf(places: Places, digest: string): Promise<number | undefined> {
  const found = await useContent(places, digest, (path) => stat(path))
  return found?.size
}

/** Uses the file of the content, which is restored where it was set aside. */
async function useContent<T>(
  places: Places,
  digest: string,
  use: (path: string) => Promise<T>,
): Promise<T | undefined> {
  const path = contentPath(places, digest)
  const used = await ifPresent(() => use(path))
  if (used !== undefined || !(await restore(places, digest))) return used
  return ifPresent(() => use(path))
}

async function* readContent(
  places: Places,
  digest: string,
  { first, last }: OctetRange,
): AsyncGenerator<Uint8Array> {
  const handle = await translateFileSystemErrors(() => useContent(places, digest, (path) => open(path, 'r')))
  if (!handle) throw new DamagedContent(digest, 'is missing')
  try {
    for (let position = first; position <= last; ) {
      const octets = takeReadBuffer(last + 1 - position)
      const { bytesRead } = await handle.read(octets, 0, octets.length, position)
      if (bytesRead === 0) throw new DamagedContent(digest, 'is too short')
      position += bytesRead
      yield octets.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}

async function renew(places: Places, digest: string): Promise<boolean> {
  const now = new Date()
  const renewed = await useContent(places, digest, async (path) => {
    await utimes(path, now, now)
    return true
  })
  return renewed ?? false
}

async function* unusedSince(places: Places, time: number): AsyncGenerator<string> {
  for await (const { digest, path } of contents(places)) {
    const found = await ifPresent(() => stat(path))
    if (found && found.mtimeMs < time) yield digest
  }
}

async function* contents(places: Places): AsyncGenerator<{ digest: string; path: string }> {
  for (const folder of await namesIn(places.folder)) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue
    for (const name of await namesIn(join(places.folder, folder))) {
      if (!/^[0-9a-f]{62}$/.test(name)) continue
      const digest = Buffer.from(folder + name, 'hex').toString('base64')
      yield { digest, path: join(places.folder, folder, name) }
    }
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await ifPresent(() => readdir(folder))) ?? []
}

async function setAside(places: Places, digest: string, time: number): Promise<boolean> {
  await makeFolder(places.aside)
  const path = asidePath(places, digest)
  if (!(await moveIfPresent(contentPath(places, digest), path))) return false
  const found = await ifPresent(() => stat(path))
  if (!found || found.mtimeMs < time) return found !== undefined
  await restore(places, digest)
  return false
}

/** Whether the content was set aside. */
function restore(places: Places, digest: string): Promise<boolean> {
  return moveIfPresent(asidePath(places, digest), contentPath(places, digest))
}

async function recover(places: Places, time: number): Promise<void> {
  for (const name of await namesIn(places.aside)) {
    await restore(places, Buffer.from(name, 'hex').toString('base64'))
  }
  for (const name of await namesIn(places.incoming)) {
    const path = join(places.incoming, name)
    const found = await ifPresent(() => stat(path))
    if (found && found.mtimeMs < time) await removeIfPresent(path)
  }
}

async function moveIfPresent(from: string, to: string): Promise<boolean> {
  const moved = await ifPresent(async () => {
    await rename(from, to)
    return true
  })
  return moved ?? false
}

async function removeIfPresent(path: string): Promise<void> {
  await ifPresent(() => unlink(path))
}

/** The result; undefined where the path names nothing. */
async function ifPresent<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
