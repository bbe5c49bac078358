/** The plan for SQLite, which rebuilds a table for most changes of a column. */

import type { MigrationStep } from '../../schema/migration-plan.ts'
import type { Ownership } from '../../schema/ownership.ts'
import { formatTableRenameHint } from '../../schema/table-context.ts'
import {
  findForeignTableObstacle,
  findPresentTable,
  pairColumns,
} from '../../schema/table-matching.ts'
import { blocksInserts } from '../../schema/table-mismatch.ts'
import type { Schema, Table } from '../../schema/table-schema.ts'
import { findColumnConversion } from '../../schema/type-conversion.ts'
import { literalSql, quoted } from '../../sql/sql-text.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { blockingColumn, columnChanges, vanishedColumn } from './column-changes.ts'
import { countRows, type SqliteColumn, type SqliteTable } from './existing-tables.ts'
import { searchSteps } from './search-tables.ts'
import { loadLimits } from './stored-limits.ts'
import { loadOwnership } from './stored-ownership.ts'
import {
  briefLock,
  type SqliteColumnPair,
  type SqliteTableContext,
  type TableChange,
} from './table-context.ts'
import { createTableSql, declaredType, indexesOf } from './table-sql.ts'
import { conversionDialect } from './type-change.ts'

export interface SqliteStep extends MigrationStep {
  /** The table that is dropped and made anew: what others have made on it must be made again. */
  readonly rebuilds?: string
}

const plain = {
  effect: 'adds',
  obstacle: undefined,
  loss: undefined,
  lock: briefLock,
  rows: 0,
} as const

export function planMigration(
  connection: SqliteConnection,
  schema: Schema,
  existing: ReadonlyMap<string, SqliteTable>,
): readonly SqliteStep[] {
  const owned = loadOwnership(connection, schema, existing)
  const present = Object.values(schema.tables).map((table) => ({
    table,
    now: findPresentTable(table, existing, { schema, owned }),
  }))
  const names = new Map(present.flatMap(({ table, now }) => (now ? [[now.name, table.name]] : [])))
  const limits = loadLimits(connection)
  const steps = present.flatMap(({ table, now }) => {
    if (now === undefined) return [creation(table)]
    const obstacle = owned[now.name] ? undefined : findForeignTableObstacle(now)
    if (obstacle !== undefined) return [{ ...creation(table), obstacle }]
    const own = owned[now.name] ?? { columns: [], indexes: [] }
    return tableSteps({ connection, table, now, names, limits, owned: own })
  })
  const vanished = [...existing.values()].filter(({ name }) => owned[name] && !names.has(name))
  const creates = present.some(({ now }) => now === undefined)
  // Renames come first, so that every reference already names its target as the definition does.
  const renames = present.flatMap(({ table, now }) =>
    now === undefined || now.name === table.name ? [] : [tableRename(now.name, table.name)],
  )
  return [
    ...renames,
    ...steps,
    ...searchSteps(connection, schema, names),
    ...present.flatMap(({ table, now }) => indexDrops(table, now, owned)),
    ...vanished.map((table) => vanishedTable(connection, table, creates)),
  ]
}

function creation(table: Table): MigrationStep {
  return {
    ...plain,
    lock: undefined,
    line: `create table ${table.name}`,
    sql: [createTableSql(table)],
  }
}

/** Beside a table that is created it may have been renamed: then a start must not go on. */
function vanishedTable(
  connection: SqliteConnection,
  { name, empty }: SqliteTable,
  creates: boolean,
): MigrationStep {
  return {
    ...plain,
    effect: creates && !empty ? 'changes' : 'drops',
    line: `drop table ${name}, which the definition no longer has`,
    loss: empty ? undefined : formatTableRenameHint(name),
    rows: countRows(connection, name),
    sql: [`drop table ${quoted(name)}`],
  }
}

