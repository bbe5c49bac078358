/**
 * The SQL of histories, for both databases: the entries of one row, in the change log and among those
 * that pruning has kept in `_history`. Deletions are left out: a deleted row has no history.
 */

import type { Stored } from '../../definition/model.ts'
import type { KeptHistory, KeptVersionsQuery, RowHistoryQuery } from '../change-log.ts'
import type { MigrationStep } from '../schema/migration-plan.ts'
import type { Schema } from '../schema/table-schema.ts'
import { logColumnCount, logColumns, maxPageOctets } from './change-log-sql.ts'
import type { Dialect, Statement } from './sql-text.ts'

/** The index of the change log by row. Only definitions with a history have it, because each write updates it. */
export const logIndexName = '_changes:item'

const createLogIndexSql = `create index "${logIndexName}" on "_changes" ("table", "identity", "version")`

/** The step that makes the index, or drops it where no table has a history. */
export function planLogIndex(
  schema: Schema,
  isPresent: boolean,
  lock: Readonly<Record<'index' | 'brief', string>>,
): readonly MigrationStep[] {
  const isNeeded = Object.values(schema.tables).some(({ history }) => history)
  if (isNeeded === isPresent) return []
  const plain = { obstacle: undefined, loss: undefined, rows: 0 }
  if (isNeeded) {
    const line = `make index ${logIndexName}`
    return [{ ...plain, effect: 'adds', line, lock: lock.index, sql: [createLogIndexSql] }]
  }
  const sql = [`drop index if exists "${logIndexName}"`]
  return [{ ...plain, effect: 'drops', line: `drop index ${logIndexName}`, lock: lock.brief, sql }]
}

/** Selects entries of one row, for `parseEntry`. Entries without a position have 0. */
export function rowHistoryStatement(dialect: Dialect, query: RowHistoryQuery): Statement {
  const { table, identity, direction, version, containing, limit } = query
  const values: Stored[] = []
  const bind = (value: Stored) => {
    values.push(value)
    return dialect.placeholder(values.length)
  }
  const [operator, order] = direction === 'older' ? ['<', 'desc'] : ['>', 'asc']
  const ordered = `order by "version" ${order}`
  const pattern =
    containing &&
    dialect.pattern(
      Array.from(containing, (character) => [character]),
      'anywhere',
    )
  const rowsOf = (source: string, position: string) => {
    const ofRow = `"table" = ${bind(table)} and "identity" = ${bind(identity)} and "version" ${operator} ${bind(version)} and "kind" in ('inserted', 'replaced')`
    const found = pattern === undefined ? '' : ` and ${dialect.matches('"after"', bind(pattern))}`
    return `select ${position} as "position", ${logColumns} from ${source} where ${ofRow}${found} ${ordered} limit ${bind(limit)}`
  }
  const logged = rowsOf('"_changes"', 'coalesce("position", 0)')
  const kept = rowsOf('"_history"', '0')
  const both = `(select * from (${logged}) l union all select * from (${kept}) k) e`
  const rest = `from ${both} ${ordered} limit ${bind(limit)}`
  const columns = `"position", ${logColumns}`
  if (dialect.limitOctets === undefined) {
    return { sql: `select ${columns} ${rest}`, values, octets: maxPageOctets }
  }
  const size = 'coalesce(octet_length("before"), 0) + coalesce(octet_length("after"), 0)'
  const list = `select ${columns}, ${size} ${rest}`
  const sql = dialect.limitOctets(list, logColumnCount + 1, String(bind(maxPageOctets)))
  return { sql, values }
}

/** Selects kept entries of a table in order, for `parseEntry`. */
export function keptVersionsStatement({ placeholder }: Dialect, query: KeptVersionsQuery): Statement {
  const { table, after, limit } = query
  const values: Stored[] = [table, ...(after ? [after.identity, after.version] : []), limit]
  const rest = after ? ` and ("identity", "version") > (${placeholder(2)}, ${placeholder(3)})` : ''
  const sql = `select 0 as "position", ${logColumns} from "_history" where "table" = ${placeholder(1)}${rest} order by "identity", "version" limit ${placeholder(values.length)}`
  return { sql, values }
}

/** Keeps the entries of these histories up to a position, before they are pruned; undefined for none. */
export function keepStatement(
  { placeholder }: Dialect,
  through: number,
  kept: readonly KeptHistory[],
): Statement | undefined {
  if (kept.length === 0) return undefined
  const needed = kept.map(
    (_, at) => `"table" = ${placeholder(2 * at + 2)} and "at" >= ${placeholder(2 * at + 3)}`,
  )
  const where = `"position" <= ${placeholder(1)} and "kind" in ('inserted', 'replaced') and (${needed.join(' or ')})`
  const sql = `insert into "_history" (${logColumns}) select ${logColumns} from "_changes" where ${where} on conflict do nothing`
  return { sql, values: [through, ...kept.flatMap(({ table, since }) => [table, since])] }
}

const entryKey = '"table", "identity", "version"'

/** Selects the keys of entries that no history needs any more. */
export function expiredHistoryStatement(
  { placeholder }: Dialect,
  kept: readonly KeptHistory[],
  limit: number,
): Statement {
  const values: Stored[] = []
  const bind = (value: Stored) => {
    values.push(value)
    return placeholder(values.length)
  }
  const expired = kept.map(({ table, since }) => `("table" = ${bind(table)} and "at" < ${bind(since)})`)
  const others = kept.map(({ table }) => `"table" <> ${bind(table)}`).join(' and ')
  const where = [...expired, others === '' ? 'true' : `(${others})`].join(' or ')
  const sql = `select ${entryKey} from "_history" where ${where} limit ${bind(limit)}`
  return { sql, values }
}

/** Deletes these entries. */
export function pruneHistoryStatement(
  dialect: Dialect,
  kept: readonly KeptHistory[],
  limit: number,
): Statement {
  const { sql, values } = expiredHistoryStatement(dialect, kept, limit)
  return { sql: `delete from "_history" where (${entryKey}) in (${sql})`, values }
}
