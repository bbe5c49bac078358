/** The migration plan for SQLite, which must rebuild a table for most changes of a column. */

import { PUBLIC_VERSION } from '../../../definition/model.ts'
import { parseJoinTables } from '../../schema/join-table-schema.ts'
import type { Effect, MigrationStep } from '../../schema/migration-plan.ts'
import { parseOwnership } from '../../schema/ownership.ts'
import { formatTableRenameHint } from '../../schema/planned-table.ts'
import { planSearchChanges } from '../../schema/search-records.ts'
import { parseLimits } from '../../schema/stored-limits.ts'
import {
  findForeignTableObstacle,
  findStaleIndexes,
  matchTables,
  pairColumns,
} from '../../schema/table-matching.ts'
import { blocksInserts } from '../../schema/table-mismatch.ts'
import type { Schema, Table } from '../../schema/table-schema.ts'
import { findColumnConversion } from '../../schema/type-conversion.ts'
import { logIndexName, planLogIndex } from '../../sql/history-sql.ts'
import { literalSql, quoted } from '../../sql/sql-text.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { dropColumn, planColumn, planUniqueSets, rejectColumn, rejectReservedKeys } from './column-changes.ts'
import { countRows, hasRows, type SqliteColumn, type SqliteTable } from './existing-tables.ts'
import { loadRecords } from './stored-records.ts'
import {
  briefLock,
  indexLock,
  type SqliteColumnPair,
  type SqliteTableContext,
  type TableChange,
} from './table-context.ts'
import { createTableSql, declaredType, indexNames } from './table-sql.ts'
import { conversionDialect } from './type-change.ts'

export interface SqliteStep extends MigrationStep {
  /** The table that is rebuilt. Foreign indexes and triggers on it must be created again. */
  readonly rebuilds?: string
}

const plain = {
  effect: 'adds',
  obstacle: undefined,
  loss: undefined,
  lock: briefLock,
  rows: 0,
} as const

/** The steps from the present tables to those of the schema; none where they fit. */
export function planMigration(
  connection: SqliteConnection,
  schema: Schema,
  existing: ReadonlyMap<string, SqliteTable>,
): readonly SqliteStep[] {
  const records = loadRecords(connection)
  const limits = parseLimits(records)
  const joinTables = parseJoinTables(records)
  const owned = parseOwnership(records)
  const { pairs, names, vanished, creates } = matchTables(schema, existing, owned)
  const steps = pairs.flatMap(({ table, now }) => {
    if (now === undefined) return [createTable(table)]
    const obstacle = findForeignTableObstacle(now, owned)
    if (obstacle !== undefined) return [{ ...createTable(table), obstacle }]
    const own = owned[now.name] ?? { columns: [], indexes: [] }
    return planTable({ connection, table, now, names, limits, joinTables, owned: own })
  })
  // Renames come first, so that every reference already names its target as the definition does.
  const renames = pairs.flatMap(({ table, now }) =>
    now === undefined || now.name === table.name ? [] : [renameTable(now.name, table.name)],
  )
  return [
    ...renames,
    ...steps,
    ...planSearchChanges(records, schema, names, (present, { search }) => ({
      lock: indexLock,
      rows: search.length === 0 ? 0 : countRows(connection, present),
    })),
    ...pairs.flatMap((pair) => findStaleIndexes(pair, owned, indexNames).map(dropIndex)),
    ...planLogIndex(schema, hasLogIndex(connection), { index: indexLock, brief: briefLock }),
    ...vanished.map((table) => dropTable(connection, table, creates ? 'changes' : 'drops')),
  ]
}

function hasLogIndex(connection: SqliteConnection): boolean {
  return hasRows(connection, `select 1 from sqlite_schema where "name" = ${literalSql(logIndexName)}`)
}

function createTable(table: Table): MigrationStep {
  return {
    ...plain,
    lock: undefined,
    line: `create table ${table.name}`,
    sql: [createTableSql(table)],
  }
}

/** `effect` is `changes` where another table is created: this one may have been renamed to it. */
function dropTable(
  connection: SqliteConnection,
  { name, empty }: SqliteTable,
  effect: Effect,
): MigrationStep {
  return {
    ...plain,
    effect: empty ? 'drops' : effect,
    line: `drop table ${name}, which the definition no longer has`,
    loss: empty ? undefined : formatTableRenameHint(name),
    rows: countRows(connection, name),
    sql: [`drop table ${quoted(name)}`],
  }
}

