/** The backups of a place: which there are, which one is meant, and the removal of old ones. */

import { StoreOpenError } from '../../store/store.ts'
import type { BackupEncoding } from './backup-encoding.ts'
import { findBackup, refused, timeOfName } from './backup-manifest.ts'
import type { BackupPlace, BackupSource, StoredBackup } from './backup-place.ts'
import { openChunkStore } from './chunk-store.ts'

/** A backup by its name, which was not read yet. */
export interface ListedBackup extends StoredBackup {
  readonly at: string
  /** Whether `backup verify` has restored it. */
  readonly isVerified: boolean
}

/** The backups of the place, oldest first; empty where there are none. */
export async function listBackups(place: BackupPlace): Promise<readonly ListedBackup[]> {
  const keys = new Set(await Array.fromAsync(place.list('', 'direct')))
  const found = [...keys].flatMap((name) => {
    const at = timeOfName(name)
    return at === undefined ? [] : [{ place, name, at, isVerified: keys.has(verificationKey(name)) }]
  })
  return found.toSorted((a, b) => (a.at < b.at ? -1 : 1))
}

/** When `backup verify` has last restored the backup; undefined where it never has. */
export async function readVerification({
  place,
  name,
  isVerified,
}: ListedBackup): Promise<string | undefined> {
  const content = isVerified ? await place.read(verificationKey(name)) : undefined
  return content && Buffer.from(content).toString().trim()
}

/** Remembers that the backup was restored and compared. */
export async function recordVerification({ place, name }: StoredBackup, at: string): Promise<void> {
  await place.write(verificationKey(name), Buffer.from(`${at}\n`))
}

function verificationKey(name: string): string {
  return `${name}.verified`
}

/**
 * The backup that is meant: the one that is named, or the newest one of the place at or before the time. Throws a
 * StoreOpenError where there is none.
 */
export async function chooseBackup(
  { place, name }: BackupSource,
  time: string | undefined,
): Promise<StoredBackup> {
  if (name !== undefined) {
    const file = place.locate(name)
    if (timeOfName(name) === undefined) throw refused(file, 'has another name than backups have')
    if (time === undefined) return { place, name }
    throw new StoreOpenError(`--at chooses among the backups of a folder. ${file} is a single one.`)
  }
  const backups = await listBackups(place)
  const chosen = backups.findLast(({ at }) => time === undefined || at <= time)
  if (chosen) return chosen
  const [first] = backups
  throw new StoreOpenError(
    first
      ? `The first backup in ${place.displayName} is of ${first.at}.`
      : `There are no backups in ${place.displayName}.`,
  )
}

/** Runs the work while no other process writes backups there. Throws a StoreOpenError where one does. */
export async function withLock<Result>(place: BackupPlace, work: () => Promise<Result>): Promise<Result> {
  await using lock = await place.lock()
  if (lock) return await work()
  throw new StoreOpenError(`Another process is writing backups to ${place.displayName} now.`)
}

/**
 * Removes the backups from before a time, but never the newest one, and the chunks that no other backup has.
 * Returns how many. The place must be locked.
 */
export async function removeBackups(
  place: BackupPlace,
  before: string,
  encoding: BackupEncoding,
): Promise<number> {
  const backups = await listBackups(place)
  const old = backups.slice(0, -1).filter(({ at }) => at < before)
  if (old.length === 0) return 0
  const kept = backups.filter((backup) => !old.includes(backup))
  // A backup that cannot be read now may be readable later: then no chunk is removed.
  const digests = await collectDigests(kept, encoding)
  for (const { name, isVerified } of old) {
    await place.remove(name)
    if (isVerified) await place.remove(verificationKey(name))
  }
  if (digests) await openChunkStore(place, encoding).keepOnly(digests)
  return old.length
}

async function collectDigests(
  backups: readonly ListedBackup[],
  encoding: BackupEncoding,
): Promise<ReadonlySet<string> | undefined> {
  const digests = new Set<string>()
  for (const stored of backups) {
    const backup = await findBackup(stored, encoding)
    if (!backup) return undefined
    const parts = [...backup.tables, ...(backup.files ?? [])]
    for (const digest of parts.flatMap(({ chunks }) => chunks)) digests.add(digest)
  }
  return digests
}
