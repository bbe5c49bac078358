/** The folder of backups: which there are, which one is meant, and the removal of old ones. */

import { existsSync, statSync } from 'node:fs'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { holdLock } from '../sqlite/connection/file-lock.ts'
import { StoreOpenError } from '../store.ts'
import { readBackup, refused, timeOfName } from './backup-file.ts'
import { openChunkFolder } from './chunk-folder.ts'
import { writeDurably } from './durable-file.ts'
import type { Sealing } from './sealing.ts'

/** A backup by its name, which was not read yet. */
export interface ListedBackup {
  readonly file: string
  readonly at: string
  /** When `backup verify` has last restored it; undefined where it never was. */
  readonly verifiedAt: string | undefined
}

/** The backups in the folder, oldest first; empty where there is no folder. */
export async function listBackups(folder: string): Promise<readonly ListedBackup[]> {
  const names = existsSync(folder) ? await readdir(folder) : []
  const found = names.flatMap((name) => {
    const at = timeOfName(name)
    return at === undefined ? [] : [{ file: join(folder, name), at }]
  })
  const listed = found.map(async (one) => ({ ...one, verifiedAt: await readVerification(one.file) }))
  return (await Promise.all(listed)).toSorted((a, b) => (a.at < b.at ? -1 : 1))
}

async function readVerification(file: string): Promise<string | undefined> {
  const path = `${file}.verified`
  return existsSync(path) ? (await readFile(path, 'utf8')).trim() : undefined
}

/** Remembers that the backup was restored and compared. */
export async function recordVerification(file: string, at: string): Promise<void> {
  await writeDurably(`${file}.verified`, Buffer.from(`${at}\n`))
}

/**
 * The backup that is meant: the file itself, or the newest one of the folder at or before the time. Throws a
 * StoreOpenError where there is none.
 */
export async function chooseBackup(from: string, time: string | undefined): Promise<string> {
  const found = statSync(from, { throwIfNoEntry: false })
  if (!found) throw new StoreOpenError(`There is no backup at ${from}.`)
  if (!found.isDirectory()) {
    if (timeOfName(basename(from)) === undefined) throw refused(from, 'has another name than backups have')
    if (time === undefined) return from
    throw new StoreOpenError(`--at chooses among the backups of a folder. ${from} is a single one.`)
  }
  const backups = await listBackups(from)
  const chosen = backups.findLast(({ at }) => time === undefined || at <= time)
  if (chosen) return chosen.file
  const [first] = backups
  throw new StoreOpenError(
    first ? `The first backup in ${from} is of ${first.at}.` : `There are no backups in ${from}.`,
  )
}

/** Runs the work while no other process writes to the folder. Throws a StoreOpenError where one does. */
export async function withLockedFolder<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const lock = holdLock(join(folder, 'lock'))
  if (!lock) throw new StoreOpenError(`Another process is writing backups to ${folder} now.`)
  try {
    return await work()
  } finally {
    lock.close()
  }
}

/**
 * Removes the backups from before a time, but never the newest one, and the chunks that no other backup has.
 * Returns how many. The folder must be locked.
 */
export async function removeBackups(folder: string, before: string, sealing: Sealing): Promise<number> {
  const backups = await listBackups(folder)
  const old = backups.slice(0, -1).filter(({ at }) => at < before)
  if (old.length === 0) return 0
  const kept = backups.filter((backup) => !old.includes(backup))
  // A backup that cannot be read now may be readable later: then no chunk is removed.
  const digests = await collectDigests(kept, sealing)
  for (const { file } of old) {
    await rm(file, { force: true })
    await rm(`${file}.verified`, { force: true })
  }
  if (digests) await openChunkFolder(folder, sealing).keepOnly(digests)
  return old.length
}

async function collectDigests(
  backups: readonly ListedBackup[],
  sealing: Sealing,
): Promise<ReadonlySet<string> | undefined> {
  const digests = new Set<string>()
  for (const { file } of backups) {
    const backup = await readBackup(file, sealing).catch((error) => {
      if (error instanceof StoreOpenError) return undefined
      throw error
    })
    if (!backup) return undefined
    const parts = [...backup.tables, ...(backup.files ?? [])]
    for (const digest of parts.flatMap(({ chunks }) => chunks)) digests.add(digest)
  }
  return digests
}
