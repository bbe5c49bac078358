/**
 * Inserts rows, their log entries and perhaps a stored response in one statement, which saves round
 * trips and is atomic.
 */

import { memoizeByObject } from '../../../tools/memoize.ts'
import { hasRefs } from '../../schema/join-table-schema.ts'
import { type Schema, type Table, withInitialValues } from '../../schema/table-schema.ts'
import { formatChange, type LoggedAttribution, logColumns } from '../../sql/change-log-sql.ts'
import { deleteExpiredSql, insertResponseSql } from '../../sql/check-writes.ts'
import { boundValue, knownTable, quoted } from '../../sql/sql-text.ts'
import type { InsertWrite, ResponseWrite, Write } from '../../write.ts'
import type { PostgresQuery } from '../connection/connection.ts'
import { columnTypes, postgresDialect } from '../postgres-dialect.ts'

export interface InsertBatch {
  readonly table: Table
  readonly rows: readonly InsertWrite[]
  readonly response: ResponseWrite | undefined
}

/** The writes as one insert of rows of a table; undefined where a check must come first. */
export function findInsertBatch(schema: Schema, writes: readonly Write[]): InsertBatch | undefined {
  const last = writes.at(-1)
  const response = last?.kind === 'response' ? last : undefined
  const rows = response === undefined ? writes : writes.slice(0, -1)
  const name = rows[0]?.kind === 'insert' ? rows[0].table : undefined
  if (name === undefined || !areInserts(rows, name)) return undefined
  const table = knownTable(schema, name)
  if (!table.isLogged || table.search.length > 0 || hasRefs(table)) return undefined
  if (rows.length > 1 && refersToItself(table)) return undefined
  const complete = rows.map((row) => ({ ...row, values: withInitialValues(table, row.values) }))
  return { table, rows: complete, response }
}

/** Whether a row may refer to an earlier one, so that the order matters. */
const refersToItself = memoizeByObject(({ name, columns }: Table) =>
  columns.some(({ references }) => references?.table === name),
)

function areInserts(writes: readonly Write[], table: string): writes is readonly InsertWrite[] {
  return writes.every(
    (write) =>
      write.kind === 'insert' &&
      write.table === table &&
      write.conditionAfter.kind === 'always' &&
      write.loggedAt === undefined,
  )
}

/** The statement; for several rows each parameter is an array. */
export function insertBatchStatement(
  { table, rows, response }: InsertBatch,
  { actor, request }: LoggedAttribution,
): PostgresQuery {
  const [only] = rows.length === 1 ? rows : []
  const columns = table.columns.map((column, at) => {
    if (only !== undefined) return boundValue(column, only.values[at] ?? null)
    return rows.map((row) => boundValue(column, row.values[at] ?? null))
  })
  const logged = rows.map((row) => formatChange(table, undefined, row.values).after)
  const after = only === undefined ? logged : (logged[0] ?? null)
  const values = [...columns, after, actor, request]
  const sql = only === undefined ? severalSql(table) : oneSql(table)
  if (response === undefined) return { sql: sql.plain, values }
  const { name, fingerprint, text, until, now } = response
  return { sql: sql.withResponse, values: [...values, name, fingerprint, text, until, now] }
}

/** Without and with a stored response. */
interface InsertTexts {
  readonly plain: string
  readonly withResponse: string
}

const oneSql = memoizeByObject((table: Table): InsertTexts => {
  return creationSql(table, `select ${typedParameters(table, '')}`)
})

const severalSql = memoizeByObject((table: Table): InsertTexts => {
  return creationSql(table, `select * from unnest(${typedParameters(table, '[]')})`)
})

/** The columns, then the values for the change log. */
function typedParameters({ columns }: Table, array: '' | '[]'): string {
  const parameters = columns.map(({ type }, at) => `$${at + 1}::${columnTypes[type]}${array}`)
  return [...parameters, `$${columns.length + 1}::text${array}`].join(', ')
}

/** The name of a collection has only letters, digits and hyphens. */
function creationSql({ name, columns, idColumn }: Table, rows: string): InsertTexts {
  const names = columns.map((column) => quoted(column.name)).join(', ')
  const id = `${quoted(idColumn)}::text`
  const parts = [
    `"rows" (${names}, "_after") as materialized (${rows})`,
    `"inserted" as (insert into ${quoted(name)} (${names}) select ${names} from "rows")`,
  ]
  if (idColumn !== '_identity') {
    const freed = `delete from "_moves" where "table" = '${name}' and "id" in (select ${id} from "rows")`
    parts.push(`"freed" as (${freed})`)
  }
  const [actor, request] = [2, 3].map((number) => `$${columns.length + number}::text`)
  const about = `null, ${actor}, ${request}, null, "_after"`
  const entries = `select 'inserted', '${name}', "_identity", ${id}, "_version", "updatedAt", ${about} from "rows"`
  const log = `insert into "_changes" (${logColumns}) ${entries}`
  const [now, ...response] = [8, 4, 5, 6, 7].map((number) => `$${columns.length + number}`)
  const swept = `"swept" as (${deleteExpiredSql(postgresDialect, String(now))})`
  return {
    plain: `with ${parts.join(', ')} ${log}`,
    withResponse: `with ${parts.join(', ')}, "logged" as (${log}), ${swept} ${insertResponseSql(response)}`,
  }
}
