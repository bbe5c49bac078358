/**
 * Translates conditions into SQL. A comparison along references becomes an EXISTS, so that a
 * missing reference makes it false; `not` is never null.
 */

import {
  always,
  type Condition,
  type DerivedComparison,
  type DerivedValue,
  type EqualPair,
  type ExistsCondition,
  type ReferenceCondition,
  type SearchCondition,
} from '../condition.ts'
import type { Column, Table } from '../schema/table-schema.ts'
import { valueComparisonSql } from './comparison-sql.ts'
import { derivedColumn, derivedSql } from './derived-sql.ts'
import { checkedOrFoundSql } from './few-rows-sql.ts'
import { comparisonSql } from './path-comparison-sql.ts'
import { alias, equalColumnsSql, pathValueSql, type RowScope, referredScope } from './row-scope.ts'
import { findDrivingPair, findDrivingTerm, isSelective, termsOf } from './selective-condition.ts'
import { firstValuesSql, semiJoinSql } from './semi-join-sql.ts'
import { knownColumn, knownTable, quoted, type SqlBuilder, withDeadline } from './sql-text.ts'

/** The alias of the row that conditions apply to; no table has this name. */
export const ROW = '_t'

/**
 * An expression that is true where the condition is true, otherwise false or null. It selects rows:
 * where an index leads to the rows that can satisfy it, the database need not visit the others.
 */
export function conditionSql(builder: SqlBuilder, table: Table, condition: Condition): string {
  return conditionSqlAt(builder, { table, row: ROW, depth: 0, mode: 'select' }, condition)
}

/** The same beside another condition, which drives the query and is not part of the expression. */
export function conditionBesideSql(
  builder: SqlBuilder,
  table: Table,
  driving: Condition,
  condition: Condition,
): string {
  return conditionSqlAt(builder, { table, row: ROW, depth: 0, mode: 'select', driving }, condition)
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
  return conditionSqlAt(builder, { table, row, depth: 0, mode: 'check-row' }, condition)
}

/** An expression for a derived value of the row with this alias, which no subquery surrounds. */
export function rowDerivedSql(builder: SqlBuilder, row: string, value: DerivedValue): string {
  return derivedValueSql(builder, { row, depth: 0 }, value)
}

function conditionSqlAt(builder: SqlBuilder, scope: RowScope, condition: Condition): string {
  switch (condition.kind) {
    case 'always':
      return 'true'
    case 'never':
      return 'false'
    case 'compare':
      return comparisonSql(builder, scope, condition)
    case 'reference':
      return referenceSql(builder, scope, condition)
    case 'exists':
      return existsSql(builder, scope, condition)
    case 'equal-columns':
      return equalColumnsSql(builder, scope, condition)
    case 'search':
      return searchSql(builder, scope, condition)
    case 'derived':
      return derivedComparisonSql(builder, scope, condition)
    case 'not':
      return `((${conditionSqlAt(builder, scope, condition.of)}) is not true)`
    case 'all':
      return allSql(builder, scope, termsOf('all', condition))
    case 'any':
      return joinedSql(builder, scope, condition.of, ' or ') ?? 'false'
  }
}

/**
 * A rule that drives the query by an index comes first: the cost of the other conditions must not depend on rows that
 * the rule hides.
 */
function allSql(builder: SqlBuilder, scope: RowScope, terms: readonly Condition[]): string {
  const isDriven = scope.mode !== 'select' || scope.driving !== undefined
  const driving = isDriven ? undefined : findDrivingTerm(builder, scope.table, terms)
  if (driving === undefined) return joinedSql(builder, scope, terms, ' and ') ?? 'true'
  const others = terms.filter((term) => term !== driving)
  const first = conditionSqlAt(builder, { ...scope, driving: undefined }, driving)
  const rest = joinedSql(builder, { ...scope, driving }, others, ' and ')
  return rest === undefined ? first : `(${first} and ${rest})`
}

