/** The SQL statements of writes. Texts are built once for each table. */

import type { Stored } from '../../definition/model.ts'
import type { Condition } from '../condition.ts'
import type { Row } from '../row.ts'
import type { Column, Schema, Table } from '../schema/table-schema.ts'
import type { Tombstone } from '../store.ts'
import {
  type LoggedAttribution,
  type LoggedChange,
  type LoggedKind,
  logColumnCount,
  logColumns,
} from './change-log-sql.ts'
import { readColumnSql } from './column-sql.ts'
import { conditionSql, isTrueSql, ROW } from './condition-sql.ts'
import { satisfiesStatement } from './query-sql.ts'
import {
  bindRaw,
  boundValue,
  type Dialect,
  limitSql,
  quoted,
  type SqlBuilder,
  type Statement,
} from './sql-text.ts'

export interface WriteStatements {
  readonly schema: Schema
  readonly dialect: Dialect
  insert(table: Table, values: readonly Stored[]): Statement
  /** Returns a row where the expected version exists and satisfies the condition before the change. */
  update(table: Table, expected: ExpectedRow, values: readonly Stored[]): Statement
  log(change: ChangeRecord): Statement
}

/** An entry of the change log without its position. */
export interface ChangeRecord extends LoggedChange, LoggedAttribution {
  readonly kind: LoggedKind
  readonly action: string | null
  readonly table: string
  readonly identity: string
  readonly id: string
  readonly version: number
  readonly at: string
}

/** The row that a change expects. */
export interface ExpectedRow {
  readonly identity: string
  readonly version: number
  readonly conditionBefore: Condition
}

/** Set by the insert and never changed. */
const immutableColumns: ReadonlySet<string> = new Set(['_identity', 'createdAt'])

/** Creates the statements for a schema in a dialect. */
export function createWriteStatements(schema: Schema, dialect: Dialect): WriteStatements {
  const inserts = memo((table) => insertSql(dialect, table))
  const updates = memo((table) => updateTextOf(dialect, table))
  const logSql = `insert into "_changes" (${logColumns}) values (${placeholders(dialect, logColumnCount)})`
  return {
    schema,
    dialect,
    insert: (table, values) => ({
      sql: inserts(table),
      values: table.columns.map((column, at) => boundValue(column, values[at] ?? null)),
    }),
    update: (table, expected, values) =>
      updateStatement({ schema, dialect }, table, { expected, values, text: updates(table) }),
    log: ({ kind, table, identity, id, version, at, action, actor, request, before, after }) => ({
      sql: logSql,
      values: [kind, table, identity, id, version, at, action, actor, request, before, after],
    }),
  }
}

function memo<Text>(make: (table: Table) => Text): (table: Table) => Text {
  const made = new Map<Table, Text>()
  return (table) => {
    let text = made.get(table)
    if (text === undefined) {
      text = make(table)
      made.set(table, text)
    }
    return text
  }
}

function insertSql(dialect: Dialect, table: Table): string {
  const names = table.columns.map((column) => quoted(column.name)).join(', ')
  const values = placeholders(dialect, table.columns.length)
  return `insert into ${quoted(table.name)} (${names}) values (${values})`
}

interface UpdateText {
  /** The columns that are set, with their index in a row. */
  readonly columns: readonly (readonly [at: number, column: Column])[]
  /** The text before the condition. */
  readonly beginning: string
  /** The complete text without a condition. */
  readonly unconditional: string
}

function updateTextOf(dialect: Dialect, table: Table): UpdateText {
  const columns = [...table.columns.entries()].filter(([, { name }]) => !immutableColumns.has(name))
  const sets = columns.map(([, { name }], number) => `${quoted(name)} = ${dialect.placeholder(number + 1)}`)
  const [identity, version] = [1, 2].map((after) => dialect.placeholder(columns.length + after))
  const where = `${ROW}."_identity" = ${identity} and ${ROW}."_version" = ${version}`
  const beginning = `update ${quoted(table.name)} as ${ROW} set ${sets.join(', ')} where ${where}`
  return { columns, beginning, unconditional: `${beginning}${dialect.returningChange}` }
}

interface Update {
  readonly expected: ExpectedRow
  readonly values: readonly Stored[]
  readonly text: UpdateText
}

function updateStatement(
  statements: Pick<WriteStatements, 'schema' | 'dialect'>,
  table: Table,
  { expected, values, text }: Update,
): Statement {
  const { identity, version, conditionBefore } = expected
  const builder = createBuilder(statements)
  for (const [at, column] of text.columns) builder.values.push(boundValue(column, values[at] ?? null))
  builder.values.push(identity, version)
  if (conditionBefore.kind === 'always') return { sql: text.unconditional, values: builder.values }
  const conditional = `${text.beginning} and ${isTrueSql(builder, table, conditionBefore)}`
  return { sql: `${conditional}${statements.dialect.returningChange}`, values: builder.values }
}

function placeholders(dialect: Dialect, count: number): string {
  return Array.from({ length: count }, (_, at) => dialect.placeholder(at + 1)).join(', ')
}

/** A statement without text and values yet. */
export function createBuilder({ schema, dialect }: Pick<WriteStatements, 'schema' | 'dialect'>): SqlBuilder {
  return { schema, dialect, values: [] }
}

/** Selects whether the condition is true; no row where the version does not exist. */
export function conditionBeforeStatement(
  statements: WriteStatements,
  expected: ExpectedRow & { readonly table: Table },
): Statement {
  const builder = createBuilder(statements)
  const { table, identity, version, conditionBefore } = expected
  const result = isTrueSql(builder, table, conditionBefore)
  const where = `${ROW}."_identity" = ${bindRaw(builder, identity)} and ${ROW}."_version" = ${bindRaw(builder, version)}`
  const sql = `select ${result} from ${quoted(table.name)} ${ROW} where ${where}${statements.dialect.lockRow}`
  return { sql, values: builder.values }
}

