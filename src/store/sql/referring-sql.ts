/**
 * Lists the first rows that refer to each of some rows. Each of those rows takes one range of the
 * index of the reference, so that the cost does not depend on how many rows refer to it.
 */

import type { Condition } from '../condition.ts'
import type { ReferredRows } from '../group-query.ts'
import type { Table } from '../schema/table-schema.ts'
import type { FirstReferringRows } from '../store.ts'
import { ROW, rowConditionSql } from './condition-sql.ts'
import { bindRaw, knownColumn, limitSql, quoted, type SqlBuilder, withDeadline } from './sql-text.ts'

/** The rows that are referred to, as a common table expression in front of the query. */
export function referredRowsSql(builder: SqlBuilder, { to }: Pick<ReferredRows, 'to'>): string {
  return `with _p (parent) as (${builder.dialect.jsonElements(bindRaw(builder, JSON.stringify(to)))}) `
}

/** The tables of the query: each row that is referred to, with all rows. */
export function referringTablesSql(table: Table): string {
  return `_p cross join ${quoted(table.name)} ${ROW}`
}

/** A term that is true for the first rows that satisfy the condition and refer to the other row. */
export function isFirstReferringSql(
  builder: SqlBuilder,
  table: Table,
  { reference, most }: FirstReferringRows,
  condition: Condition,
): string {
  const refers = `${inner}.${quoted(knownColumn(table, reference).name)} = _p.parent`
  const terms = [...withDeadline(builder, []), refers, rowConditionSql(builder, table, inner, condition)]
  const first = `order by ${inner}.${quoted(table.idColumn)} limit ${limitSql(builder, most)}`
  const identities = `select ${inner}."_identity" from ${quoted(table.name)} ${inner} where ${terms.join(' and ')} ${first}`
  return builder.dialect.inSubquery(`${ROW}."_identity"`, identities)
}

/** The alias of the rows among which the first are chosen. */
const inner = '_c'
