/**
 * Rows that are not stored yet. A read sees them through a common table expression with the name of
 * their table, so that every part of the statement that names the table sees them too.
 */

import type { Stored } from '../../definition/model.ts'
import { type RefsColumn, refsColumnsOf } from '../schema/join-table-schema.ts'
import { type Column, type Table, withInitialValues } from '../schema/table-schema.ts'
import type { UnsavedRows } from '../store.ts'
import {
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
  const stored = `select "item", "target" from ${dialect.storedTable(join)} where "item" not in (${identitiesOf(builder, rows)})`
  const identity = knownColumn(table, '_identity')
  const at = columnIndex(table, column.name)
  const added = [...rows].flatMap(([item, values]) => {
    const targets: readonly string[] = JSON.parse(String(values?.[at] ?? '[]'))
    return targets.map((target) => [item, target])
  })
  const union = boundRows(builder, added, [identity, identity])
  return `${quoted(join)} ("item", "target") as not materialized (${stored} union all ${union})`
}

/** The stored rows with other identities, and the unsaved rows. */
function shadowSql(builder: SqlBuilder, table: Table, rows: UnsavedRowsOfTable): string {
  const names = table.columns.map(({ name }) => quoted(name)).join(', ')
  const identities = identitiesOf(builder, rows)
  const stored = `select ${names} from ${builder.dialect.storedTable(table.name)} where "_identity" not in (${identities})`
  const present = [...rows.values()].flatMap((values) => (values ? [withInitialValues(table, values)] : []))
  const added = boundRows(builder, present, table.columns)
  return `${quoted(table.name)} (${names}) as not materialized (${stored} union all ${added})`
}

/** A query for the identities. */
function identitiesOf(builder: SqlBuilder, rows: UnsavedRowsOfTable): string {
  return builder.dialect.jsonElements(bindRaw(builder, JSON.stringify([...rows.keys()])))
}

/**
 * A query for the rows, which are one parameter: the text of the statement is the same for any number of them, so it is
 * prepared once, and no database limits them.
 */
function boundRows(
  builder: SqlBuilder,
  rows: readonly (readonly Stored[])[],
  columns: readonly Column[],
): string {
  const { dialect } = builder
  const texts = rows.map((values) => JSON.stringify(columns.map((_, at) => textOf(values[at] ?? null))))
  const list = bindRaw(builder, JSON.stringify(texts))
  const members = columns.map((column, at) => dialect.arrayMember('j."value"', at, column))
  return `select ${members.join(', ')} from ${dialect.elementsItem(list)}`
}

function textOf(value: Stored): string | null {
  return value === null ? null : String(value)
}