/** What the log, the tombstones and the moves say of the table goes along. */
function tableRename(from: string, to: string): MigrationStep {
  const [old, name] = [literalSql(from), literalSql(to)]
  return {
    ...plain,
    effect: 'changes',
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

function indexDrops(table: Table, now: SqliteTable | undefined, owned: Ownership): MigrationStep[] {
  const wanted = new Set(indexesOf(table).map(({ name }) => name))
  const present = new Set(now?.indexes.map(({ name }) => name))
  const dropped = owned[now?.name ?? '']?.indexes.filter((name) => !wanted.has(name)) ?? []
  return dropped
    .filter((name) => present.has(name))
    .map((name) => ({
      ...plain,
      effect: 'drops',
      line: `drop index ${name}`,
      sql: [`drop index if exists ${quoted(name)}`],
    }))
}

function tableSteps(context: SqliteTableContext): SqliteStep[] {
  const { connection, table, now, owned } = context
  const pairs = pairColumns(table, now.columns, owned.columns)
  const kept = new Set(pairs.map(({ was }) => was?.name))
  const others = [...now.columns.values()].filter(({ name }) => !kept.has(name))
  const foreign = others.filter(({ name }) => !owned.columns.includes(name))
  const vanished = others.filter(({ name }) => owned.columns.includes(name))
  const renamable = pairs.some(({ was }) => was === undefined)
  const changes: TableChange[] = [
    ...pairs.flatMap((pair) => columnChanges(context, pair)),
    ...vanished.map((column) => vanishedColumn(context, column, renamable)),
    ...foreign
      .filter((column) => blocksInserts(table, column))
      .map((one) => blockingColumn(context, one)),
  ]
  const renames = pairs.flatMap(({ column, was }) =>
    was === undefined || was.name === column.name ? [] : columnRename(table, was.name, column.name),
  )
  const rebuilt = changes.filter(({ rebuild }) => rebuild)
  if (rebuilt.length === 0) return [...renames, ...changes]
  const steps = changes.map((one) => (one.rebuild ? { ...one, lock: undefined } : one))
  const effect = rebuilt.some((one) => one.effect === 'changes') ? 'changes' : 'drops'
  const rebuild = rebuilding(context, pairs, foreign)
  return [
    ...renames,
    ...steps,
    { ...rebuild, effect, rows: countRows(connection, now.name), rebuilds: table.name },
  ]
}

function columnRename(table: Table, from: string, to: string): MigrationStep {
  const path = (name: string) => literalSql(`$.${JSON.stringify(name)}`)
  const value = `json_extract("values", ${path(from)})`
  const moved = `json_set(json_remove("values", ${path(from)}), ${path(to)}, ${value})`
  return {
    ...plain,
    effect: 'changes',
    line: `rename column ${table.name}.${from} to ${to}`,
    sql: [
      `alter table ${quoted(table.name)} rename column ${quoted(from)} to ${quoted(to)}`,
      `update "_tombstones" set "values" = ${moved} where "table" = ${literalSql(table.name)}`,
    ],
  }
}

/** https://sqlite.org/lang_altertable.html §7: make, copy, drop, rename, in this order. */
function rebuilding(
  context: SqliteTableContext,
  pairs: readonly SqliteColumnPair[],
  foreign: readonly SqliteColumn[],
): MigrationStep {
  const { table } = context
  const copied = pairs.flatMap((pair) => {
    const from = copiedFrom(context, pair)
    return from === undefined ? [] : [{ name: pair.column.name, from }]
  })
  const others = foreign.map(({ name }) => quoted(name))
  const names = [...copied.map(({ name }) => quoted(name)), ...others].join(', ')
  const values = copied.map(({ name, from }) => (name === '_version' ? versionSql(pairs) : from))
  const source = `${quoted(table.name)} order by rowid`
  const generated = foreign.find((column) => column.generated)
  const obstacle = `another program has added the generated column '${generated?.name}'; drop it first`
  return {
    ...plain,
    line: `rebuild table ${table.name}`,
    obstacle: generated === undefined ? undefined : obstacle,
    lock: 'every row is copied while writers wait',
    sql: [
      createTableSql(table, '_rebuilt', foreign.map(foreignColumnSql)),
      `insert into "_rebuilt" (${names}) select ${[...values, ...others].join(', ')} from ${source}`,
      `drop table ${quoted(table.name)}`,
      // Views of others may name the table, which is not there for a moment.
      'pragma legacy_alter_table = on',
      `alter table "_rebuilt" rename to ${quoted(table.name)}`,
      'pragma legacy_alter_table = off',
    ],
  }
}

function foreignColumnSql(column: SqliteColumn): string {
  const words = [quoted(column.name), column.type]
  if (column.required) words.push('not null')
  if (column.default !== undefined) words.push(`default (${column.default})`)
  if (column.references) words.push(`references ${quoted(column.references.table)}`)
  return words.join(' ')
}

/** What a row's value is made from; a value of another type would come to mean something else. */
function copiedFrom(
  context: SqliteTableContext,
  { column, was }: SqliteColumnPair,
): string | undefined {
  const initial = column.default === undefined ? undefined : literalSql(column.default)
  const name = quoted(column.name)
  if (was === undefined) return initial
  if (was.type !== declaredType(column)) {
    const convert = findColumnConversion(context, column, was, conversionDialect)
    if (convert === undefined) return initial
    const conversion = convert(name)
    const absent = column.required ? '' : `when ${name} is null then null `
    return `case ${absent}when ${conversion.possible} then ${conversion.value} else ${initial ?? 'null'} end`
  }
  if (!column.required || was.required || initial === undefined) return name
  return `coalesce(${name}, ${initial})`
}

/** A row that shows something else than before has another version, so that no tag comes again. */
function versionSql(pairs: readonly SqliteColumnPair[]): string {
  const changed = pairs.flatMap(({ column, was }) => {
    if (was === undefined) return []
    const name = quoted(column.name)
    if (was.type !== declaredType(column)) return [`${name} is not null`]
    return column.required && !was.required ? [`${name} is null`] : []
  })
  return changed.length === 0 ? '"_version"' : `"_version" + (${changed.join(' or ')})`
}
