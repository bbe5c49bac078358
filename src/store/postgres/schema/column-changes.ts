/** The migration steps that change an existing column into the one of the definition. */

import { findRetargetedSet, occupiedSet } from '../../schema/join-table-schema.ts'
import type { MigrationStep } from '../../schema/migration-plan.ts'
import { isPublicChangeColumn } from '../../schema/model-schema.ts'
import {
  danglingReferenceCondition,
  findForeignColumnObstacle,
  formatColumn,
  formatRenameHint,
  lacksDefault,
  limitsBefore,
  repeatedSql,
} from '../../schema/planned-table.ts'
import { findReservedKeys } from '../../schema/reserved-keys.ts'
import { findNarrowing } from '../../schema/stored-limits.ts'
import { blocksInserts } from '../../schema/table-mismatch.ts'
import type { Column } from '../../schema/table-schema.ts'
import { findNewUniqueSets, hasUniqueIndex, repeatedValues } from '../../schema/unique-sets.ts'
import { literalSql, quoted } from '../../sql/sql-text.ts'
import type { PostgresColumn } from './existing-tables.ts'
import { locks } from './migration-locks.ts'
import { createSetAsideName, setAsideSql } from './set-aside-columns.ts'
import {
  change,
  checkRows,
  countRows,
  namedRows,
  newReference,
  nextVersionSql,
  type PostgresColumnPair,
  type PostgresTableContext,
} from './table-context.ts'
import { addColumnSql, addReferenceSql, comparedType, scaleCommentSql } from './table-sql.ts'
import { typeChange } from './type-change.ts'

/** Returns the steps for one column; without an existing column, the steps that add it. */
export async function columnChanges(
  context: PostgresTableContext,
  pair: PostgresColumnPair,
): Promise<MigrationStep[]> {
  const { column, was } = pair
  if (was === undefined) {
    return [...addition(context, column), ...(await uniqueness(context, pair))]
  }
  const obstacle = findForeignColumnObstacle(context, was, comparedType(column))
  if (obstacle !== undefined) {
    return addition(context, column).map((step) => ({ ...step, obstacle }))
  }
  const retargeted = await members(context, column, was)
  if (was.type !== comparedType(column)) return [...(await typeChange(context, column, was)), ...retargeted]
  return [
    ...(await requirement(context, column, was)),
    ...(await reference(context, column, was)),
    ...retargeted,
    ...(await uniqueness(context, pair)),
    ...(await narrowing(context, column, was)),
  ]
}

/** A required column needs a default, because nodes with the old definition insert rows without it. */
function addition(context: PostgresTableContext, column: Column): MigrationStep[] {
  const { table, now } = context
  if (column.initial !== undefined) return [additionFromColumn(context, column, column.initial)]
  const line = `add column ${formatColumn(context, column)}`
  const needsValue = lacksDefault(column)
  const obstacle =
    needsValue && !now.empty ? 'it is required, rows are there already, and it has no default' : undefined
  const effect = needsValue ? 'changes' : 'adds'
  const sql = [addColumnSql(table, column), ...scaleCommentSql(table, column)]
  return [{ ...change, effect, line, obstacle, sql }, ...newReference(context, column)]
}

/** No start takes it: nodes with the former definition would not keep it. */
function additionFromColumn(
  { table, now }: PostgresTableContext,
  column: Column,
  from: string,
): MigrationStep {
  const [name, of] = [quoted(column.name), quoted(table.name)]
  return {
    ...change,
    lock: now.empty ? locks.brief : locks.write,
    line: `add column ${table.name}.${column.name}, from ${from}`,
    sql: [
      addColumnSql(table, { ...column, required: false }),
      `update ${of} set ${name} = ${quoted(from)}`,
      `alter table ${of} alter column ${name} set not null`,
    ],
  }
}

/**
 * Returns the step for a column that the definition no longer has: an empty column is dropped, a
 * column with values is set aside. If columns are also added (`renamable`), it may have been renamed, and a
 * start stops.
 */
export async function vanishedColumn(
  context: PostgresTableContext,
  column: PostgresColumn,
  renamable: boolean,
): Promise<MigrationStep> {
  const { table } = context
  if (isPublicChangeColumn(column)) return droppedPublicChange(context, column)
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
    sql: setAsideSql(table, column, createSetAsideName(column.name)),
  }
}

/** The last public change would not be kept by a definition without restricted fields, so its columns go. */
function droppedPublicChange({ table }: PostgresTableContext, { name }: PostgresColumn): MigrationStep {
  const line = `drop column ${table.name}.${name}, which the definition no longer needs`
  const sql = [`alter table ${quoted(table.name)} drop column ${quoted(name)}`]
  return { ...change, lock: locks.brief, line, sql }
}

