/**
 * Lists by rules that lead to rows by an index. For `exists` PostgreSQL would read the whole table
 * in order or collect all rows of the tenant, and with `or` both databases collect the rows of all alternatives. So each
 * alternative first selects the ids of its own page, by its index, which ends in the id. The page of the list is among
 * them. For `read: or(owner('author'), exists('members', …))` the list has the term
 * `_identity in (page of the author's rows) or _identity in (page of the members' rows)`.
 */

import { all, type Condition, type EqualPair, type ExistsCondition } from '../condition.ts'
import type { Table } from '../schema/table-schema.ts'
import type { RowQuery } from '../store.ts'
import { conditionBesideSql, conditionSql, drivingValuesSql, isTrueSql, ROW } from './condition-sql.ts'
import { type KeysetRange, keysetRangeSql, orderSql } from './keyset-sql.ts'
import { orderTerms } from './order-sql.ts'
import { findDrivingPair, isSelective, termsOf } from './selective-condition.ts'
import { knownColumn, limitSql, quoted, type SqlBuilder, withDeadline } from './sql-text.ts'

/** A list, and one of its ranges. */
export interface ListRange {
  readonly table: Table
  readonly query: RowQuery
  readonly keysetRange: KeysetRange
}

const identity = `${ROW}."_identity"`

/** A term that rows of the page satisfy, and few others; undefined where the list needs none. */
export function alternativesSql(builder: SqlBuilder, listed: ListRange): string | undefined {
  const { table, query } = listed
  if (!hasPages(builder, table, query) || query.firstReferring) return undefined
  const alternatives = findAlternatives(builder, table, query.condition)
  const [only, other] = alternatives
  if (only === undefined) return undefined
  if (other === undefined) {
    // A search selects ids itself.
    const isSearch = only.some(({ kind }) => kind === 'search')
    if (isSearch || findDrivingCondition(builder, table, only) === undefined) return undefined
  }
  const terms = alternatives.map((alternative) =>
    builder.dialect.inSubquery(identity, alternativeSql(builder, listed, alternative)),
  )
  return `(${terms.join(' or ')})`
}

/** An order of columns of the table itself; only ids where the database reads the rows of a rule by an index itself. */
function hasPages({ dialect }: SqlBuilder, { idColumn }: Table, { order }: RowQuery): boolean {
  if (order.some((term) => term.through || term.derived)) return false
  return dialect.lateralPages !== undefined || (order.length === 1 && order[0]?.column === idColumn)
}

/** Lists of terms; a row that satisfies the condition satisfies all terms of one of them. */
function findAlternatives(
  builder: SqlBuilder,
  table: Table,
  condition: Condition,
): readonly (readonly Condition[])[] {
  const terms = termsOf('all', condition)
  const found = terms.find((term) => term.kind === 'any' && isSelective(builder, table, term))
  if (found?.kind !== 'any') return [terms]
  const others = terms.filter((term) => term !== found)
  return termsOf('any', found).map((one) => [...termsOf('all', one), ...others])
}

interface DrivingCondition {
  readonly condition: ExistsCondition
  readonly pair: EqualPair
}

/** The term that drives to rows by values of another table, where the dialect reads a page for each value. */
function findDrivingCondition(
  builder: SqlBuilder,
  table: Table,
  terms: readonly Condition[],
): DrivingCondition | undefined {
  if (builder.dialect.lateralPages === undefined) return undefined
  for (const drivingCondition of terms) {
    const pair =
      drivingCondition.kind === 'exists' ? findDrivingPair(builder, table, drivingCondition) : undefined
    if (drivingCondition.kind === 'exists' && pair !== undefined) return { condition: drivingCondition, pair }
  }
  return undefined
}

/** A query for the ids of the page of one alternative. */
function alternativeSql(builder: SqlBuilder, listed: ListRange, terms: readonly Condition[]): string {
  const { table } = listed
  const driving = findDrivingCondition(builder, table, terms)
  const { lateralPages } = builder.dialect
  if (driving === undefined || lateralPages === undefined) {
    return pageSql(builder, listed, [conditionSql(builder, table, all(terms))])
  }
  const { condition: drivingCondition, pair } = driving
  return lateralPages(drivingValuesSql(builder, table, drivingCondition, pair), (value) => {
    const column = knownColumn(table, pair.path[0] ?? '')
    const columnSql = `${ROW}.${quoted(column.name)}`
    const others = terms.filter((term) => term !== drivingCondition)
    const rest =
      others.length === 0 ? [] : [conditionBesideSql(builder, table, drivingCondition, all(others))]
    const whole = drivingCondition.pairs.length > 1 ? [isTrueSql(builder, table, drivingCondition)] : []
    // For a row comparison, unlike an equality, the planner expects many rows, and reads the index in its order.
    const range = `(${columnSql}, ${identity}) >= (${value}, '') and ${columnSql} <= ${value}`
    // No index has the version. Otherwise the planner would read and sort an index of another order without its rows.
    const stored = `${ROW}."_version" > 0`
    return pageSql(builder, withFirst(column.name, listed), [range, ...rest, ...whole, stored])
  })
}

/** The list ordered by the column first. */
function withFirst(column: string, { table, query, keysetRange }: ListRange): ListRange {
  const descending = query.order[0]?.descending ?? false
  return { table, query: { ...query, order: [{ column, descending }, ...query.order] }, keysetRange }
}

function pageSql(
  builder: SqlBuilder,
  { table, query: { order, limit }, keysetRange }: ListRange,
  terms: readonly string[],
): string {
  const where = withDeadline(builder, [...terms, ...keysetRangeSql(builder, keysetRange)]).join(' and ')
  const end = `order by ${orderSql(builder, orderTerms(builder.schema, table, order), 0)} limit ${limitSql(builder, limit)}`
  return `select ${identity} from ${quoted(table.name)} ${ROW} where ${where} ${end}`
}
