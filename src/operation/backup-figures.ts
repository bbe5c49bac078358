/** The age of the newest backup and its last verification. */

import { setTimeout as pause } from 'node:timers/promises'
import type { BackupPlace } from './backup/backup-place.ts'
import type { BackupFigures } from './status-figures.ts'

/** Milliseconds to wait for a place that does not respond, such as a bucket that is down. */
const patience = 2000

/** The reads that are under way, by place: a place that does not respond gets one at a time. */
const reads = new Map<string, Promise<BackupFigures | null>>()

/** Null where no place is named, or where it cannot be read now. */
export async function loadBackupFigures(place: string | undefined): Promise<BackupFigures | null> {
  if (place === undefined) return null
  const reading = reads.get(place) ?? startRead(place)
  const waiting = new AbortController()
  const limit = pause(patience, null, { signal: waiting.signal, ref: false }).catch(() => null)
  try {
    return await Promise.race([reading, limit])
  } finally {
    waiting.abort()
  }
}

function startRead(place: string): Promise<BackupFigures | null> {
  const reading = readFigures(place)
    .catch(() => null)
    .finally(() => reads.delete(place))
  reads.set(place, reading)
  return reading
}

/** Each place is opened once, so that a bucket keeps its connections. */
const places = new Map<string, BackupPlace>()

/** The code of backups is loaded on first use. */
async function readFigures(named: string): Promise<BackupFigures> {
  const { openBackupPlace } = await import('./backup/open-backup-place.ts')
  const { listBackups, readVerification } = await import('./backup/backup-list.ts')
  const place = places.get(named) ?? openBackupPlace(named)
  places.set(named, place)
  const backups = await listBackups(place)
  const newest = backups.at(-1)?.at ?? null
  const age = newest === null ? null : Math.max(0, Math.floor((Date.now() - Date.parse(newest)) / 1000))
  const times = await Promise.all(backups.map(readVerification))
  const verified =
    times
      .flatMap((time) => time ?? [])
      .toSorted()
      .at(-1) ?? null
  return { newest, age, verified }
}