/** Returns a step with an obstacle: a required column of another program prevents inserts. */
export function blockingColumn(context: PostgresTableContext, column: PostgresColumn): MigrationStep {
  const line = `create rows without ${formatColumn(context, column)}, which another program has made`
  return { ...change, line, obstacle: 'it is required and has no default', sql: [] }
}

async function requirement(
  context: PostgresTableContext,
  column: Column,
  was: PostgresColumn,
): Promise<MigrationStep[]> {
  if (was.required === column.required) return []
  const columnName = formatColumn(context, column)
  const alter = `alter table ${quoted(context.table.name)} alter column ${quoted(column.name)}`
  if (was.required) {
    return [{ ...change, line: `let ${columnName} be absent`, sql: [`${alter} drop not null`] }]
  }
  const absent = `${quoted(was.name)} is null`
  const rows = await countRows(context, absent)
  if (column.default !== undefined) return [defaulting(context, column, rows)]
  const line = `require ${columnName}`
  const sql = [`${alter} set not null`]
  const lock = locks.scan
  if (rows === 0) return [{ ...change, lock, line, sql }]
  const obstacle = `${await namedRows(context, absent)} no value`
  return [{ ...change, lock, line, sql, rows, obstacle }]
}

/** Rows that change get a new version, so that their entity tags change too. */
function defaulting(context: PostgresTableContext, column: Column, rows: number): MigrationStep {
  const line = `require ${formatColumn(context, column)}, with its default where it is absent`
  const table = quoted(context.table.name)
  const name = quoted(column.name)
  const value = literalSql(column.default ?? '')
  const sql = [
    `update ${table} set ${name} = ${value}, ${nextVersionSql(context.now)} where ${name} is null`,
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
  const dangling = target === undefined ? 'false' : danglingReferenceCondition(context, was, target)
  const rows = await countRows(context, dangling)
  const obstacle = rows === 0 ? undefined : `${await namedRows(context, dangling)} the id of nothing`
  // Dropping a constraint takes a stronger lock than adding one.
  const lock = was.references === undefined ? locks.reference : referenceLock(target)
  return [{ ...change, lock, line, sql, rows, obstacle }]
}

function referenceLock(target: string | undefined): string {
  return target === undefined ? locks.brief : locks.scan
}

/** Whether the column can become a set of references. Its join table is created after all steps. */
async function members(
  context: PostgresTableContext,
  column: Column,
  was: PostgresColumn,
): Promise<MigrationStep[]> {
  const retargeted = findRetargetedSet(context, column, was)
  if (retargeted === undefined) return []
  const { line, occupied } = retargeted
  const rows = await countRows(context, occupied)
  const obstacle = rows === 0 ? undefined : `${await namedRows(context, occupied)} ${occupiedSet}`
  return [{ ...change, lock: locks.reference, line, rows, obstacle, sql: [] }]
}

/** Checks that the values are unique; the index is created by its own step. */
async function uniqueness(
  context: PostgresTableContext,
  { column, was }: PostgresColumnPair,
): Promise<MigrationStep[]> {
  const { now } = context
  if (!column.unique || column.name === '_identity') return []
  if (was !== undefined && hasUniqueIndex(now, [was.name])) return []
  const line = `make ${formatColumn(context, column)} unique`
  if (was === undefined) {
    const repeated = column.default !== undefined && (await countRows(context, 'true')) > 1
    const obstacle = repeated ? 'its default would stand in every row' : undefined
    return [{ ...change, effect: 'adds', lock: undefined, line, obstacle, sql: [] }]
  }
  return [await checkedChange(context, line, repeatedSql(context, was), 'a value that others have')]
}

/** Like `uniqueness`, for sets of columns. */
export async function planUniqueSets(
  context: PostgresTableContext,
  pairs: readonly PostgresColumnPair[],
): Promise<MigrationStep[]> {
  const steps: MigrationStep[] = []
  for (const { line, repeated } of findNewUniqueSets(context, pairs)) {
    steps.push(await checkedChange(context, line, repeated, repeatedValues))
  }
  return steps
}

/** A step that cannot be taken, where rows have a reserved key. */
export async function rejectReservedKeys(
  context: PostgresTableContext,
  pairs: readonly PostgresColumnPair[],
): Promise<MigrationStep[]> {
  const found = findReservedKeys(context, pairs)
  if (!found) return []
  const step = await checkedChange(context, found.line, found.where, found.fault)
  return step.obstacle === undefined ? [] : [step]
}

/** A step without SQL, with an obstacle where the SQL condition is true for some rows, which are named. */
async function checkedChange(
  context: PostgresTableContext,
  line: string,
  repeated: string,
  having: string,
): Promise<MigrationStep> {
  const rows = await countRows(context, repeated)
  const obstacle = rows === 0 ? undefined : `${await namedRows(context, repeated)} ${having}`
  return { ...change, effect: 'adds', lock: undefined, line, obstacle, rows, sql: [] }
}

/** A step without SQL: it checks the rows against narrower limits and names those that exceed them. */
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