/** Also renames the table in the change log, the tombstones and the former ids. */
function renameTable(from: string, to: string): MigrationStep {
  const [old, name] = [literalSql(from), literalSql(to)]
  return {
    ...plain,
    effect: 'changes',
    line: `rename table ${from} to ${to}`,
    sql: [
      `alter table ${quoted(from)} rename to ${quoted(to)}`,
      `update "_changes" set "table" = ${name} where "table" = ${old}`,
      `update or replace "_history" set "table" = ${name} where "table" = ${old}`,
      `update or replace "_tombstones" set "table" = ${name} where "table" = ${old}`,
      `update or replace "_moves" set "table" = ${name} where "table" = ${old}`,
      `update or replace "_collections" set "name" = ${name} where "name" = ${old}`,
    ],
  }
}

function dropIndex(name: string): MigrationStep {
  const sql = [`drop index if exists ${quoted(name)}`]
  return { ...plain, effect: 'drops', line: `drop index ${name}`, sql }
}

function planTable(context: SqliteTableContext): SqliteStep[] {
  const { connection, table, now, owned } = context
  const pairs = pairColumns(table, now.columns, owned.columns)
  const kept = new Set(pairs.map(({ was }) => was?.name))
  const others = [...now.columns.values()].filter(({ name }) => !kept.has(name))
  const foreign = others.filter(({ name }) => !owned.columns.includes(name))
  const vanished = others.filter(({ name }) => owned.columns.includes(name))
  const addsColumn = pairs.some(({ column, was }) => was === undefined && column.initial === undefined)
  const changes: TableChange[] = [
    ...pairs.flatMap((pair) => planColumn(context, pair)),
    ...planUniqueSets(context, pairs),
    ...rejectReservedKeys(context, pairs),
    ...vanished.map((column) => dropColumn(context, column, addsColumn ? 'changes' : 'drops')),
    ...foreign
      .filter((column) => blocksInserts(table, column))
      .map((column) => rejectColumn(context, column)),
  ]
  const renames = pairs.flatMap(({ column, was }) =>
    was === undefined || was.name === column.name ? [] : renameColumn(table, was.name, column.name),
  )
  const rebuilt = changes.filter(({ rebuild }) => rebuild)
  if (rebuilt.length === 0) return [...renames, ...changes]
  const effect = rebuilt.some((step) => step.effect === 'changes') ? 'changes' : 'drops'
  const rebuild = rebuildTable(context, pairs, foreign)
  return [
    ...renames,
    ...changes,
    { ...rebuild, effect, rows: countRows(connection, now.name), rebuilds: table.name },
  ]
}

function renameColumn(table: Table, from: string, to: string): MigrationStep {
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

/** https://sqlite.org/lang_altertable.html §7: create, copy, drop, rename, in this order. */
function rebuildTable(
  context: SqliteTableContext,
  pairs: readonly SqliteColumnPair[],
  foreign: readonly SqliteColumn[],
): MigrationStep {
  const { table } = context
  const copied = pairs.flatMap((pair) => {
    const from = copiedValueSql(context, pair)
    return from === undefined ? [] : [{ name: pair.column.name, from }]
  })
  const others = foreign.map(({ name }) => quoted(name))
  const names = [...copied.map(({ name }) => quoted(name)), ...others].join(', ')
  const values = copied.map(({ name, from }) =>
    name === '_version' || name === PUBLIC_VERSION ? versionSql(name, pairs) : from,
  )
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
      // Views of other programs may name the table, which is missing until it is renamed.
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

/** The SQL for the value in the rebuilt table; undefined where it has none. */
function copiedValueSql(context: SqliteTableContext, { column, was }: SqliteColumnPair): string | undefined {
  const initial = column.default === undefined ? undefined : literalSql(column.default)
  const name = quoted(column.name)
  // An earlier step has added it.
  if (was === undefined) return column.initial === undefined ? initial : name
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

/** A row whose values change gets another version, so that its entity tags change. */
function versionSql(name: string, pairs: readonly SqliteColumnPair[]): string {
  const changed = changedConditions(pairs)
  return changed.length === 0 ? quoted(name) : `${quoted(name)} + (${changed.join(' or ')})`
}

/** True for the rows whose values change. */
function changedConditions(pairs: readonly SqliteColumnPair[]): readonly string[] {
  return pairs.flatMap(({ column, was }) => {
    if (was === undefined) return []
    const name = quoted(column.name)
    if (was.type !== declaredType(column)) return [`${name} is not null`]
    return column.required && !was.required ? [`${name} is null`] : []
  })
}
