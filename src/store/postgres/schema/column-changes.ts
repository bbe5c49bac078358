/** What differs between a column that is there and the one a definition wants. */

import type { MigrationStep } from '../../schema/migration-plan.ts'
import { findNarrowing } from '../../schema/stored-limits.ts'
import {
  danglingSql,
  findForeignColumnObstacle,
  formatColumn,
  formatRenameHint,
  isUniquelyIndexed,
  lacksDefault,
  limitsBefore,
  repeatedSql,
} from '../../schema/table-context.ts'
import { blocksInserts } from '../../schema/table-mismatch.ts'
import type { Column } from '../../schema/table-schema.ts'
import { literalSql, quoted } from '../../sql/sql-text.ts'
import type { PostgresColumn } from './existing-tables.ts'
import { locks } from './migration-locks.ts'
import { setAsideName, setAsideSql } from './set-aside-columns.ts'
import {
  change,
  checkRows,
  countRows,
  namedRows,
  newReference,
  type PostgresColumnPair,
  type PostgresTableContext,
} from './table-context.ts'
import { addColumnSql, addReferenceSql, scaleSql, typeName } from './table-sql.ts'
import { typeChange } from './type-change.ts'

export async function columnChanges(
  context: PostgresTableContext,
  pair: PostgresColumnPair,
): Promise<MigrationStep[]> {
  const { column, was } = pair
  if (was === undefined) {
    return [...addition(context, column), ...(await uniqueness(context, pair))]
  }
  const obstacle = findForeignColumnObstacle(context, was, typeName(column))
  if (obstacle !== undefined) {
    return addition(context, column).map((step) => ({ ...step, obstacle }))
  }
  if (was.type !== typeName(column)) return typeChange(context, column, was)
  return [
    ...initial(context, column, was),
    ...(await requirement(context, column, was)),
    ...(await reference(context, column, was)),
    ...(await uniqueness(context, pair)),
    ...(await narrowing(context, column, was)),
  ]
}

/** Nodes that do not know a required column can create rows only if it has a default. */
function addition(context: PostgresTableContext, column: Column): MigrationStep[] {
  const { table, now } = context
  const line = `add column ${formatColumn(context, column)}`
  const demanding = lacksDefault(column)
  const obstacle =
    demanding && !now.empty
      ? 'it is required, rows are there already, and it has no default'
      : undefined
  const effect = demanding ? 'changes' : 'adds'
  const sql = [addColumnSql(table, column), ...scaleSql(table, column)]
  return [{ ...change, effect, line, obstacle, sql }, ...newReference(context, column)]
}

/** Earlier versions did not keep the default, without which other nodes cannot create rows. */
function initial(
  context: PostgresTableContext,
  column: Column,
  was: PostgresColumn,
): MigrationStep[] {
  if (!column.required || column.default === undefined || was.hasDefault) return []
  const line = `keep the default of ${formatColumn(context, column)} for nodes that do not know it`
  const alter = `alter table ${quoted(context.table.name)} alter column ${quoted(column.name)}`
  const sql = [`${alter} set default ${literalSql(column.default)}`]
  return [{ ...change, effect: 'adds', line, sql }]
}

/**
 * With values the column stays under a name that no definition can have, so that nothing is lost
 * for good. Beside a column that is added it may have been renamed: then a start must not go on.
 */
export async function vanishedColumn(
  context: PostgresTableContext,
  column: PostgresColumn,
  renamable: boolean,
): Promise<MigrationStep> {
  const { table } = context
  const used = await countRows(context, `${quoted(column.name)} is not null`)
  const stops = blocksInserts(table, column) || (renamable && used > 0)
  const effect = stops ? 'changes' : 'drops'
  if (used === 0) {
    const line = `drop column ${formatColumn(context, column)}, which the definition no longer has`
    const sql = [`alter table ${quoted(table.name)} drop column ${quoted(column.name)}`]
    return { ...change, effect, line, sql }
  }
  const line = `set column ${formatColumn(context, column)} aside, which the definition no longer has`
  return {
    ...change,
    effect,
    line,
    loss: formatRenameHint(column.name),
    rows: used,
    sql: setAsideSql(table, column, setAsideName(column.name)),
  }
}

export function blockingColumn(
  context: PostgresTableContext,
  column: PostgresColumn,
): MigrationStep {
  const line = `create rows without ${formatColumn(context, column)}, which another program has made`
  return { ...change, line, obstacle: 'it is required and has no default', sql: [] }
}