/** Selects 1 where a row with the values satisfies the condition. */
export function conditionAfterStatement(
  statements: WriteStatements,
  table: Table,
  values: readonly Stored[],
  conditionAfter: Condition,
): Statement {
  return satisfiesStatement(createBuilder(statements), table, values, conditionAfter)
}

/** Selects one row where any row of the table satisfies the condition; it cannot change before the transaction ends. */
export function existsStatement(statements: WriteStatements, table: Table, condition: Condition): Statement {
  const builder = createBuilder(statements)
  const where = conditionSql(builder, table, condition)
  const sql = `select 1 from ${quoted(table.name)} ${ROW} where ${where} limit 1${statements.dialect.shareRow}`
  return { sql, values: builder.values }
}

/** Selects the identities of those rows that satisfy the condition. */
export function satisfyingStatement(
  statements: WriteStatements,
  table: Table,
  within: readonly string[],
  condition: Condition,
): Statement {
  const builder = createBuilder(statements)
  const inside = `${ROW}."_identity" in (${elementsOf(builder, within)})`
  const where = `${inside} and ${conditionSql(builder, table, condition)}`
  const sql = `select ${ROW}."_identity" from ${quoted(table.name)} ${ROW} where ${where}`
  return { sql, values: builder.values }
}

/** The rows of a table whose column has one of the values (or a set with one of them), except some identities. */
export interface RowSelection {
  readonly table: Table
  readonly column: Column
  readonly within: readonly string[]
  readonly except?: readonly string[]
}

/** Selects the identities of the rows. */
export function identitiesStatement(
  statements: WriteStatements,
  rows: RowSelection,
  limit: number,
): Statement {
  const builder = createBuilder(statements)
  const where = rowsSql(builder, [rows])
  const from = `${quoted(rows.table.name)} ${ROW} where ${where} order by ${ROW}."_identity"`
  const sql = `select ${ROW}."_identity" from ${from} limit ${limitSql(builder, limit)}`
  return { sql, values: builder.values }
}

/** Inserts tombstones with all but the secret columns; a newer one of the same id replaces it. */
export function tombstonesStatement(statements: WriteStatements, rows: RowSelection, at: string): Statement {
  const builder = createBuilder(statements)
  const { table } = rows
  const members = table.columns
    .filter((column) => !column.secret)
    .map((column) => [column.name, readColumnSql(column)] as const)
  const selected = [
    bindRaw(builder, table.name),
    `cast(${ROW}.${quoted(table.idColumn)} as text)`,
    `${ROW}."_identity"`,
    bindRaw(builder, at),
    builder.dialect.jsonObject(members),
  ]
  const from = `${quoted(table.name)} ${ROW} where ${rowsSql(builder, [rows])}`
  const newest =
    'on conflict ("table", "id") do update set "identity" = excluded."identity", "at" = excluded."at", "values" = excluded."values"'
  const sql = `insert into "_tombstones" ("table", "id", "identity", "at", "values") select ${selected.join(', ')} from ${from} ${newest}`
  return { sql, values: builder.values }
}

/** The tombstone of a row with its identity, its time and its values. */
export function parseTombstone({ columns }: Table, [identity, at, text]: Row): Tombstone {
  const byName = new Map<string, Stored>(Object.entries(JSON.parse(String(text))))
  const values = columns.map((column) => byName.get(column.name) ?? null)
  return { identity: String(identity), at: String(at), values }
}

/** Deletes the rows. */
export function deleteStatement(statements: WriteStatements, rows: RowSelection): Statement {
  const builder = createBuilder(statements)
  const sql = `delete from ${quoted(rows.table.name)} as ${ROW} where ${rowsSql(builder, [rows])}`
  return { sql, values: builder.values }
}

/** Whether a row is in any of the selections. */
export function rowsSql(builder: SqlBuilder, rows: readonly RowSelection[]): string {
  const any = rows.map((selection) => {
    const inside = insideSql(builder, selection)
    const { except } = selection
    if (except === undefined || except.length === 0) return inside
    return `(${inside} and ${ROW}."_identity" not in (${elementsOf(builder, except)}))`
  })
  return any.length === 1 ? any[0]! : `(${any.join(' or ')})`
}

function insideSql(builder: SqlBuilder, { table, column, within }: RowSelection): string {
  if (!column.elements) return `${ROW}.${quoted(column.name)} in (${elementsOf(builder, within)})`
  const join = quoted(builder.dialect.joinTable(table.name, column.name))
  const items = `select m."item" from ${join} m where m."target" in (${elementsOf(builder, within)})`
  return `${ROW}."_identity" in (${items})`
}

/** Deletes the rows of the join table that refer to one of the targets. */
export function deleteElementsStatement(
  statements: WriteStatements,
  { table, column, within, except = [] }: RowSelection,
): Statement {
  const builder = createBuilder(statements)
  const join = quoted(statements.dialect.joinTable(table.name, column.name))
  const gone = `"target" in (${elementsOf(builder, within)})`
  const kept = except.length === 0 ? '' : ` and "item" not in (${elementsOf(builder, except)})`
  return { sql: `delete from ${join} where ${gone}${kept}`, values: builder.values }
}

/** A query for the identities. */
export function elementsOf(builder: SqlBuilder, identities: readonly string[]): string {
  const only = identities.length === 1 ? identities[0] : undefined
  if (only !== undefined) return bindRaw(builder, only)
  return builder.dialect.jsonElements(bindRaw(builder, JSON.stringify(identities)))
}
