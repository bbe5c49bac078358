/** What differs between a column that is there and the one a definition wants. */

import type { KnownLimits } from '../limits.ts'
import type { Step } from '../migration.ts'
import type { Column, Table } from '../schema.ts'
import { quoted } from '../sql.ts'
import type { Connection } from './connection.ts'
import type { ExistingColumn, ExistingTable } from './existing.ts'
import { locks } from './locks.ts'
import { narrowing } from './narrowing.ts'
import { addColumnSql, addReferenceSql, literal, scaleSql, typeWord } from './tables.ts'

/** A wanted column, and what it is now. */
export interface Pair {
  readonly column: Column
  readonly was: ExistingColumn | undefined
}

export interface TableContext {
  readonly connection: Connection
  readonly table: Table
  readonly now: ExistingTable
  /** What tables that are there will be called. */
  readonly names: ReadonlyMap<string, string>
  /** What the rows were last held against. */
  readonly limits: KnownLimits
}

/** How many rows an obstacle names. */
const NAMED_ROWS = 5

export async function columnChanges(context: TableContext, pair: Pair): Promise<Step[]> {
  const { column, was } = pair
  if (was === undefined) {
    return [...addition(context, column), ...(await uniqueness(context, pair))]
  }
  if (was.type !== typeWord(column)) return typeChange(context, column, was)
  return [
    ...(await requirement(context, column, was)),
    ...(await reference(context, column, was)),
    ...(await uniqueness(context, pair)),
    ...(await narrowing(context, column, was)),
  ]
}

function placeOf({ table }: TableContext, { name }: { readonly name: string }): string {
  return `${table.name}.${name}`
}

const plain = { obstacle: undefined, loss: undefined, lock: locks.moment, rows: 0 }

function addition(context: TableContext, column: Column): Step[] {
  const { table, now } = context
  const line = `add column ${placeOf(context, column)}`
  const lacking = column.required && column.default === undefined && !now.empty
  const obstacle = lacking
    ? 'it is required, rows are there already, and it has no default'
    : undefined
  const sql = [...addColumnSql(table, column), ...scaleSql(table, column)]
  return [{ ...plain, line, obstacle, sql }, ...newReference(context, column)]
}

function newReference({ table }: TableContext, column: Column): Step[] {
  const target = column.references?.table
  if (target === undefined) return []
  const line = `let ${table.name}.${column.name} refer to ${target}`
  const sql = [addReferenceSql(table, column, target)]
  return [{ ...plain, lock: locks.reference, line, sql }]
}

/** The column stays under a name that no definition can have, so that nothing is lost for good. */
export async function vanishedColumn(context: TableContext, column: ExistingColumn): Promise<Step> {
  const { table } = context
  const used = await countRows(context, `${quoted(column.name)} is not null`)
  const change = `alter table ${quoted(table.name)}`
  if (used === 0) {
    const line = `drop column ${placeOf(context, column)}, which the definition no longer has`
    return { ...plain, line, sql: [`${change} drop column ${quoted(column.name)}`] }
  }
  const line = `set column ${placeOf(context, column)} aside, which the definition no longer has`
  const loss = `it has values; if it was renamed, say formerly: ['${column.name}'] on its new name`
  return { ...plain, line, loss, rows: used, sql: asideSql(table, column) }
}

function asideSql(table: Table, column: ExistingColumn): string[] {
  const change = `alter table ${quoted(table.name)}`
  const name = quoted(column.name)
  const { references } = column
  return [
    ...(references ? [`${change} drop constraint ${quoted(references.name)}`] : []),
    ...(column.required ? [`${change} alter column ${name} drop not null`] : []),
    `${change} rename column ${name} to ${quoted(asideName(column.name))}`,
  ]
}

/** Unique enough where a column of the same name is set aside twice. */
function asideName(name: string): string {
  return `_${name.slice(0, 45)}_${Date.now().toString(36)}`
}

export function isAside(name: string): boolean {
  return name.startsWith('_') && name !== '_identity' && name !== '_version'
}

async function typeChange(
  context: TableContext,
  column: Column,
  was: ExistingColumn,
): Promise<Step[]> {
  const { table } = context
  const used = await countRows(context, `${quoted(was.name)} is not null`)
  const line = `change the type of ${placeOf(context, column)} from ${was.type} to ${typeWord(column)}`
  const name = quoted(column.name)
  const sql = [
    `update ${quoted(table.name)} set "_version" = "_version" + 1 where ${name} is not null`,
    ...asideSql(table, { ...was, name: column.name }),
    ...addColumnSql(table, column),
  ]
  const lock = used === 0 ? locks.moment : locks.write
  const step = { ...plain, lock, line, rows: used, sql: [...sql, ...scaleSql(table, column)] }
  if (used === 0) return [step, ...newReference(context, column)]
  const lacking = column.required && column.default === undefined
  const obstacle = lacking
    ? 'it is required, its values do not fit, and it has no default'
    : undefined
  const loss = 'its values are not converted; they are set aside'
  return [{ ...step, obstacle, loss }, ...newReference(context, column)]
}

