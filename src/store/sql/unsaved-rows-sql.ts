/**
 * Rows that are not stored yet. A read sees them through a common table expression with the name of
 * their table, so that every part of the statement that names the table sees them too.
 */

import type { Stored } from '../../definition/model.ts'
import { type RefsColumn, refsColumnsOf } from '../schema/join-table-schema.ts'
import { type Table, withInitialValues } from '../schema/table-schema.ts'
import type { UnsavedRows } from '../store.ts'
import {
  bind,
  bindRaw,
  columnIndex,
  knownColumn,
  knownTable,
  quoted,
  type SqlBuilder,
  type Statement,
} from './sql-text.ts'

/** The statement that `build` returns, seeing the rows. Values of the builder are in the order of the text. */
export function withUnsavedRows(
  builder: SqlBuilder,
  unsaved: UnsavedRows | undefined,
  build: () => Statement,
): Statement {
  if (!unsaved || unsaved.size === 0) return build()
  const named = tablesNamedIn(builder, build().sql)
  builder.values.length = 0
  const tables = [...unsaved]
    .filter(([name, rows]) => rows.size > 0 && named(name))
    .flatMap(([name, rows]) => shadowsOf(builder, knownTable(builder.schema, name), rows))
  const statement = build()
  const { sql } = statement
  if (tables.length === 0) return statement
  const rest = sql.startsWith(WITH) ? `, ${sql.slice(WITH.length)}` : ` ${sql}`
  return { ...statement, sql: `with ${tables.join(', ')}${rest}` }
}

const WITH = 'with '

/** Whether a statement names a table, or a join table of it. Others need no common table expression. */
function tablesNamedIn({ schema, dialect }: SqlBuilder, sql: string): (name: string) => boolean {
  return (name) => {
    const table = knownTable(schema, name)
    const joins = refsColumnsOf(table).map((column) => dialect.joinTable(table.name, column.name))
    return [table.name, ...joins].some((one) => sql.includes(quoted(one)))
  }
}

/** By identity; undefined for a row that is not seen. */
type UnsavedRowsOfTable = ReadonlyMap<string, readonly Stored[] | undefined>

/** The table and the join tables of its sets of references. */
function shadowsOf(builder: SqlBuilder, table: Table, rows: UnsavedRowsOfTable): readonly string[] {
  const shadow = shadowSql(builder, table, rows)
  return [shadow, ...refsColumnsOf(table).map((column) => joinShadowSql(builder, table, column, rows))]
}

/** The members of the stored rows with other identities, and those of the unsaved rows. */
function joinShadowSql(
  builder: SqlBuilder,
  table: Table,
  column: RefsColumn,
  rows: UnsavedRowsOfTable,
): string {
  const { dialect } = builder
  const join = dialect.joinTable(table.name, column.name)
  const replaced = [...rows.keys()].map((identity) => bindRaw(builder, identity)).join(', ')
  const stored = `select "item", "target" from ${dialect.storedTable(join)} where "item" not in (${replaced})`
  const identity = knownColumn(table, '_identity')
  const place = (value: string) => dialect.castParameter(bindRaw(builder, value), identity)
  const at = columnIndex(table, column.name)
  const added = [...rows].flatMap(([item, values]) => {
    const targets: readonly string[] = JSON.parse(String(values?.[at] ?? '[]'))
    return targets.map((target) => `(${place(item)}, ${place(target)})`)
  })
  const union = added.length === 0 ? '' : ` union all values ${added.join(', ')}`
  return `${quoted(join)} ("item", "target") as not materialized (${stored}${union})`
}

/** The stored rows with other identities, and the unsaved rows. */
function shadowSql(builder: SqlBuilder, table: Table, rows: UnsavedRowsOfTable): string {
  const names = table.columns.map(({ name }) => quoted(name)).join(', ')
  const replaced = [...rows.keys()].map((identity) => bindRaw(builder, identity)).join(', ')
  const stored = `select ${names} from ${builder.dialect.storedTable(table.name)} where "_identity" not in (${replaced})`
  const present = [...rows.values()].filter((values) => values !== undefined)
  const added = present.map((values) => `(${valuesOf(builder, table, values)})`)
  const union = added.length === 0 ? '' : ` union all values ${added.join(', ')}`
  return `${quoted(table.name)} (${names}) as not materialized (${stored}${union})`
}

function valuesOf(builder: SqlBuilder, table: Table, values: readonly Stored[]): string {
  const complete = withInitialValues(table, values)
  const places = table.columns.map((column, at) =>
    builder.dialect.castParameter(bind(builder, column, complete[at] ?? null), column),
  )
  return places.join(', ')
}
