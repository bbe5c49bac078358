/**
 * Translates conditions into SQL. A comparison along references becomes an EXISTS, so that a
 * missing reference makes it false; `not` is never null.
 */

import type {
  Comparison,
  Condition,
  DerivedComparison,
  DerivedValue,
  EqualColumns,
  EqualPair,
  ExistsCondition,
  ReferenceCondition,
  SearchCondition,
} from '../condition.ts'
import type { Column, Table } from '../schema/table-schema.ts'
import { comparedSql, type LeafCondition, leafSql } from './comparison-sql.ts'
import { derivedColumn, derivedSql } from './derived-sql.ts'
import { findDrivingPair, isSelective, referredTable } from './selective-condition.ts'
import { knownColumn, knownTable, quoted, type SqlBuilder, withDeadline } from './sql-text.ts'

/** The alias of the row that conditions apply to; no table has this name. */
export const ROW = '_t'

/**
 * An expression that is true where the condition is true, otherwise false or null. It selects rows:
 * where an index leads to the rows that can satisfy it, the database need not visit the others.
 */
export function conditionSql(builder: SqlBuilder, table: Table, condition: Condition): string {
  return conditionSqlAt(builder, { table, row: ROW, depth: 0, purpose: 'select' }, condition)
}

/** The same for a row that is already found, never null: its cost depends on no other row. */
export function isTrueSql(builder: SqlBuilder, table: Table, condition: Condition): string {
  return `(${rowConditionSql(builder, table, ROW, condition)}) is true`
}

/** An expression for the row with this alias, which no subquery surrounds; its cost depends on no other row. */
export function rowConditionSql(
  builder: SqlBuilder,
  table: Table,
  row: string,
  condition: Condition,
): string {
  return conditionSqlAt(builder, { table, row, depth: 0, purpose: 'check-row' }, condition)
}

/** An expression for a derived value of the row with this alias, which no subquery surrounds. */
export function rowDerivedSql(builder: SqlBuilder, row: string, value: DerivedValue): string {
  return valueAtSql(builder, { row, depth: 0 }, value)
}

/** A position on a path: a table, the alias of its row, and how many subqueries surround it. */
interface Step {
  readonly table: Table
  readonly row: string
  readonly depth: number
  readonly purpose: 'select' | 'check-row'
}

function conditionSqlAt(builder: SqlBuilder, step: Step, condition: Condition): string {
  switch (condition.kind) {
    case 'always':
      return 'true'
    case 'never':
      return 'false'
    case 'compare':
      return comparisonSql(builder, step, condition)
    case 'reference':
      return referenceSql(builder, step, condition)
    case 'exists':
      return existsSql(builder, step, condition)
    case 'equal-columns':
      return equalColumnsSql(builder, step, condition)
    case 'search':
      return searchSql(builder, step, condition)
    case 'derived':
      return derivedComparisonSql(builder, step, condition)
    case 'not':
      return `((${conditionSqlAt(builder, step, condition.of)}) is not true)`
    case 'all':
      return joined(builder, step, condition.of, ' and ') ?? 'true'
    case 'any':
      return joined(builder, step, condition.of, ' or ') ?? 'false'
  }
}

function joined(builder: SqlBuilder, step: Step, of: readonly Condition[], by: string) {
  if (of.length === 0) return undefined
  return `(${of.map((condition) => conditionSqlAt(builder, step, condition)).join(by)})`
}

/**
 * Where an index selects few target rows, they are selected first and the reference is looked up
 * among them; otherwise the target of each row is checked.
 */
function referenceSql(builder: SqlBuilder, step: Step, { reference, of }: ReferenceCondition): string {
  const column = knownColumn(step.table, reference)
  if (column.members) return memberSql(builder, step, column, of)
  const columnSql = `${step.row}.${quoted(column.name)}`
  const next = nextStep(builder, step, column)
  const { row } = next
  const inner = conditionSqlAt(builder, next, of)
  const target = `${quoted(next.table.name)} ${row}`
  if (step.purpose === 'select' && isSelective(builder, next.table, of)) {
    const within = withDeadline(builder, [inner]).join(' and ')
    return `${columnSql} in (select ${row}."_identity" from ${target} where ${within})`
  }
  return `exists (select 1 from ${target} where ${row}."_identity" = ${columnSql} and ${inner})`
}