async function requirement(
  context: TableContext,
  column: Column,
  was: ExistingColumn,
): Promise<Step[]> {
  if (was.required === column.required) return []
  const place = placeOf(context, column)
  const change = `alter table ${quoted(context.table.name)} alter column ${quoted(column.name)}`
  if (was.required) {
    return [{ ...plain, line: `let ${place} be absent`, sql: [`${change} drop not null`] }]
  }
  const absent = `${quoted(was.name)} is null`
  const rows = await countRows(context, absent)
  if (column.default !== undefined) return [defaulting(context, column, rows)]
  const line = `require ${place}`
  const sql = [`${change} set not null`]
  const lock = locks.scan
  if (rows === 0) return [{ ...plain, lock, line, sql }]
  const obstacle = `${await namedRows(context, absent)} no value`
  return [{ ...plain, lock, line, sql, rows, obstacle }]
}

/** A row that shows something else than before has another version, so that no tag comes again. */
function defaulting(context: TableContext, column: Column, rows: number): Step {
  const line = `require ${placeOf(context, column)}, with its default where it is absent`
  const table = quoted(context.table.name)
  const name = quoted(column.name)
  const value = literal(column.default ?? '')
  const sql = [
    `update ${table} set ${name} = ${value}, "_version" = "_version" + 1 where ${name} is null`,
    `alter table ${table} alter column ${name} set not null`,
  ]
  return { ...plain, lock: rows === 0 ? locks.scan : locks.write, line, rows, sql }
}

async function reference(
  context: TableContext,
  column: Column,
  was: ExistingColumn,
): Promise<Step[]> {
  const { table, names } = context
  const before = was.references && (names.get(was.references.table) ?? was.references.table)
  const target = column.references?.table
  if (before === target) return []
  const line = `let ${placeOf(context, column)} refer to ${target ?? 'nothing'}`
  const change = `alter table ${quoted(table.name)}`
  const sql = [
    ...(was.references ? [`${change} drop constraint ${quoted(was.references.name)}`] : []),
    ...(target === undefined ? [] : [addReferenceSql(table, column, target)]),
  ]
  const held = target === undefined ? 'false' : danglingSql(context, was, target)
  const rows = await countRows(context, held)
  const obstacle = rows === 0 ? undefined : `${await namedRows(context, held)} the id of nothing`
  // To let go of one is stronger than to take another on.
  const lock = was.references === undefined ? locks.reference : referenceLock(target)
  return [{ ...plain, lock, line, sql, rows, obstacle }]
}

function referenceLock(target: string | undefined): string {
  return target === undefined ? locks.moment : locks.scan
}

function danglingSql({ names }: TableContext, was: ExistingColumn, target: string): string {
  const source = [...names].find(([, name]) => name === target)?.[0]
  const name = quoted(was.name)
  if (source === undefined) return `${name} is not null`
  return `${name} is not null and not exists (select 1 from ${quoted(source)} t where t."_identity" = ${name})`
}

/** The index itself is made with the others; here only whether the rows allow it. */
async function uniqueness(context: TableContext, { column, was }: Pair): Promise<Step[]> {
  const { now } = context
  if (!column.unique || column.name === '_identity') return []
  if (was !== undefined && isUnique(now, was.name)) return []
  const line = `make ${placeOf(context, column)} unique`
  if (was === undefined) {
    const repeated = column.default !== undefined && (await countRows(context, 'true')) > 1
    const obstacle = repeated ? 'its default would stand in every row' : undefined
    return [{ ...plain, lock: undefined, line, obstacle, sql: [] }]
  }
  const repeated = `${quoted(was.name)} in (select ${quoted(was.name)} from ${quoted(now.name)} group by 1 having count(*) > 1)`
  const rows = await countRows(context, repeated)
  const obstacle =
    rows === 0 ? undefined : `${await namedRows(context, repeated)} a value that others have`
  return [{ ...plain, lock: undefined, line, obstacle, rows, sql: [] }]
}

function isUnique(now: ExistingTable, column: string): boolean {
  return now.indexes.some(
    ({ unique, columns }) => unique && columns.length === 1 && columns[0] === column,
  )
}

async function countRows({ connection, now }: TableContext, where: string): Promise<number> {
  const [row] = await connection.run(`select count(*) from ${quoted(now.name)} where ${where}`)
  return Number(row?.[0])
}

/** `3 rows have (id1, id2, id3)`: the first of them by name. */
async function namedRows(context: TableContext, where: string): Promise<string> {
  const { connection, now } = context
  const count = await countRows(context, where)
  const found = await connection.run(
    `select "_identity" from ${quoted(now.name)} where ${where} order by 1 limit ${NAMED_ROWS}`,
  )
  const names = found.map(([identity]) => String(identity)).join(', ')
  const more = count > NAMED_ROWS ? ', …' : ''
  return `${count === 1 ? '1 row has' : `${count} rows have`} (${names}${more})`
}
