/** Checks a database file for damage. */

import { quoted } from '../../sql/sql-text.ts'
import type { SqliteConnection } from './connection.ts'

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

/** Like a full `findDamage`, table by table: a longer transaction would block checkpoints. */
export function findDamageByTable(connection: SqliteConnection): string | undefined {
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
