/**
 * Lists in the order of ids by rules that lead to rows by an index. For `exists` PostgreSQL would read the whole table
 * in order or collect all rows of the tenant, and with `or` both databases collect the rows of all alternatives. So each
 * alternative first selects the ids of its own page, by its index, which ends in the id. The page of the list is among
 * them.
 */

import type { Condition, EqualPair, ExistsCondition } from '../condition.ts'
import type { Table } from '../schema/table-schema.ts'
import type { RowQuery } from '../store.ts'
import { conditionSql, drivingValuesSql, isTrueSql, ROW } from './condition-sql.ts'
import { type Branch, branchSql, orderSql } from './keyset-sql.ts'
import { orderTerms } from './order-sql.ts'
import { findDrivingPair, isSelective } from './selective-condition.ts'
import { knownColumn, limitSql, quoted, type SqlBuilder, withDeadline } from './sql-text.ts'

/** A list, and one of its ranges. */
export interface ListedBranch {
  readonly table: Table
  readonly query: RowQuery
  readonly branch: Branch
}

const identity = `${ROW}."_identity"`

/** A term that rows of the page satisfy, and few others; undefined where the list needs none. */
export function alternativesSql(builder: SqlBuilder, listed: ListedBranch): string | undefined {
  const { table, query } = listed
  if (!isOrderedById(table, query) || query.firstReferring) return undefined
  const alternatives = findAlternatives(builder, table, query.condition)
  const [only, other] = alternatives
  if (only === undefined) return undefined
  if (other === undefined && findDrivingCondition(builder, table, only) === undefined) return undefined
  const terms = alternatives.map((alternative) =>
    builder.dialect.inSubquery(identity, alternativeSql(builder, listed, alternative)),
  )
  return `(${terms.join(' or ')})`
}

function isOrderedById({ idColumn }: Table, { order: [first, second] }: RowQuery): boolean {
  return first?.column === idColumn && !first.through && second === undefined
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

/** The conditions that are joined by `all` or by `any`, at any depth. */
function termsOf(kind: 'all' | 'any', condition: Condition): readonly Condition[] {
  return condition.kind === kind ? condition.of.flatMap((one) => termsOf(kind, one)) : [condition]
}

interface DrivingCondition {
  readonly match: ExistsCondition
  readonly pair: EqualPair
}

/** The term that drives to rows by values of another table, where the dialect reads a page for each value. */
function findDrivingCondition(
  builder: SqlBuilder,
  table: Table,
  terms: readonly Condition[],
): DrivingCondition | undefined {
  if (builder.dialect.lateralPages === undefined) return undefined
  for (const match of terms) {
    const pair = match.kind === 'exists' ? findDrivingPair(builder, table, match) : undefined
    if (match.kind === 'exists' && pair !== undefined) return { match, pair }
  }
  return undefined
}

/** A query for the ids of the page of one alternative. */
function alternativeSql(builder: SqlBuilder, listed: ListedBranch, terms: readonly Condition[]): string {
  const { table } = listed
  const driving = findDrivingCondition(builder, table, terms)
  const { lateralPages } = builder.dialect
  if (driving === undefined || lateralPages === undefined) {
    return pageSql(
      builder,
      listed,
      terms.map((term) => conditionSql(builder, table, term)),
    )
  }
  const { match, pair } = driving
  return lateralPages(drivingValuesSql(builder, table, match, pair), (value) => {
    const column = knownColumn(table, pair.path[0] ?? '')
    const columnSql = `${ROW}.${quoted(column.name)}`
    const others = terms.filter((term) => term !== match).map((term) => conditionSql(builder, table, term))
    const whole = match.pairs.length > 1 ? [isTrueSql(builder, table, match)] : []
    // For a range, unlike an equality, the planner expects more rows than a page, and reads the index in its order.
    const range = `${columnSql} >= ${value} and ${columnSql} <= ${value}`
    return pageSql(builder, withFirst(column.name, listed), [range, ...others, ...whole])
  })
}

/** The list ordered by the column first. */
function withFirst(column: string, { table, query, branch }: ListedBranch): ListedBranch {
  const descending = query.order[0]?.descending ?? false
  return { table, query: { ...query, order: [{ column, descending }, ...query.order] }, branch }
}

function pageSql(
  builder: SqlBuilder,
  { table, query: { order, limit }, branch }: ListedBranch,
  terms: readonly string[],
): string {
  const where = withDeadline(builder, [...terms, ...branchSql(builder, branch)]).join(' and ')
  const end = `order by ${orderSql(builder, orderTerms(builder.schema, table, order), 0)} limit ${limitSql(builder, limit)}`
  return `select ${identity} from ${quoted(table.name)} ${ROW} where ${where} ${end}`
}
