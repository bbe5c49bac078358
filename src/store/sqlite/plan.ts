/**
 * What it takes to turn the tables that are there into those a definition wants. Each step is one
 * line an operator can read; a step that would lose data, or that the data does not allow, names
 * its obstacle, and then none is taken.
 */

import type { Schema, Table } from '../schema.ts'
import { quoted } from '../sql.ts'
import { type Change, columnChanges, type Pair, vanishedColumn } from './column-changes.ts'
import type { Connection } from './connection.ts'
import { type ExistingTable, existingTables } from './existing.ts'
import { createTableSql, literal } from './tables.ts'

export interface Step {
  readonly line: string
  /** Why it cannot be taken; undefined where it can. */
  readonly obstacle: string | undefined
  readonly sql: readonly string[]
}

export function planEvolution(connection: Connection, schema: Schema): readonly Step[] {
  const existing = existingTables(connection)
  const present = Object.values(schema.tables).map((table) => ({
    table,
    now: presentForm(table, existing, schema),
  }))
  const names = new Map(present.flatMap(({ table, now }) => (now ? [[now.name, table.name]] : [])))
  const steps = present.flatMap(({ table, now }) =>
    now === undefined ? [creation(table)] : tableSteps(connection, table, now, names),
  )
  const vanished = [...existing.values()].filter(({ name }) => !names.has(name))
  // Renames come first, so that every reference already names its target as the definition does.
  const renames = present.flatMap(({ table, now }) =>
    now === undefined || now.name === table.name ? [] : [tableRename(now.name, table.name)],
  )
  return [...renames, ...steps, ...vanished.map(vanishedTable)]
}

/** The table under its name, or under one it had before. */
function presentForm(
  table: Table,
  existing: ReadonlyMap<string, ExistingTable>,
  schema: Schema,
): ExistingTable | undefined {
  const former = table.formerly.find(
    (name) => existing.has(name) && !Object.hasOwn(schema.tables, name),
  )
  return existing.get(table.name) ?? (former === undefined ? undefined : existing.get(former))
}

function creation(table: Table): Step {
  return { line: `create table ${table.name}`, obstacle: undefined, sql: [createTableSql(table)] }
}

function vanishedTable({ name, empty }: ExistingTable): Step {
  const obstacle = `it has rows; if it was renamed, say formerly: ['${name}'] on its new name`
  return {
    line: `drop table ${name}, which the definition no longer has`,
    obstacle: empty ? undefined : obstacle,
    sql: [`drop table ${quoted(name)}`],
  }
}

/** What the log, the tombstones and the moves say of the table goes along. */
function tableRename(from: string, to: string): Step {
  const [old, name] = [literal(from), literal(to)]
  return {
    line: `rename table ${from} to ${to}`,
    obstacle: undefined,
    sql: [
      `alter table ${quoted(from)} rename to ${quoted(to)}`,
      `update "_changes" set "table" = ${name} where "table" = ${old}`,
      `update or replace "_tombstones" set "table" = ${name} where "table" = ${old}`,
      `update or replace "_moves" set "table" = ${name} where "table" = ${old}`,
      `update or replace "_collections" set "name" = ${name} where "name" = ${old}`,
    ],
  }
}

function tableSteps(
  connection: Connection,
  table: Table,
  now: ExistingTable,
  names: ReadonlyMap<string, string>,
): Step[] {
  const pairs = pairsOf(table, now)
  const kept = new Set(pairs.map(({ was }) => was?.name))
  const vanished = [...now.columns.values()].filter(({ name }) => !kept.has(name))
  const changes: Change[] = [
    ...pairs.flatMap((pair) => columnChanges({ connection, table, now, names }, pair)),
    ...vanished.map((column) => vanishedColumn({ connection, table, now, names }, column)),
  ]
  const renames = pairs.flatMap(({ column, was }) =>
    was === undefined || was.name === column.name ? [] : columnRename(table, was.name, column.name),
  )
  if (!changes.some(({ rebuild }) => rebuild)) return [...renames, ...changes]
  const without = changes.map((change) => ({ ...change, sql: [] }))
  return [...renames, ...without, rebuilding(table, pairs)]
}

/** Each wanted column with what it is now: under its name, or under one it had before. */
function pairsOf(table: Table, now: ExistingTable): Pair[] {
  const wanted = new Set(table.columns.map(({ name }) => name))
  return table.columns.map((column) => {
    const former = column.formerly.find((name) => now.columns.has(name) && !wanted.has(name))
    return { column, was: now.columns.get(column.name) ?? now.columns.get(former ?? '') }
  })
}

function columnRename(table: Table, from: string, to: string): Step {
  const path = (name: string) => literal(`$.${JSON.stringify(name)}`)
  const value = `json_extract("values", ${path(from)})`
  const moved = `json_set(json_remove("values", ${path(from)}), ${path(to)}, ${value})`
  return {
    line: `rename column ${table.name}.${from} to ${to}`,
    obstacle: undefined,
    sql: [
      `alter table ${quoted(table.name)} rename column ${quoted(from)} to ${quoted(to)}`,
      `update "_tombstones" set "values" = ${moved} where "table" = ${literal(table.name)}`,
    ],
  }
}

/** https://sqlite.org/lang_altertable.html §7: make, copy, drop, rename, in this order. */
function rebuilding(table: Table, pairs: readonly Pair[]): Step {
  const copied = pairs.flatMap(({ column, was }) => {
    if (was !== undefined) return [{ name: column.name, from: quoted(column.name) }]
    return column.default === undefined
      ? []
      : [{ name: column.name, from: literal(column.default) }]
  })
  const names = copied.map(({ name }) => quoted(name)).join(', ')
  const values = copied.map(({ from }) => from).join(', ')
  return {
    line: `rebuild table ${table.name}`,
    obstacle: undefined,
    sql: [
      createTableSql(table, '_rebuilt'),
      `insert into "_rebuilt" (${names}) select ${values} from ${quoted(table.name)} order by rowid`,
      `drop table ${quoted(table.name)}`,
      `alter table "_rebuilt" rename to ${quoted(table.name)}`,
    ],
  }
}