/**
 * Whether a row of the set satisfies the condition. Where an index selects few targets, the join table
 * leads from them to the rows; otherwise the targets in the column of each row are checked, which is
 * also possible for a row that is not stored.
 */
function memberSql(builder: SqlBuilder, step: Step, column: Column, of: Condition): string {
  const next = nextStep(builder, step, column)
  const { row } = next
  const target = `${quoted(next.table.name)} ${row}`
  if (step.purpose === 'select' && isSelective(builder, next.table, of)) {
    const inner = conditionSqlAt(builder, next, of)
    const within = withDeadline(builder, [inner]).join(' and ')
    const join = quoted(builder.dialect.joinTable(step.table.name, column.name))
    const items = `select m."item" from ${join} m where m."target" in (select ${row}."_identity" from ${target} where ${within})`
    return `${step.row}."_identity" in (${items})`
  }
  const elements = builder.dialect.jsonElements(`${step.row}.${quoted(column.name)}`)
  const inner = conditionSqlAt(builder, next, of)
  return `exists (select 1 from ${target} where ${row}."_identity" in (${elements}) and ${inner})`
}

/**
 * Where an index leads to the rows of the other table and another from their values to this row, the
 * values are selected first; otherwise the other table is searched for each row.
 */
function existsSql(builder: SqlBuilder, step: Step, condition: ExistsCondition): string {
  const pair = step.purpose === 'select' ? findDrivingPair(builder, step.table, condition) : undefined
  if (pair === undefined) return correlatedExistsSql(builder, step, condition)
  const semiJoin = semiJoinSql(builder, step, pair.path, otherValuesSql(builder, condition, pair))
  if (condition.pairs.length === 1) return semiJoin
  return `(${semiJoin} and ${correlatedExistsSql(builder, step, condition)})`
}

/** A query for values of the first column of the pair's path; all rows that match have one of them. */
export function drivingValuesSql(
  builder: SqlBuilder,
  table: Table,
  match: ExistsCondition,
  pair: EqualPair,
): string {
  const step: Step = { table, row: ROW, depth: 0, purpose: 'select' }
  return firstValuesSql(builder, step, pair.path, otherValuesSql(builder, match, pair))
}

/** A query for the values of the pair's column in the rows of the other table. */
function otherValuesSql(builder: SqlBuilder, { table: name, of }: ExistsCondition, pair: EqualPair) {
  return (depth: number): string => {
    const table = knownTable(builder.schema, name)
    const row = alias(depth)
    const inner = conditionSqlAt(builder, { table, row, depth, purpose: 'select' }, of)
    const where = withDeadline(builder, [inner]).join(' and ')
    const value = `${row}.${quoted(knownColumn(table, pair.column).name)}`
    return `select ${value} from ${quoted(table.name)} ${row} where ${where}`
  }
}

/** Whether the value at the end of the path is among the selected values. */
function semiJoinSql(
  builder: SqlBuilder,
  step: Step,
  path: readonly string[],
  values: (depth: number) => string,
): string {
  const column = knownColumn(step.table, path[0] ?? '')
  const columnSql = `${step.row}.${quoted(column.name)}`
  return builder.dialect.inSubquery(columnSql, firstValuesSql(builder, step, path, values))
}

/** The values of the first column of the path from which it leads to the selected values. */
function firstValuesSql(
  builder: SqlBuilder,
  step: Step,
  [name = '', ...rest]: readonly string[],
  values: (depth: number) => string,
): string {
  if (rest.length === 0) return values(step.depth + 1)
  const next = nextStep(builder, step, knownColumn(step.table, name))
  const { row } = next
  const where = withDeadline(builder, [semiJoinSql(builder, next, rest, values)]).join(' and ')
  return `select ${row}."_identity" from ${quoted(next.table.name)} ${row} where ${where}`
}

