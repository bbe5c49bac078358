/** The plan for SQLite, which rebuilds a table for most changes of a column. */

import type { Step } from '../migration.ts'
import type { Schema, Table } from '../schema.ts'
import { quoted } from '../sql.ts'
import {
  type Change,
  columnChanges,
  MOMENT,
  type Pair,
  type TableContext,
  vanishedColumn,
} from './column-changes.ts'
import type { Connection } from './connection.ts'
import { countRows, type ExistingTable, existingTables } from './existing.ts'
import { knownLimits } from './limits.ts'
import { createTableSql, declaredType, literal } from './tables.ts'

const plain = { obstacle: undefined, loss: undefined, lock: MOMENT, rows: 0 }

export function planEvolution(connection: Connection, schema: Schema): readonly Step[] {
  const existing = existingTables(connection)
  const present = Object.values(schema.tables).map((table) => ({
    table,
    now: presentForm(table, existing, schema),
  }))
  const names = new Map(present.flatMap(({ table, now }) => (now ? [[now.name, table.name]] : [])))
  const limits = knownLimits(connection)
  const steps = present.flatMap(({ table, now }) =>
    now === undefined ? [creation(table)] : tableSteps({ connection, table, now, names, limits }),
  )
  const vanished = [...existing.values()].filter(({ name }) => !names.has(name))
  // Renames come first, so that every reference already names its target as the definition does.
  const renames = present.flatMap(({ table, now }) =>
    now === undefined || now.name === table.name ? [] : [tableRename(now.name, table.name)],
  )
  return [...renames, ...steps, ...vanished.map((table) => vanishedTable(connection, table))]
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
  return {
    ...plain,
    lock: undefined,
    line: `create table ${table.name}`,
    sql: [createTableSql(table)],
  }
}

function vanishedTable(connection: Connection, { name, empty }: ExistingTable): Step {
  const loss = `it has rows; if it was renamed, say formerly: ['${name}'] on its new name`
  return {
    ...plain,
    line: `drop table ${name}, which the definition no longer has`,
    loss: empty ? undefined : loss,
    rows: countRows(connection, name),
    sql: [`drop table ${quoted(name)}`],
  }
}

/** What the log, the tombstones and the moves say of the table goes along. */
function tableRename(from: string, to: string): Step {
  const [old, name] = [literal(from), literal(to)]
  return {
    ...plain,
    line: `rename table ${from} to ${to}`,
    sql: [
      `alter table ${quoted(from)} rename to ${quoted(to)}`,
      `update "_changes" set "table" = ${name} where "table" = ${old}`,
      `update or replace "_tombstones" set "table" = ${name} where "table" = ${old}`,
      `update or replace "_moves" set "table" = ${name} where "table" = ${old}`,
      `update or replace "_collections" set "name" = ${name} where "name" = ${old}`,
    ],
  }
}

function tableSteps(context: TableContext): Step[] {
  const { connection, table, now } = context
  const pairs = pairsOf(table, now)
  const kept = new Set(pairs.map(({ was }) => was?.name))
  const vanished = [...now.columns.values()].filter(({ name }) => !kept.has(name))
  const changes: Change[] = [
    ...pairs.flatMap((pair) => columnChanges(context, pair)),
    ...vanished.map((column) => vanishedColumn(context, column)),
  ]
  const renames = pairs.flatMap(({ column, was }) =>
    was === undefined || was.name === column.name ? [] : columnRename(table, was.name, column.name),
  )
  if (!changes.some(({ rebuild }) => rebuild)) return [...renames, ...changes]
  const without = changes.map((change) => ({ ...change, sql: [], lock: undefined }))
  return [...renames, ...without, rebuilding(table, pairs, countRows(connection, now.name))]
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
    ...plain,
    line: `rename column ${table.name}.${from} to ${to}`,
    sql: [
      `alter table ${quoted(table.name)} rename column ${quoted(from)} to ${quoted(to)}`,
      `update "_tombstones" set "values" = ${moved} where "table" = ${literal(table.name)}`,
    ],
  }
}

/** https://sqlite.org/lang_altertable.html §7: make, copy, drop, rename, in this order. */
function rebuilding(table: Table, pairs: readonly Pair[], rows: number): Step {
  const copied = pairs.flatMap((pair) => {
    const from = copiedFrom(pair)
    return from === undefined ? [] : [{ name: pair.column.name, from }]
  })
  const names = copied.map(({ name }) => quoted(name)).join(', ')
  const values = copied.map(({ name, from }) => (name === '_version' ? versionSql(pairs) : from))
  const source = `${quoted(table.name)} order by rowid`
  return {
    ...plain,
    line: `rebuild table ${table.name}`,
    lock: 'every row is copied while writers wait',
    rows,
    sql: [
      createTableSql(table, '_rebuilt'),
      `insert into "_rebuilt" (${names}) select ${values.join(', ')} from ${source}`,
      `drop table ${quoted(table.name)}`,
      `alter table "_rebuilt" rename to ${quoted(table.name)}`,
    ],
  }
}

/** What a row's value is made from; a value of another type would come to mean something else. */
function copiedFrom({ column, was }: Pair): string | undefined {
  const initial = column.default === undefined ? undefined : literal(column.default)
  if (was?.type !== declaredType(column)) return initial
  if (!column.required || was.required || initial === undefined) return quoted(column.name)
  return `coalesce(${quoted(column.name)}, ${initial})`
}

/** A row that shows something else than before has another version, so that no tag comes again. */
function versionSql(pairs: readonly Pair[]): string {
  const changed = pairs.flatMap(({ column, was }) => {
    if (was === undefined) return []
    const name = quoted(column.name)
    if (was.type !== declaredType(column)) return [`${name} is not null`]
    return column.required && !was.required ? [`${name} is null`] : []
  })
  return changed.length === 0 ? '"_version"' : `"_version" + (${changed.join(' or ')})`
}
