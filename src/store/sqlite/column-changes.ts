/** What differs between a column that is there and the one a definition wants. */

import type { Stored } from '../../declare/model.ts'
import { findNarrowing, type KnownLimits } from '../limits.ts'
import type { Step } from '../migration.ts'
import type { Column, Table } from '../schema.ts'
import { quoted } from '../sql.ts'
import type { Connection } from './connection.ts'
import { countRows, type ExistingColumn, type ExistingTable, namedRows } from './existing.ts'
import { addColumnSql, declaredType } from './tables.ts'

/** A wanted column, and what it is now. */
export interface Pair {
  readonly column: Column
  readonly was: ExistingColumn | undefined
}

export interface Change extends Step {
  /** SQLite cannot do it in place. */
  readonly rebuild: boolean
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

export function columnChanges(context: TableContext, pair: Pair): Change[] {
  const { column, was } = pair
  if (was === undefined) return [addition(context, column), ...uniqueness(context, pair)]
  return [
    ...typeChange(context, column, was),
    ...requirement(context, column, was),
    ...reference(context, column, was),
    ...uniqueness(context, pair),
    ...narrowing(context, column, was),
  ]
}

/** SQLite has one writer at a time; readers see what was before until it is done. */
export const MOMENT = 'writers wait for a moment'

/** What is changed by the rebuilding has its lock there. */
const plain = {
  obstacle: undefined,
  loss: undefined,
  lock: undefined,
  rows: 0,
  sql: [],
  rebuild: true,
}

function placeOf({ table }: TableContext, { name }: { readonly name: string }): string {
  return `${table.name}.${name}`
}

function addition(context: TableContext, column: Column): Change {
  const line = `add column ${placeOf(context, column)}`
  if (!column.required || column.default !== undefined) {
    const sql = [addColumnSql(context.table.name, column)]
    return { ...plain, line, lock: MOMENT, sql, rebuild: false }
  }
  const obstacle = 'it is required, rows are there already, and it has no default'
  return { ...plain, line, obstacle: context.now.empty ? undefined : obstacle }
}

export function vanishedColumn(context: TableContext, column: ExistingColumn): Change {
  const line = `drop column ${placeOf(context, column)}, which the definition no longer has`
  const rows = countIn(context, `${quoted(column.name)} is not null`)
  const loss = `it has values; if it was renamed, say formerly: ['${column.name}'] on its new name`
  return { ...plain, line, rows, loss: rows === 0 ? undefined : loss }
}

function typeChange(context: TableContext, column: Column, was: ExistingColumn): Change[] {
  const type = declaredType(column)
  if (was.type === type) return []
  const line = `change the type of ${placeOf(context, column)} from ${was.type} to ${type}`
  const rows = countIn(context, `${quoted(was.name)} is not null`)
  if (rows === 0) return [{ ...plain, line }]
  const lacking = column.required && column.default === undefined
  const obstacle = lacking
    ? 'it is required, its values do not fit, and it has no default'
    : undefined
  return [{ ...plain, line, rows, obstacle, loss: 'its values are not converted' }]
}

function requirement(context: TableContext, column: Column, was: ExistingColumn): Change[] {
  if (was.required === column.required) return []
  const place = placeOf(context, column)
  if (was.required) return [{ ...plain, line: `let ${place} be absent` }]
  if (column.default !== undefined) {
    const rows = countIn(context, `${quoted(was.name)} is null`)
    return [{ ...plain, line: `require ${place}, with its default where it is absent`, rows }]
  }
  return [held(context, `require ${place}`, `${quoted(was.name)} is null`, 'no value')]
}

function reference(context: TableContext, column: Column, was: ExistingColumn): Change[] {
  const before = was.references && (context.names.get(was.references) ?? was.references)
  const target = column.references?.table
  if (before === target) return []
  const line = `let ${placeOf(context, column)} refer to ${target ?? 'nothing'}`
  if (target === undefined) return [{ ...plain, line }]
  return [held(context, line, danglingSql(context, was, target), 'the id of nothing')]
}

function danglingSql({ names }: TableContext, was: ExistingColumn, target: string): string {
  const source = [...names].find(([, name]) => name === target)?.[0]
  const name = quoted(was.name)
  if (source === undefined) return `${name} is not null`
  return `${name} is not null and ${name} not in (select "_identity" from ${quoted(source)})`
}

/** The index itself is made with the others; here only whether the rows allow it. */
function uniqueness(context: TableContext, { column, was }: Pair): Change[] {
  const { connection, now } = context
  if (!column.unique || column.name === '_identity') return []
  if (was !== undefined && isUnique(now, was.name)) return []
  const line = `make ${placeOf(context, column)} unique`
  if (was === undefined) {
    const repeated = column.default !== undefined && countRows(connection, now.name) > 1
    const obstacle = repeated ? 'its default would stand in every row' : undefined
    return [{ ...plain, line, lock: INDEXING, obstacle, rebuild: false }]
  }
  const repeated = `${quoted(was.name)} in (${repeatedSql(now.name, was.name)})`
  const step = held(context, line, repeated, 'a value that others have')
  return [{ ...step, lock: INDEXING, rebuild: false }]
}

const INDEXING = 'the table is read while writers wait'

/** Nothing is changed: rows that are there are looked at, and those that do not fit are named. */
function narrowing(context: TableContext, column: Column, was: ExistingColumn): Change[] {
  const { connection, now, limits } = context
  if (was.type !== declaredType(column)) return []
  const narrower = findNarrowing(limits[now.name]?.[was.name], column, was.name)
  if (narrower === undefined) return []
  const sql = `select "_identity", ${narrower.shown} from ${quoted(now.name)} order by "_identity"`
  // The connection gives rows as arrays.
  for (const row of connection.database.prepare(sql).iterate()) {
    const [identity, stored] = row as unknown as [string, Stored]
    narrower.see(identity, stored)
  }
  const line = `hold ${placeOf(context, column)} to ${narrower.words}`
  return [{ ...plain, line, ...narrower.found(), rebuild: false }]
}

function repeatedSql(table: string, column: string): string {
  const name = quoted(column)
  return `select ${name} from ${quoted(table)} group by ${name} having count(*) > 1`
}

/** A change that no row may stand in the way of; those that do are named. */
function held(context: TableContext, line: string, where: string, having: string): Change {
  const rows = countIn(context, where)
  if (rows === 0) return { ...plain, line }
  const obstacle = `${namedRows(context.connection, context.now.name, where)} ${having}`
  return { ...plain, line, rows, obstacle }
}

function countIn({ connection, now }: TableContext, where: string): number {
  return countRows(connection, now.name, where)
}

function isUnique(now: ExistingTable, column: string): boolean {
  return now.indexes.some(
    ({ unique, columns }) => unique && columns.length === 1 && columns[0] === column,
  )
}