function joinedSql(builder: SqlBuilder, scope: RowScope, of: readonly Condition[], by: string) {
  if (of.length === 0) return undefined
  return `(${of.map((condition) => conditionSqlAt(builder, scope, condition)).join(by)})`
}

/**
 * Where an index selects few target rows, they are selected first and the reference is looked up
 * among them; otherwise the target of each row is checked.
 */
function referenceSql(builder: SqlBuilder, scope: RowScope, { reference, of }: ReferenceCondition): string {
  const column = knownColumn(scope.table, reference)
  if (column.elements) return elementSql(builder, scope, column, of)
  const columnSql = `${scope.row}.${quoted(column.name)}`
  const referred = referredScope(builder, scope, column)
  const { row } = referred
  const inner = conditionSqlAt(builder, referred, of)
  const target = `${quoted(referred.table.name)} ${row}`
  if (scope.mode === 'select' && isSelective(builder, referred.table, of)) {
    const within = withDeadline(builder, [inner]).join(' and ')
    const among = `${columnSql} in (select ${row}."_identity" from ${target} where ${within})`
    return scope.driving ? builder.dialect.expectMany(among) : among
  }
  return `exists (select 1 from ${target} where ${row}."_identity" = ${columnSql} and ${inner})`
}

/**
 * Whether a row of the set satisfies the condition. Where an index selects few targets, the join table
 * leads from them to the rows; otherwise the targets in the column of each row are checked, which is
 * also possible for a row that is not stored.
 */
function elementSql(builder: SqlBuilder, scope: RowScope, column: Column, of: Condition): string {
  const referred = referredScope(builder, scope, column)
  const { row } = referred
  const target = `${quoted(referred.table.name)} ${row}`
  if (scope.mode === 'select' && isSelective(builder, referred.table, of)) {
    const join = quoted(builder.dialect.joinTable(scope.table.name, column.name))
    return checkedOrFoundSql(builder, scope, {
      ...drivingSql(builder, scope),
      check: (driven) => hasElementSql(builder, driven, column, of),
      find: (before) => {
        const inner = conditionSqlAt(builder, referred, of)
        const within = withDeadline(builder, [inner]).join(' and ')
        const targets = `select ${row}."_identity" from ${target} where ${within}`
        return `select m."item" from ${before}${join} m where m."target" in (${targets})`
      },
    })
  }
  return hasElementSql(builder, scope, column, of)
}

/** The condition that drives the query, at other steps. */
function drivingSql(builder: SqlBuilder, { driving = always }: RowScope) {
  return {
    driving: (scope: RowScope) => conditionSqlAt(builder, scope, driving),
    drivenIds: (scope: RowScope, limit: number) =>
      `${drivenIdsSql(builder, scope, driving, limit)} limit ${limit}`,
  }
}

function drivenIdsSql(builder: SqlBuilder, scope: RowScope, driving: Condition, limit: number): string {
  const { lateralPages } = builder.dialect
  const { table, row } = scope
  const select = `select ${row}."_identity" from ${quoted(table.name)} ${row}`
  const pair = driving.kind === 'exists' ? findDrivingPair(builder, table, driving) : undefined
  if (driving.kind !== 'exists' || pair === undefined || lateralPages === undefined) {
    return `${select} where ${conditionSqlAt(builder, scope, driving)}`
  }
  const values = firstValuesSql(builder, scope, pair.path, otherValuesSql(builder, driving, pair))
  const columnSql = `${row}.${quoted(pair.path[0] ?? '')}`
  // In the order of the index it is read only up to the limit.
  return lateralPages(
    values,
    (value) => `${select} where ${columnSql} = ${value} order by ${columnSql} limit ${limit}`,
  )
}

function hasElementSql(builder: SqlBuilder, scope: RowScope, column: Column, of: Condition): string {
  const referred = referredScope(builder, scope, column)
  const { row } = referred
  const elements = builder.dialect.jsonElements(`${scope.row}.${quoted(column.name)}`)
  const inner = conditionSqlAt(builder, referred, of)
  const target = `${quoted(referred.table.name)} ${row}`
  return `exists (select 1 from ${target} where ${row}."_identity" in (${elements}) and ${inner})`
}

