/** What a database has now: its tables, columns and indexes, as PostgreSQL's catalogue tells them. */

import { quoted } from '../sql.ts'
import type { Row } from '../store.ts'
import type { Connection } from './connection.ts'

export interface ExistingTable {
  readonly name: string
  readonly columns: ReadonlyMap<string, ExistingColumn>
  readonly indexes: readonly ExistingIndex[]
  readonly empty: boolean
}

export interface ExistingColumn {
  readonly name: string
  /** In the words of `typeWord`. */
  readonly type: string
  readonly required: boolean
  readonly references: ExistingReference | undefined
}

export interface ExistingReference {
  readonly table: string
  /** The name of the constraint. */
  readonly name: string
}

export interface ExistingIndex {
  readonly name: string
  readonly unique: boolean
  readonly columns: readonly string[]
}

/** All tables of the schema but the store's own. */
export async function existingTables(connection: Connection): Promise<Map<string, ExistingTable>> {
  const names = (await connection.run(tablesSql)).map(([name]) => String(name))
  const columns = Map.groupBy(await connection.run(columnsSql), ([table]) => String(table))
  const indexes = Map.groupBy(await connection.run(indexesSql), ([table]) => String(table))
  const tables = new Map<string, ExistingTable>()
  for (const name of names.filter((one) => !one.startsWith('_'))) {
    tables.set(name, {
      name,
      columns: new Map((columns.get(name) ?? []).map(columnOf)),
      indexes: (indexes.get(name) ?? []).map(indexOf),
      empty: !(await isAny(connection, `select 1 from ${quoted(name)} limit 1`)),
    })
  }
  return tables
}

export async function isAny(connection: Connection, sql: string): Promise<boolean> {
  return (await connection.run(sql)).length > 0
}

/** Whether the schema has the store's own tables. */
export function hasSystemTables(connection: Connection): Promise<boolean> {
  return isAny(connection, `${tablesSql} and c.relname = '_meta'`)
}

const here = 'n.nspname = current_schema()'

const tablesSql = `select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
where ${here} and c.relkind in ('r', 'p')`

const columnsSql = `select c.relname, a.attname,
  coalesce(col_description(c.oid, a.attnum), format_type(a.atttypid, a.atttypmod)), a.attnotnull,
  t.relname, k.conname
from pg_class c join pg_namespace n on n.oid = c.relnamespace
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
left join pg_constraint k on k.conrelid = c.oid and k.contype = 'f' and k.conkey = array[a.attnum]
left join pg_class t on t.oid = k.confrelid
where ${here} and c.relkind in ('r', 'p') order by c.relname, a.attnum`

/** Those made by `create index`; the one behind the primary key is not ours to touch. */
const indexesSql = `select c.relname, i.relname, x.indisunique,
  array_to_json(array(select a.attname from unnest(x.indkey) with ordinality u(attnum, place)
    join pg_attribute a on a.attrelid = c.oid and a.attnum = u.attnum order by u.place))
from pg_index x join pg_class c on c.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
join pg_namespace n on n.oid = c.relnamespace
where ${here} and not x.indisprimary and c.relname not like '\\_%'`

function columnOf([, name, type, required, target, constraint]: Row): [string, ExistingColumn] {
  const references =
    target === null || target === undefined
      ? undefined
      : { table: String(target), name: String(constraint) }
  const column = { name: String(name), type: String(type), required: required === 1, references }
  return [column.name, column]
}

function indexOf([, name, unique, columns]: Row): ExistingIndex {
  return { name: String(name), unique: unique === 1, columns: JSON.parse(String(columns)) }
}
