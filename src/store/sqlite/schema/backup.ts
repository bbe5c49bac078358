/** The backup of a database file before a migration that loses data. */

import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { SqliteConnection } from '../connection/connection.ts'
import { createPrivateFile } from '../connection/database-file.ts'

/** Creates the backup beside the file; returns its name. */
export function backUp(file: string, now: Date): string {
  const stamp = now.toISOString().replace(/[-:]|\.\d+/g, '')
  const backup = `${file}.before-${stamp}`
  // It has another name until it is complete and durable.
  const partial = `${file}.partial-backup`
  rmSync(partial, { force: true })
  createPrivateFile(partial)
  copyInto(file, partial)
  sync(partial)
  renameSync(partial, backup)
  sync(dirname(backup))
  return backup
}

function copyInto(file: string, partial: string): void {
  const connection = new SqliteConnection({ file, use: 'migrate', temporary: false })
  try {
    connection.database.prepare('vacuum into ?').run(partial)
  } finally {
    connection.close()
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
