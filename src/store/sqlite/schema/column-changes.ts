/** What differs between a column that is there and the one a definition wants. */

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
import { quoted } from '../../sql/sql-text.ts'
import { countRows, namedRows, type SqliteColumn } from './existing-tables.ts'
import {
  briefLock,
  change,
  checkRows,
  countMatching,
  type SqliteColumnPair,
  type SqliteTableContext,
  type TableChange,
} from './table-context.ts'
import { addColumnSql, declaredType } from './table-sql.ts'
import { typeChange } from './type-change.ts'

export function columnChanges(context: SqliteTableContext, pair: SqliteColumnPair): TableChange[] {
  const { column, was } = pair
  if (was === undefined) return [addition(context, column), ...uniqueness(context, pair)]
  const obstacle = findForeignColumnObstacle(context, was, declaredType(column))
  if (obstacle !== undefined) return [{ ...addition(context, column), obstacle }]
  return [
    ...typeChange(context, column, was),
    ...requirement(context, column, was),
    ...reference(context, column, was),
    ...uniqueness(context, pair),
    ...narrowing(context, column, was),
  ]
}

/** Nodes that do not know a required column can create rows only if it has a default. */
function addition(context: SqliteTableContext, column: Column): TableChange {
  const line = `add column ${formatColumn(context, column)}`
  if (!lacksDefault(column)) {
    const sql = [addColumnSql(context.table.name, column)]
    return { ...change, effect: 'adds', line, lock: briefLock, sql, rebuild: false }
  }
  const obstacle = 'it is required, rows are there already, and it has no default'
  return { ...change, line, obstacle: context.now.empty ? undefined : obstacle }
}

/** Beside a column that is added it may have been renamed: then a start must not go on. */
export function vanishedColumn(
  context: SqliteTableContext,
  column: SqliteColumn,
  renamable: boolean,
): TableChange {
  const line = `drop column ${formatColumn(context, column)}, which the definition no longer has`
  const rows = countMatching(context, `${quoted(column.name)} is not null`)
  const stops = blocksInserts(context.table, column) || (renamable && rows > 0)
  const effect = stops ? 'changes' : 'drops'
  return {
    ...change,
    effect,
    line,
    rows,
    loss: rows === 0 ? undefined : formatRenameHint(column.name),
  }
}

export function blockingColumn(context: SqliteTableContext, column: SqliteColumn): TableChange {
  const line = `create rows without ${formatColumn(context, column)}, which another program has made`
  return { ...change, line, obstacle: 'it is required and has no default', rebuild: false }
}

function requirement(
  context: SqliteTableContext,
  column: Column,
  was: SqliteColumn,
): TableChange[] {
  if (was.required === column.required) return []
  const place = formatColumn(context, column)
  if (was.required) return [{ ...change, line: `let ${place} be absent` }]
  if (column.default !== undefined) {
    const rows = countMatching(context, `${quoted(was.name)} is null`)
    return [{ ...change, line: `require ${place}, with its default where it is absent`, rows }]
  }
  return [checkedChange(context, `require ${place}`, `${quoted(was.name)} is null`, 'no value')]
}

function reference(context: SqliteTableContext, column: Column, was: SqliteColumn): TableChange[] {
  const referred = was.references?.table
  const before = referred && (context.names.get(referred) ?? referred)
  const target = column.references?.table
  if (before === target) return []
  const line = `let ${formatColumn(context, column)} refer to ${target ?? 'nothing'}`
  if (target === undefined) return [{ ...change, line }]
  return [checkedChange(context, line, danglingSql(context, was, target), 'the id of nothing')]
}

/** The index itself is made with the others; here only whether the rows allow it. */
function uniqueness(context: SqliteTableContext, { column, was }: SqliteColumnPair): TableChange[] {
  const { connection, now } = context
  if (!column.unique || column.name === '_identity') return []
  if (was !== undefined && isUniquelyIndexed(now, was.name)) return []
  const line = `make ${formatColumn(context, column)} unique`
  if (was === undefined) {
    const repeated = column.default !== undefined && countRows(connection, now.name) > 1
    const obstacle = repeated ? 'its default would stand in every row' : undefined
    return [{ ...change, effect: 'adds', line, lock: indexLock, obstacle, rebuild: false }]
  }
  const step = checkedChange(context, line, repeatedSql(context, was), 'a value that others have')
  return [{ ...step, effect: 'adds', lock: indexLock, rebuild: false }]
}

const indexLock = 'the table is read while writers wait'

/** Nothing is changed: rows that are there are looked at, and those that do not fit are named. */
function narrowing(context: SqliteTableContext, column: Column, was: SqliteColumn): TableChange[] {
  const { connection, now } = context
  if (was.type !== declaredType(column)) return []
  const narrower = findNarrowing(limitsBefore(context, column, was), column, was.name)
  if (narrower === undefined) return []
  const { expression: shown, description: words, effect } = narrower
  checkRows(
    connection,
    `select "_identity", ${shown} from ${quoted(now.name)} order by "_identity"`,
    narrower,
  )
  const line = `hold ${formatColumn(context, column)} to ${words}`
  return [{ ...change, effect, line, ...narrower.result(), rebuild: false }]
}

/** A change that no row may stand in the way of; those that do are named. */
function checkedChange(
  context: SqliteTableContext,
  line: string,
  where: string,
  having: string,
): TableChange {
  const rows = countMatching(context, where)
  if (rows === 0) return { ...change, line }
  const obstacle = `${namedRows(context.connection, context.now.name, where)} ${having}`
  return { ...change, line, rows, obstacle }
}
