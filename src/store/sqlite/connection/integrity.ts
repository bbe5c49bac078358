/** Checks a database file for damage. */

import { quoted } from '../../sql/sql-text.ts'
import { toStoreUnavailable } from '../sqlite-failure.ts'
import { SqliteConnection } from './connection.ts'

/** `full` also compares indexes with their tables, and takes about eight times as long. */
export type CheckDepth = 'quick' | 'full'

const pragmas: Readonly<Record<CheckDepth, string>> = {
  quick: 'pragma quick_check(1)',
  full: 'pragma integrity_check(1)',
}

/** The first fault, in SQLite's words; undefined where there is none. */
export function findDamage(connection: SqliteConnection, depth: CheckDepth): string | undefined {
  return runCheck(connection, pragmas[depth])
}

/**
 * The damage that two full checks in sequence find, each on a connection of its own: a disk may fail to read once.
 * Undefined where the file is sound. Throws errors of SQLite that are no damage.
 */
export function findLastingDamage(file: string): string | undefined {
  return checkFile(file) && checkFile(file)
}

function checkFile(file: string): string | undefined {
  let connection: SqliteConnection | undefined
  try {
    connection = new SqliteConnection({ file, temporary: false, use: 'read unmapped' })
    return findDamageByTable(connection)
  } catch (error) {
    if (toStoreUnavailable(error)?.reason !== 'damaged') throw error
    return error instanceof Error ? error.message : String(error)
  } finally {
    connection?.close()
  }
}

/** Like a full `findDamage`, table by table: a longer transaction would block checkpoints. */
function findDamageByTable(connection: SqliteConnection): string | undefined {
  const tables = `select "name" from sqlite_schema where "type" = 'table' and "rootpage" > 0`
  for (const [name] of connection.query(tables)) {
    const damage = runCheck(connection, `pragma integrity_check(${quoted(String(name))})`)
    if (damage !== undefined) return damage
  }
  return undefined
}

function runCheck(connection: SqliteConnection, sql: string): string | undefined {
  const [first] = connection.query(sql)
  if (first?.[0] === 'ok') return undefined
  // SQLite puts a headline before faults of pages.
  const lines = String(first?.[0]).split('\n')
  return lines.find((line) => !line.startsWith('***')) ?? lines[0]
}
