/** The SQL of PostgreSQL. All text columns have the collation "C", so texts are ordered by octets. */

import { formatJoinTableName } from '../schema/join-table-schema.ts'
import type { Column } from '../schema/table-schema.ts'
import { type Dialect, literalSql, quoted } from '../sql/sql-text.ts'
import { comparableTotalSql } from './comparable-total.ts'
import { shortenIdentifier } from './schema/identifier.ts'
import { postgresSearch } from './schema/search-index.ts'

/**
 * The state of a table is a snapshot. A table has changed if the change log has an entry of another transaction
 * that is not visible in the snapshot. The caller holds a lock on the table (see transaction.ts).
 */
const unchangedSql = `select 1 where not exists (select 1 from "_changes" where "table" = $1
  and "transaction" >= pg_snapshot_xmin($2::pg_snapshot)
  and not pg_visible_in_snapshot("transaction", $2::pg_snapshot)
  and "transaction" <> pg_current_xact_id())`

/** A function of PostgreSQL has at most 100 arguments. */
const maxPairs = 50

export const postgresDialect: Dialect = {
  placeholder: (number) => `$${number}`,
  castParameter: castTo,
  orderTerm: (columnSql, direction, { required }) => `${columnSql} ${direction}${nulls(direction, required)}`,
  matches: (text, pattern) => `${text} ~ ${pattern}`,
  // `***:` prevents a text from being read as a director (PostgreSQL documentation §9.7.3.4).
  pattern: (characters, at) => `***:${at === 'start' ? '^' : ''}${characters.map(formatExpression).join('')}`,
  // The text of a number is the shortest that denotes it; a cast to numeric would keep 15 digits only.
  exactSum: (columnSql, { type }) =>
    type === 'real' ? `sum(${columnSql}::text::numeric)::text` : `sum(${columnSql})::text`,
  comparableTotal: comparableTotalSql,
  hasElement: (list, element) =>
    `exists (select 1 from json_array_elements(${list}::json) e where ${elementText('e')} = ${element})`,
  jsonElements: (list) => `select e from json_array_elements_text(${list}::json) e`,
  arrayMember: (list, place, column) => castTo(`(${list}::json ->> ${place})`, column),
  elementsItem: (list) => `json_array_elements_text(${list}::json) as j ("value")`,
  withoutElements: (list, query) =>
    `(select '[' || coalesce(string_agg(to_json(j."value")::text, ',' order by j."value" collate "C"), '') || ']' from json_array_elements_text(${list}::json) as j ("value") where j."value" not in (${query}))`,
  joinTable: (table, column) => shortenIdentifier(formatJoinTableName(table, column)),
  // An index serves an array beside OR too; an IN with a subquery would be a scan there.
  inSubquery: (value, query) => `${value} = any (array(${query}))`,
  lateralPages: (values, page) => {
    const distinct = `(select distinct v from (${values}) q (v)) l`
    return `select p."_identity" from ${distinct} cross join lateral (${page('l.v')}) p`
  },
  // The planner has statistics.
  expectMany: (condition) => condition,
  withoutIndex: (columnSql) => columnSql,
  jsonString: (text) => `to_json(${text})::text`,
  jsonObject: (members) => {
    const pairs = members.map(([name, value]) => `${literalSql(name)}, ${value}`)
    const parts: string[] = []
    for (let at = 0; at < pairs.length; at += maxPairs) {
      parts.push(`jsonb_build_object(${pairs.slice(at, at + maxPairs).join(', ')})`)
    }
    return `(${parts.join(' || ')})::text`
  },
  plansByLimit: false,
  limitOctets: withinSql,
  deferReferences: 'set constraints all deferred',
  restoreReferences: 'set constraints all immediate',
  // The server ends a statement that takes too long.
  deadline: undefined,
  search: postgresSearch,
  lockRow: ' for update of _t',
  // Not `for share`: two transactions that then change the row would wait for each other.
  shareRow: ' for no key update of _t',
  storedTable: quoted,
  returningChange: ' returning 1',
  skipLocked: ' for update skip locked',
  selectUnchangedTable: unchangedSql,
}

/** Escapes punctuation for an advanced regular expression. */
function formatExpression(variants: readonly string[]): string {
  const text = variants.join('')
  if (variants.length > 1) return `[${text}]`
  return /^[!-/:-@[-`{-~]$/.test(text) ? `\\${text}` : text
}

/** Limits a list by the total size of the preceding rows; returns at least two rows. */
function withinSql(list: string, columns: number, octets: string): string {
  const names = Array.from({ length: columns }, (_, at) => `c${at}`).join(', ')
  const before = 'sum(size) over (rows unbounded preceding) - size as before'
  const summed = `select l.*, ${before}, row_number() over () as place from (${list}) l (${names}, size)`
  return `select ${names} from (${summed}) s where before <= ${octets} or place <= 2`
}

/** The PostgreSQL type of each column type. */
export const columnTypes: Readonly<Record<Column['type'], string>> = {
  text: 'text',
  integer: 'bigint',
  real: 'double precision',
  decimal: 'bigint',
}

/** Omitted for required columns, because the index of a primary key has the default order of nulls. */
function nulls(direction: 'asc' | 'desc', required: boolean): string {
  if (required) return ''
  return direction === 'asc' ? ' nulls first' : ' nulls last'
}

/** The text of a JSON element: a boolean as 0 or 1, a number as in JSON. */
function castTo(expression: string, { type }: Column): string {
  return type === 'text' ? `(${expression}::text collate "C")` : `${expression}::${columnTypes[type]}`
}

function elementText(element: string): string {
  const text = `${element} #>> '{}'`
  return `case json_typeof(${element}) when 'boolean' then (${text} = 'true')::int::text else ${text} end`
}
