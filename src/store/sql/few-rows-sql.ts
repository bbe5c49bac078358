/**
 * Conditions that an index over all rows answers, unless a rule drives the query to few rows. Then each of them is
 * checked: the index has matches in rows that the rule hides too, and reading those would reveal them by its cost.
 */

import { alias, type RowScope } from './row-scope.ts'
import { quoted, type SqlBuilder, withDeadline } from './sql-text.ts'

/** At most so many rows are checked one by one, */
const mostRows = 1000
/** and so many octets of them are read. */
const mostOctets = 2_000_000

/** The parts of the condition. Those that bind values are called in the order of the text. */
interface CheckedOrFound {
  /** The condition that drives the query, for another alias of the row. */
  driving(scope: RowScope): string
  /** A query for the identities of at least the rows for which it is true, at most so many. */
  drivenIds(scope: RowScope, limit: number): string
  /** The octets that checking the row with the identity reads; undefined where these are few. */
  readonly octets?: (identity: string) => string
  check(scope: RowScope): string
  /** A query for the identities of all rows; its FROM begins with the text. */
  find(before: string): string
}

/** True for the row of the step where it is among those checked or found. */
export function checkedOrFoundSql(builder: SqlBuilder, scope: RowScope, parts: CheckedOrFound): string {
  const identity = `${scope.row}."_identity"`
  if (scope.driving === undefined) return `${identity} in (${parts.find('')})`
  const row = alias(scope.depth + 1)
  const driven: RowScope = { ...scope, row, depth: scope.depth + 1, driving: undefined }
  const few = `select ${areFewSql(driven, parts)}`
  const terms = [parts.driving(driven), parts.check({ ...driven, mode: 'check-row' })]
  const from = `${onlyIf('(select few from few)')}${quoted(scope.table.name)} ${row}`
  const checked = `select ${row}."_identity" from ${from} where ${withDeadline(builder, terms).join(' and ')}`
  const found = parts.find(onlyIf('not (select few from few)'))
  return builder.dialect.inSubquery(identity, `with few (few) as (${few}) ${checked} union all ${found}`)
}

/** Whether the driving condition holds for few rows with few octets. */
function areFewSql(scope: RowScope, { drivenIds, octets }: CheckedOrFound): string {
  const rows = () => `(${drivenIds(scope, mostRows + 1)}) l`
  const areFew = `(select count(*) from ${rows()}) <= ${mostRows}`
  if (octets === undefined) return areFew
  const areSmall = `(select coalesce(sum(${octets('l."_identity"')}), 0) from ${rows()}) <= ${mostOctets}`
  return `case when ${areFew} then ${areSmall} else false end`
}

/** The beginning of a FROM whose other tables are read only where the expression is true. */
function onlyIf(expression: string): string {
  return `(select 1 where ${expression}) q cross join `
}