/** Searches the other table for a row that matches this one. */
function correlatedExistsSql(
  builder: SqlBuilder,
  step: Step,
  { table: name, of, pairs }: ExistsCondition,
): string {
  const table = knownTable(builder.schema, name)
  const row = alias(step.depth + 1)
  const inner = conditionSqlAt(builder, { table, row, depth: step.depth + 1, purpose: step.purpose }, of)
  const equal = pairs.map(({ path, column }) => {
    const value = valueSql(builder, step, path, step.depth + 2)
    return `${row}.${quoted(knownColumn(table, column).name)} = ${value}`
  })
  const where = withDeadline(builder, [inner, ...equal]).join(' and ')
  return `exists (select 1 from ${quoted(table.name)} ${row} where ${where})`
}

function equalColumnsSql(builder: SqlBuilder, step: Step, { paths }: EqualColumns): string {
  return paths.map((path) => valueSql(builder, step, path, step.depth + 1)).join(' = ')
}

/** The value at the end of the path, with aliases from the depth on; null where it is missing. */
function valueSql(
  builder: SqlBuilder,
  step: Step,
  [name = '', ...rest]: readonly string[],
  depth: number,
): string {
  const column = knownColumn(step.table, name)
  const columnSql = `${step.row}.${quoted(column.name)}`
  if (rest.length === 0) return columnSql
  const row = alias(depth)
  const next = { ...nextStep(builder, step, column), row, depth }
  const value = valueSql(builder, next, rest, depth + 1)
  const target = `${quoted(next.table.name)} ${row}`
  return `(select ${value} from ${target} where ${row}."_identity" = ${columnSql})`
}

function nextStep(builder: SqlBuilder, step: Step, column: Column): Step {
  const depth = step.depth + 1
  return { ...step, table: referredTable(builder, step.table, column), row: alias(depth), depth }
}

function searchSql(builder: SqlBuilder, { table, row }: Step, { words }: SearchCondition): string {
  if (table.search.length === 0) throw new Error(`The table '${table.name}' is not searched`)
  if (words.length === 0) return 'true'
  return builder.dialect.search.matches(builder, table, `${row}."_identity"`, words)
}

/** The rows that count are found by their reference; each of them is judged. */
function valueAtSql(
  builder: SqlBuilder,
  { row, depth }: Pick<Step, 'row' | 'depth'>,
  value: DerivedValue,
): string {
  const table = knownTable(builder.schema, value.table)
  const referring = alias(depth + 1)
  const step: Step = { table, row: referring, depth: depth + 1, purpose: 'check-row' }
  return derivedSql(builder, value, {
    row,
    referring,
    condition: conditionSqlAt(builder, step, value.condition),
  })
}

function derivedComparisonSql(
  builder: SqlBuilder,
  step: Step,
  { value, operator, values }: DerivedComparison,
): string {
  const column = derivedColumn(builder.schema, value)
  return comparedSql(builder, column, valueAtSql(builder, step, value), { operator, values })
}

function comparisonSql(builder: SqlBuilder, step: Step, comparison: Comparison): string {
  if (comparison.operator !== 'missing' || comparison.path.length < 2) {
    return pathSql(builder, step, comparison)
  }
  return `(not ${pathSql(builder, step, { ...comparison, operator: 'present' })})`
}

function pathSql(builder: SqlBuilder, step: Step, leaf: LeafCondition): string {
  const [name, ...rest] = leaf.path
  const column = knownColumn(step.table, name ?? '')
  const columnSql = `${step.row}.${quoted(column.name)}`
  if (rest.length === 0) return leafSql(builder, { table: step.table, column, columnSql }, leaf)
  const next = nextStep(builder, step, column)
  const { row } = next
  const inner = pathSql(builder, next, { ...leaf, path: rest })
  const target = `${quoted(next.table.name)} ${row}`
  return `exists (select 1 from ${target} where ${row}."_identity" = ${columnSql} and ${inner})`
}

/** The alias of the row in a subquery at this depth. */
function alias(depth: number): string {
  return `r${depth}`
}
