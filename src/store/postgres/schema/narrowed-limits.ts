/** Limits that a changed definition has made narrower, held against the rows that are there. */

import type { MigrationStep } from '../../schema/migration-plan.ts'
import { findNarrowing, type Narrowing } from '../../schema/stored-limits.ts'
import type { Column } from '../../schema/table-schema.ts'
import { quoted } from '../../sql/sql-text.ts'
import type { PostgresColumn } from './existing-tables.ts'
import type { PostgresTableContext } from './table-context.ts'

/** Nothing is changed: rows that are there are looked at, and those that do not fit are named. */
export async function narrowing(
  context: PostgresTableContext,
  column: Column,
  was: PostgresColumn,
): Promise<MigrationStep[]> {
  const { table } = context
  const narrower = findNarrowing(limitsOf(context, column, was), column, was.name)
  if (narrower === undefined) return []
  await checkRows(context, { shown: narrower.expression, where: 'true' }, narrower)
  const { description: words, effect } = narrower
  const line = `hold ${table.name}.${column.name} to ${words}`
  return [{ line, effect, lock: undefined, ...narrower.result(), sql: [] }]
}

/** A column that is taken over from another program was never held against anything. */
function limitsOf(
  { now, limits, owned }: PostgresTableContext,
  column: Column,
  was: PostgresColumn,
) {
  if (owned.columns.includes(was.name)) return limits[now.name]?.[was.name]
  return column.limits && [{ kind: column.limits.kind, schema: {} }]
}

const batchSize = 1000

/** Shows each row by the expression, a batch at a time. */
export async function checkRows(
  { connection, now }: PostgresTableContext,
  { shown, where }: { readonly shown: string; readonly where: string },
  against: Pick<Narrowing, 'check'>,
): Promise<void> {
  const sql = `select "_identity", ${shown} from ${quoted(now.name)} where "_identity" > $1 and ${where} order by "_identity" limit ${batchSize}`
  let last = ''
  for (;;) {
    const rows = await connection.rows({ sql, values: [last] })
    for (const [identity, stored = null] of rows) against.check(String(identity), stored)
    last = String(rows.at(-1)?.[0] ?? '')
    if (rows.length < batchSize) return
  }
}
