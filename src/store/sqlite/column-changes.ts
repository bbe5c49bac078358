/** What differs between a column that is there and the one a definition wants. */

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
}

export function columnChanges(context: TableContext, pair: Pair): Change[] {
  const { column, was } = pair
  if (was === undefined) return [addition(context, column), ...uniqueness(context, pair)]
  return [
    ...typeChange(context, column, was),
    ...requirement(context, column, was),
    ...reference(context, column, was),
    ...uniqueness(context, pair),
  ]
}

const plain = { obstacle: undefined, loss: undefined, rows: 0, sql: [], rebuild: true }

function placeOf({ table }: TableContext, { name }: { readonly name: string }): string {
  return `${table.name}.${name}`
}

function addition(context: TableContext, column: Column): Change {
  const line = `add column ${placeOf(context, column)}`
  if (!column.required || column.default !== undefined) {
    return { ...plain, line, sql: [addColumnSql(context.table.name, column)], rebuild: false }
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
    return [{ ...plain, line, obstacle, rebuild: false }]
  }
  const repeated = `${quoted(was.name)} in (${repeatedSql(now.name, was.name)})`
  return [{ ...held(context, line, repeated, 'a value that others have'), rebuild: false }]
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
