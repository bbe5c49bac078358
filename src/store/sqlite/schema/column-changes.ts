/** The steps from a present column to the column of the definition. */

import { findRetargetedSet, occupiedSet } from '../../schema/join-table-schema.ts'
import type { Effect } from '../../schema/migration-plan.ts'
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
import { quoted } from '../../sql/sql-text.ts'
import { countRows, namedRows, type SqliteColumn } from './existing-tables.ts'
import {
  briefLock,
  change,
  checkRows,
  countMatching,
  indexLock,
  type SqliteColumnPair,
  type SqliteTableContext,
  type TableChange,
} from './table-context.ts'
import { addColumnSql, declaredType } from './table-sql.ts'
import { typeChange } from './type-change.ts'

/** The steps for a column of the definition; none where the present column fits. */
export function planColumn(context: SqliteTableContext, pair: SqliteColumnPair): TableChange[] {
  const { column, was } = pair
  if (was === undefined) return [addition(context, column), ...uniqueness(context, pair)]
  const obstacle = findForeignColumnObstacle(context, was, declaredType(column))
  if (obstacle !== undefined) return [{ ...addition(context, column), obstacle }]
  return [
    ...typeChange(context, column, was),
    ...requirement(context, column, was),
    ...reference(context, column, was),
    ...members(context, column, was),
    ...uniqueness(context, pair),
    ...narrowing(context, column, was),
  ]
}

/** Without a default, nodes with the former definition could not create rows. */
function addition(context: SqliteTableContext, column: Column): TableChange {
  const line = `add column ${formatColumn(context, column)}`
  if (column.initial !== undefined) return additionFromColumn(context, column, column.initial)
  if (!lacksDefault(column)) {
    const sql = [addColumnSql(context.table.name, column)]
    return { ...change, effect: 'adds', line, lock: briefLock, sql, rebuild: false }
  }
  const obstacle = 'it is required, rows are there already, and it has no default'
  return { ...change, line, obstacle: context.now.empty ? undefined : obstacle }
}

/** A start takes it: a file has no node with the former definition. SQLite adds a required column only with a default. */
function additionFromColumn(context: SqliteTableContext, column: Column, from: string): TableChange {
  const { table } = context
  const name = quoted(column.name)
  const placeholder = { ...column, default: column.type === 'integer' ? 0 : '' }
  return {
    ...change,
    effect: 'adds',
    line: `add column ${table.name}.${column.name}, from ${from}`,
    lock: briefLock,
    rows: countMatching(context, 'true'),
    sql: [
      addColumnSql(table.name, placeholder),
      `update ${quoted(table.name)} set ${name} = ${quoted(from)}`,
    ],
    rebuild: false,
  }
}

/** The last public change would not be kept by a definition without restricted fields, so its columns go. */
function dropPublicChange(context: SqliteTableContext, { name }: SqliteColumn): TableChange {
  const { table, now } = context
  const indexes = now.indexes.filter(({ columns }) => columns.includes(name))
  return {
    ...change,
    effect: 'adds',
    line: `drop column ${table.name}.${name}, which the definition no longer needs`,
    lock: briefLock,
    sql: [
      ...indexes.map((index) => `drop index ${quoted(index.name)}`),
      `alter table ${quoted(table.name)} drop column ${quoted(name)}`,
    ],
    rebuild: false,
  }
}

/** `effect` is `changes` where another column is added: this one may have been renamed to it. */
export function dropColumn(context: SqliteTableContext, column: SqliteColumn, effect: Effect): TableChange {
  if (isPublicChangeColumn(column)) return dropPublicChange(context, column)
  const line = `drop column ${formatColumn(context, column)}, which the definition no longer has`
  const rows = countMatching(context, `${quoted(column.name)} is not null`)
  const dropEffect = rows > 0 ? effect : 'drops'
  return {
    ...change,
    effect: blocksInserts(context.table, column) ? 'changes' : dropEffect,
    line,
    rows,
    loss: rows === 0 ? undefined : formatRenameHint(column.name),
  }
}

/** A column of another program that every insert must set. No step removes this obstacle. */
export function rejectColumn(context: SqliteTableContext, column: SqliteColumn): TableChange {
  const line = `create rows without ${formatColumn(context, column)}, which another program has made`
  return { ...change, line, obstacle: 'it is required and has no default', rebuild: false }
}

