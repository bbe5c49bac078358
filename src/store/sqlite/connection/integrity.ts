/** Reading a database file through for damage. */

import { quoted } from '../../sql/sql-text.ts'
import type { SqliteConnection } from './connection.ts'

/** `full` also compares indexes with their tables, which takes about eight times as long. */
export type CheckDepth = 'quick' | 'full'

const pragmas: Readonly<Record<CheckDepth, string>> = {
  quick: 'pragma quick_check(1)',
  full: 'pragma integrity_check(1)',
}

/** The first thing that is wrong in the file, in SQLite's words. */
export function findDamage(connection: SqliteConnection, depth: CheckDepth): string | undefined {
  return finding(connection, pragmas[depth])
}

/** The same, a table at a time: a longer transaction would keep the log from being begun anew. */
export function findDamageByTable(connection: SqliteConnection): string | undefined {
  const tables = `select "name" from sqlite_schema where "type" = 'table' and "rootpage" > 0`
  for (const [name] of connection.query(tables)) {
    const found = finding(connection, `pragma integrity_check(${quoted(String(name))})`)
    if (found !== undefined) return found
  }
  return undefined
}

function finding(connection: SqliteConnection, sql: string): string | undefined {
  const [first] = connection.query(sql)
  if (first?.[0] === 'ok') return undefined
  // SQLite puts a headline before what it says of pages.
  const lines = String(first?.[0]).split('\n')
  return lines.find((line) => !line.startsWith('***')) ?? lines[0]
}
