/** Limits that a changed definition has made narrower, held against the rows that are there. */

import { findNarrowing, type Narrowing } from '../limits.ts'
import type { Step } from '../migration.ts'
import type { Column } from '../schema.ts'
import { quoted } from '../sql.ts'
import type { TableContext } from './column-changes.ts'
import type { ExistingColumn } from './existing.ts'

/** Nothing is changed: rows that are there are looked at, and those that do not fit are named. */
export async function narrowing(
  context: TableContext,
  column: Column,
  was: ExistingColumn,
): Promise<Step[]> {
  const { table, now, limits } = context
  const narrower = findNarrowing(limits[now.name]?.[was.name], column, was.name)
  if (narrower === undefined) return []
  await seeRows(context, narrower)
  const line = `hold ${table.name}.${column.name} to ${narrower.words}`
  return [{ line, lock: undefined, ...narrower.found(), sql: [] }]
}

const BATCH = 1000

async function seeRows({ connection, now }: TableContext, narrower: Narrowing): Promise<void> {
  const sql = `select "_identity", ${narrower.shown} from ${quoted(now.name)} where "_identity" > $1 order by "_identity" limit ${BATCH}`
  let last = ''
  for (;;) {
    const rows = await connection.rows({ sql, values: [last] })
    for (const [identity, stored = null] of rows) narrower.see(String(identity), stored)
    last = String(rows.at(-1)?.[0] ?? '')
    if (rows.length < BATCH) return
  }
}
