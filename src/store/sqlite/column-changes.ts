/** What differs between a column that is there and the one a definition wants. */

import type { Column, Table } from '../schema.ts'
import { quoted } from '../sql.ts'
import type { Connection } from './connection.ts'
import { type ExistingColumn, type ExistingTable, isAny } from './existing.ts'
import type { Step } from './plan.ts'
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

/** A change of a table without rows has no obstacle. */
function changed({ now }: TableContext, line: string, obstacle?: string): Change {
  return { line, obstacle: now.empty ? undefined : obstacle, sql: [], rebuild: true }
}

function placeOf({ table }: TableContext, { name }: { readonly name: string }): string {
  return `${table.name}.${name}`
}

function addition(context: TableContext, column: Column): Change {
  const line = `add column ${placeOf(context, column)}`
  if (!column.required || column.default !== undefined) {
    const sql = [addColumnSql(context.table.name, column)]
    return { line, obstacle: undefined, sql, rebuild: false }
  }
  const obstacle = 'it is required, rows are there already, and it has no default'
  return changed(context, line, obstacle)
}

/** What holds no value is no loss; anything else is not ours to drop. */
export function vanishedColumn(context: TableContext, column: ExistingColumn): Change {
  const line = `drop column ${placeOf(context, column)}, which the definition no longer has`
  const remedy = `if it was renamed, say formerly: ['${column.name}'] on its new name`
  const used = anyRow(context, `${quoted(column.name)} is not null`)
  return changed(context, line, used ? `it has values; ${remedy}` : undefined)
}

function typeChange(context: TableContext, column: Column, was: ExistingColumn): Change[] {
  const type = declaredType(column)
  if (was.type === type) return []
  const line = `change the type of ${placeOf(context, column)} from ${was.type} to ${type}`
  const used = anyRow(context, `${quoted(was.name)} is not null`)
  return [changed(context, line, used ? 'its values would have to be converted' : undefined)]
}

function requirement(context: TableContext, column: Column, was: ExistingColumn): Change[] {
  if (was.required === column.required) return []
  const place = placeOf(context, column)
  if (was.required) return [changed(context, `let ${place} be absent`)]
  const absent = anyRow(context, `${quoted(was.name)} is null`)
  return [changed(context, `require ${place}`, absent ? 'some rows have no value' : undefined)]
}

function reference(context: TableContext, column: Column, was: ExistingColumn): Change[] {
  const before = was.references && (context.names.get(was.references) ?? was.references)
  const target = column.references?.table
  if (before === target) return []
  const line = `let ${placeOf(context, column)} refer to ${target ?? 'nothing'}`
  if (target === undefined) return [changed(context, line)]
  return [changed(context, line, dangling(context, was, target) ? danglingText : undefined)]
}

const danglingText = 'some rows name what is not there'

function dangling({ connection, now, names }: TableContext, was: ExistingColumn, target: string) {
  const source = [...names].find(([, name]) => name === target)?.[0]
  const held = `select ${quoted(was.name)} from ${quoted(now.name)} where ${quoted(was.name)} is not null`
  if (source === undefined) return isAny(connection, `${held} limit 1`)
  return isAny(connection, `${held} except select "_identity" from ${quoted(source)} limit 1`)
}

/** The index itself is made with the others; here only whether the rows allow it. */
function uniqueness(context: TableContext, { column, was }: Pair): Change[] {
  const { connection, now } = context
  if (!column.unique || column.name === '_identity') return []
  if (was !== undefined && isUnique(now, was.name)) return []
  const line = `make ${placeOf(context, column)} unique`
  const obstacle = 'some rows have the same value'
  const repeated =
    was === undefined
      ? column.default !== undefined &&
        isAny(connection, `select 1 from ${quoted(now.name)} limit 1 offset 1`)
      : isAny(connection, repeatedSql(now.name, was.name))
  return [{ line, obstacle: repeated ? obstacle : undefined, sql: [], rebuild: false }]
}

function repeatedSql(table: string, column: string): string {
  const name = quoted(column)
  return `select 1 from ${quoted(table)} where ${name} is not null group by ${name} having count(*) > 1 limit 1`
}

function isUnique(now: ExistingTable, column: string): boolean {
  return now.indexes.some(
    ({ unique, columns }) => unique && columns.length === 1 && columns[0] === column,
  )
}

function anyRow({ connection, now }: TableContext, where: string): boolean {
  return isAny(connection, `select 1 from ${quoted(now.name)} where ${where} limit 1`)
}