async function requirement(
  context: PostgresTableContext,
  column: Column,
  was: PostgresColumn,
): Promise<MigrationStep[]> {
  if (was.required === column.required) return []
  const place = formatColumn(context, column)
  const alter = `alter table ${quoted(context.table.name)} alter column ${quoted(column.name)}`
  if (was.required) {
    return [{ ...change, line: `let ${place} be absent`, sql: [`${alter} drop not null`] }]
  }
  const absent = `${quoted(was.name)} is null`
  const rows = await countRows(context, absent)
  if (column.default !== undefined) return [defaulting(context, column, rows)]
  const line = `require ${place}`
  const sql = [`${alter} set not null`]
  const lock = locks.scan
  if (rows === 0) return [{ ...change, lock, line, sql }]
  const obstacle = `${await namedRows(context, absent)} no value`
  return [{ ...change, lock, line, sql, rows, obstacle }]
}

/** A row that shows something else than before has another version, so that no tag comes again. */
function defaulting(context: PostgresTableContext, column: Column, rows: number): MigrationStep {
  const line = `require ${formatColumn(context, column)}, with its default where it is absent`
  const table = quoted(context.table.name)
  const name = quoted(column.name)
  const value = literalSql(column.default ?? '')
  const sql = [
    `update ${table} set ${name} = ${value}, "_version" = "_version" + 1 where ${name} is null`,
    `alter table ${table} alter column ${name} set not null`,
  ]
  return { ...change, lock: rows === 0 ? locks.scan : locks.write, line, rows, sql }
}

async function reference(
  context: PostgresTableContext,
  column: Column,
  was: PostgresColumn,
): Promise<MigrationStep[]> {
  const { table, names } = context
  const before = was.references && (names.get(was.references.table) ?? was.references.table)
  const target = column.references?.table
  if (before === target) return []
  const line = `let ${formatColumn(context, column)} refer to ${target ?? 'nothing'}`
  const alter = `alter table ${quoted(table.name)}`
  const sql = [
    ...(was.references ? [`${alter} drop constraint ${quoted(was.references.name)}`] : []),
    ...(target === undefined ? [] : [addReferenceSql(table, column, target)]),
  ]
  const held = target === undefined ? 'false' : danglingSql(context, was, target)
  const rows = await countRows(context, held)
  const obstacle = rows === 0 ? undefined : `${await namedRows(context, held)} the id of nothing`
  // To let go of one is stronger than to take another on.
  const lock = was.references === undefined ? locks.reference : referenceLock(target)
  return [{ ...change, lock, line, sql, rows, obstacle }]
}

function referenceLock(target: string | undefined): string {
  return target === undefined ? locks.brief : locks.scan
}

/** The index itself is made with the others; here only whether the rows allow it. */
async function uniqueness(
  context: PostgresTableContext,
  { column, was }: PostgresColumnPair,
): Promise<MigrationStep[]> {
  const { now } = context
  if (!column.unique || column.name === '_identity') return []
  if (was !== undefined && isUniquelyIndexed(now, was.name)) return []
  const line = `make ${formatColumn(context, column)} unique`
  if (was === undefined) {
    const repeated = column.default !== undefined && (await countRows(context, 'true')) > 1
    const obstacle = repeated ? 'its default would stand in every row' : undefined
    return [{ ...change, effect: 'adds', lock: undefined, line, obstacle, sql: [] }]
  }
  const repeated = repeatedSql(context, was)
  const rows = await countRows(context, repeated)
  const obstacle =
    rows === 0 ? undefined : `${await namedRows(context, repeated)} a value that others have`
  return [{ ...change, effect: 'adds', lock: undefined, line, obstacle, rows, sql: [] }]
}

/** A step that changes nothing: it checks the rows against narrower limits and names misfits. */
async function narrowing(
  context: PostgresTableContext,
  column: Column,
  was: PostgresColumn,
): Promise<MigrationStep[]> {
  const narrower = findNarrowing(limitsBefore(context, column, was), column, was.name)
  if (narrower === undefined) return []
  const { description, effect, expression } = narrower
  await checkRows(context, { expression, where: 'true' }, narrower)
  const line = `hold ${formatColumn(context, column)} to ${description}`
  return [{ line, effect, lock: undefined, ...narrower.result(), sql: [] }]
}