/**
 * Where an index leads to the rows of the other table and another from their values to this row, the
 * values are selected first; otherwise the other table is searched for each row.
 */
function existsSql(builder: SqlBuilder, scope: RowScope, condition: ExistsCondition): string {
  const pair = scope.mode === 'select' ? findDrivingPair(builder, scope.table, condition) : undefined
  if (pair === undefined) return correlatedExistsSql(builder, scope, condition)
  const semiJoin = semiJoinSql(builder, scope, pair.path, otherValuesSql(builder, condition, pair))
  if (condition.pairs.length === 1) return semiJoin
  return `(${semiJoin} and ${correlatedExistsSql(builder, scope, condition)})`
}

/** A query for values of the first column of the pair's path; all rows that match have one of them. */
export function drivingValuesSql(
  builder: SqlBuilder,
  table: Table,
  condition: ExistsCondition,
  pair: EqualPair,
): string {
  const scope: RowScope = { table, row: ROW, depth: 0, mode: 'select' }
  return firstValuesSql(builder, scope, pair.path, otherValuesSql(builder, condition, pair))
}

/** A query for the values of the pair's column in the rows of the other table. */
function otherValuesSql(builder: SqlBuilder, { table: name, of }: ExistsCondition, pair: EqualPair) {
  return (depth: number): string => {
    const table = knownTable(builder.schema, name)
    const row = alias(depth)
    const inner = conditionSqlAt(builder, { table, row, depth, mode: 'select' }, of)
    const where = withDeadline(builder, [inner]).join(' and ')
    const value = `${row}.${quoted(knownColumn(table, pair.column).name)}`
    return `select ${value} from ${quoted(table.name)} ${row} where ${where}`
  }
}

/** Searches the other table for a row that matches this one. */
function correlatedExistsSql(
  builder: SqlBuilder,
  scope: RowScope,
  { table: name, of, pairs }: ExistsCondition,
): string {
  const table = knownTable(builder.schema, name)
  const row = alias(scope.depth + 1)
  const inner = conditionSqlAt(builder, { table, row, depth: scope.depth + 1, mode: scope.mode }, of)
  const equal = pairs.map(({ path, column }) => {
    const value = pathValueSql(builder, scope, path, scope.depth + 2)
    return `${row}.${quoted(knownColumn(table, column).name)} = ${value}`
  })
  const where = withDeadline(builder, [inner, ...equal]).join(' and ')
  return `exists (select 1 from ${quoted(table.name)} ${row} where ${where})`
}

function searchSql(builder: SqlBuilder, scope: RowScope, { words }: SearchCondition): string {
  const { table } = scope
  if (table.search.length === 0) throw new Error(`The table '${table.name}' is not searched`)
  if (words.length === 0) return 'true'
  const { search } = builder.dialect
  return checkedOrFoundSql(builder, scope, {
    ...drivingSql(builder, scope),
    octets: (identity) => search.octets(table, identity),
    check: ({ row }) => search.hasWords(builder, table, `${row}."_identity"`, words),
    find: (before) => search.findWords(builder, table, before, words),
  })
}

/** The rows that count are found by their reference; each of them is judged. */
function derivedValueSql(
  builder: SqlBuilder,
  { row, depth }: Pick<RowScope, 'row' | 'depth'>,
  value: DerivedValue,
): string {
  const table = knownTable(builder.schema, value.table)
  const referring = alias(depth + 1)
  const scope: RowScope = { table, row: referring, depth: depth + 1, mode: 'check-row' }
  return derivedSql(builder, value, {
    row,
    referring,
    condition: conditionSqlAt(builder, scope, value.condition),
  })
}

function derivedComparisonSql(
  builder: SqlBuilder,
  scope: RowScope,
  { value, operator, values }: DerivedComparison,
): string {
  const column = derivedColumn(builder.schema, value)
  return valueComparisonSql(builder, column, derivedValueSql(builder, scope, value), { operator, values })
}
