/** The tables, columns and indexes of a database, read from PostgreSQL's catalogue. */

import type { Row } from '../../row.ts'
import type { PresentColumn, PresentIndex, PresentTable } from '../../schema/present-tables.ts'
import { quoted } from '../../sql/sql-text.ts'
import type { PostgresConnection } from '../connection/connection.ts'

export interface PostgresTable extends PresentTable {
  readonly columns: ReadonlyMap<string, PostgresColumn>
  readonly empty: boolean
}

/** Its type is formatted like `declaredType`. */
export interface PostgresColumn extends PresentColumn {
  readonly references: ExistingReference | undefined
}

export interface ExistingReference {
  readonly table: string
  /** The name of the constraint. */
  readonly name: string
}

/** Returns all tables of the schema except the system tables. */
export async function existingTables(connection: PostgresConnection): Promise<Map<string, PostgresTable>> {
  const tables = new Map<string, PostgresTable>()
  for (const table of (await presentTables(connection)).values()) {
    const empty = !(await hasRows(connection, `select 1 from ${quoted(table.name)} limit 1`))
    tables.set(table.name, { ...table, empty })
  }
  return tables
}

/** Like `existingTables`, without reading any row. */
export async function presentTables(
  connection: Pick<PostgresConnection, 'run'>,
): Promise<ReadonlyMap<string, Omit<PostgresTable, 'empty'>>> {
  const names = (await connection.run(tablesSql)).map(([name]) => String(name))
  const columns = Map.groupBy(await connection.run(columnsSql), ([table]) => String(table))
  const indexes = Map.groupBy(await connection.run(indexesSql), ([table]) => String(table))
  const tables = names
    .filter((name) => !name.startsWith('_'))
    .map((name) => ({
      name,
      columns: new Map((columns.get(name) ?? []).map(parseColumn)),
      indexes: (indexes.get(name) ?? []).map(parseIndex),
    }))
  return new Map(tables.map((table) => [table.name, table]))
}

/** Whether the query returns a row. */
export async function hasRows(connection: PostgresConnection, sql: string): Promise<boolean> {
  return (await connection.run(sql)).length > 0
}

/** Whether the schema has the system tables. */
export function hasSystemTables(connection: PostgresConnection): Promise<boolean> {
  return hasRows(connection, `${tablesSql} and c.relname = '_meta'`)
}

const inSchema = 'n.nspname = current_schema()'

const tablesSql = `select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
where ${inSchema} and c.relkind in ('r', 'p')`

/** Only references with the names that `referenceName` returns: others belong to other programs. */
const columnsSql = `select c.relname, a.attname,
  coalesce(col_description(c.oid, a.attnum), format_type(a.atttypid, a.atttypmod)), a.attnotnull,
  t.relname, k.conname, a.atthasdef or a.attidentity <> ''
from pg_class c join pg_namespace n on n.oid = c.relnamespace
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
left join pg_constraint k on k.conrelid = c.oid and k.contype = 'f' and k.conkey = array[a.attnum]
  and (k.conname like '%:reference:%' or k.conname ~ ':[0-9a-f]{12}$')
left join pg_class t on t.oid = k.confrelid
where ${inSchema} and c.relkind in ('r', 'p') order by c.relname, a.attnum`

/** All indexes except those of primary keys. */
const indexesSql = `select c.relname, i.relname, x.indisunique,
  array_to_json(array(select a.attname from unnest(x.indkey) with ordinality u(attnum, place)
    join pg_attribute a on a.attrelid = c.oid and a.attnum = u.attnum order by u.place))
from pg_index x join pg_class c on c.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
join pg_namespace n on n.oid = c.relnamespace
where ${inSchema} and not x.indisprimary and c.relname not like '\\_%'`

function parseColumn(row: Row): [string, PostgresColumn] {
  const [, name, type, required, target, constraint, hasDefault] = row
  const references =
    target === null || target === undefined ? undefined : { table: String(target), name: String(constraint) }
  const column = {
    name: String(name),
    type: String(type),
    required: required === 1,
    hasDefault: hasDefault === 1,
    references,
  }
  return [column.name, column]
}

function parseIndex([, name, unique, columns]: Row): PresentIndex {
  return { name: String(name), unique: unique === 1, columns: JSON.parse(String(columns)) }
}
