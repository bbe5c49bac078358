/**
 * Notices that a database file is another one than before: a copy, or a backup that was put in its place. The file and
 * another one beside it have the same random text, which each start renews.
 */

import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { formatLost, instanceRecord, lostAfter, lostRecord } from '../../schema/lost-positions.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { readLastPosition } from '../read/read-change-log.ts'
import { loadRecords, saveRecord } from './stored-records.ts'

/**
 * Continues the change log behind all positions that another file may have. Returns the last position that is left;
 * undefined where the file is the same, or there never was one.
 */
export function continueLog(connection: SqliteConnection, file: string): number | undefined {
  const instanceFile = `${file}-instance`
  const instance = randomUUID()
  const position = connection.transaction(() => {
    const records = loadRecords(connection)
    const found = readLastPosition((statement) => connection.rows(statement))
    saveRecord(connection, instanceRecord, instance)
    if (found === 0 || records.get(instanceRecord) === readInstance(instanceFile)) return undefined
    const lost = lostAfter(found)
    saveRecord(connection, lostRecord, formatLost(records, lost))
    const sql = `update sqlite_sequence set "seq" = ? where "name" = '_changes'`
    connection.prepare(sql).run(lost.before)
    return found
  })
  writeFileSync(instanceFile, instance, { mode: 0o600 })
  return position
}

function readInstance(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return null
  }
}