function requirement(context: SqliteTableContext, column: Column, was: SqliteColumn): TableChange[] {
  if (was.required === column.required) return []
  const columnName = formatColumn(context, column)
  if (was.required) return [{ ...change, line: `let ${columnName} be absent` }]
  if (column.default !== undefined) {
    const rows = countMatching(context, `${quoted(was.name)} is null`)
    return [{ ...change, line: `require ${columnName}, with its default where it is absent`, rows }]
  }
  return [checkedChange(context, `require ${columnName}`, `${quoted(was.name)} is null`, 'no value')]
}

function reference(context: SqliteTableContext, column: Column, was: SqliteColumn): TableChange[] {
  const referred = was.references?.table
  const before = referred && (context.names.get(referred) ?? referred)
  const target = column.references?.table
  if (before === target) return []
  const line = `let ${formatColumn(context, column)} refer to ${target ?? 'nothing'}`
  if (target === undefined) return [{ ...change, line }]
  return [checkedChange(context, line, danglingReferenceCondition(context, was, target), 'the id of nothing')]
}

/** Whether the column can become a set of references. Its join table is created after all steps. */
function members(context: SqliteTableContext, column: Column, was: SqliteColumn): TableChange[] {
  const retargeted = findRetargetedSet(context, column, was)
  if (retargeted === undefined) return []
  const { line, occupied } = retargeted
  return [{ ...checkedChange(context, line, occupied, occupiedSet), lock: indexLock, rebuild: false }]
}

/** Whether the rows allow the index, which is created after all steps. */
function uniqueness(context: SqliteTableContext, { column, was }: SqliteColumnPair): TableChange[] {
  const { connection, now } = context
  if (!column.unique || column.name === '_identity') return []
  if (was !== undefined && hasUniqueIndex(now, [was.name])) return []
  const line = `make ${formatColumn(context, column)} unique`
  if (was === undefined) {
    const repeated = column.default !== undefined && countRows(connection, now.name) > 1
    const obstacle = repeated ? 'every row would have its default' : undefined
    return [{ ...change, effect: 'adds', line, lock: indexLock, obstacle, rebuild: false }]
  }
  const step = checkedChange(context, line, repeatedSql(context, was), 'a value that others have')
  return [{ ...step, effect: 'adds', lock: indexLock, rebuild: false }]
}

/** Like `uniqueness`, for sets of columns. */
export function planUniqueSets(
  context: SqliteTableContext,
  pairs: readonly SqliteColumnPair[],
): TableChange[] {
  return findNewUniqueSets(context, pairs).map(({ line, repeated }) => {
    const step = checkedChange(context, line, repeated, repeatedValues)
    return { ...step, effect: 'adds', lock: indexLock, rebuild: false }
  })
}

/** A step that cannot be taken, where rows have a reserved key. */
export function rejectReservedKeys(
  context: SqliteTableContext,
  pairs: readonly SqliteColumnPair[],
): TableChange[] {
  const found = findReservedKeys(context, pairs)
  if (!found) return []
  const step = checkedChange(context, found.line, found.where, found.fault)
  return step.obstacle === undefined ? [] : [{ ...step, effect: 'adds', rebuild: false }]
}

/** Changes nothing: checks the rows, and names those that do not fit. */
function narrowing(context: SqliteTableContext, column: Column, was: SqliteColumn): TableChange[] {
  const { connection, now } = context
  if (was.type !== declaredType(column)) return []
  const narrower = findNarrowing(limitsBefore(context, column, was), column, was.name)
  if (narrower === undefined) return []
  const { expression, description, effect } = narrower
  checkRows(
    connection,
    `select "_identity", ${expression} from ${quoted(now.name)} order by "_identity"`,
    narrower,
  )
  const line = `hold ${formatColumn(context, column)} to ${description}`
  return [{ ...change, effect, line, ...narrower.result(), rebuild: false }]
}

/** A change with an obstacle where the SQL condition is true for some rows, which are named. */
function checkedChange(context: SqliteTableContext, line: string, where: string, fault: string): TableChange {
  const rows = countMatching(context, where)
  if (rows === 0) return { ...change, line }
  const obstacle = `${namedRows(context.connection, context.now.name, where)} ${fault}`
  return { ...change, line, rows, obstacle }
}
