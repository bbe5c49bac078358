/** Where PostgreSQL's SQL differs. Every text column has the collation "C", so order is by octets. */

import type { Column } from '../schema/table-schema.ts'
import { type Dialect, literalSql } from '../sql/sql-text.ts'
import { postgresSearch } from './schema/search-index.ts'

/**
 * A mark is a snapshot; changed is a table with an entry in the log that the snapshot did not see
 * and that is not this transaction's own. The table is locked meanwhile (see transaction.ts).
 */
const unchangedSql = `select 1 where not exists (select 1 from "_changes" where "table" = $1
  and "transaction" >= pg_snapshot_xmin($2::pg_snapshot)
  and not pg_visible_in_snapshot("transaction", $2::pg_snapshot)
  and "transaction" <> pg_current_xact_id())`

export const postgresDialect: Dialect = {
  placeholder: (place) => `$${place}`,
  castParameter: (parameter, column) =>
    column.type === 'text'
      ? `(${parameter}::text collate "C")`
      : `${parameter}::${columnTypes[column.type]}`,
  orderTerm: (place, direction, { required }) =>
    `${place} ${direction}${nulls(direction, required)}`,
  matches: (text, pattern) => `${text} ~ ${pattern}`,
  // `***:` so that no text can begin with a director of its own (§9.7.3.4).
  pattern: (characters, at) =>
    `***:${at === 'start' ? '^' : ''}${characters.map(expressionOf).join('')}`,
  hasElement: (list, element) =>
    `exists (select 1 from json_array_elements(${list}::json) e where ${elementText('e')} = ${element})`,
  elements: (list) => `select e from json_array_elements_text(${list}::json) e`,
  jsonString: (text) => `to_json(${text})::text`,
  jsonObject: (members) => {
    const pairs = members.map(([name, value]) => `${literalSql(name)}, ${value}`)
    return `json_build_object(${pairs.join(', ')})::text`
  },
  plansByLimit: false,
  limitOctets: withinSql,
  deferReferences: 'set constraints all deferred',
  restoreReferences: 'set constraints all immediate',
  // The server ends a statement that takes too long.
  deadline: undefined,
  search: postgresSearch,
  lockRow: ' for update of _t',
  returningChange: ' returning 1',
  skipLocked: ' for update skip locked',
  unchanged: unchangedSql,
}

/** In the syntax of advanced regular expressions, where a letter or digit is itself. */
function expressionOf(variants: readonly string[]): string {
  const text = variants.join('')
  if (variants.length > 1) return `[${text}]`
  return /^[!-/:-@[-`{-~]$/.test(text) ? `\\${text}` : text
}

/** The sum of all rows before decides; the rows come in the order of the list. */
function withinSql(list: string, columns: number, octets: string): string {
  const names = Array.from({ length: columns }, (_, at) => `c${at}`).join(', ')
  const before = 'sum(size) over (rows unbounded preceding) - size as before'
  const summed = `select l.*, ${before}, row_number() over () as place from (${list}) l (${names}, size)`
  return `select ${names} from (${summed}) s where before <= ${octets} or place <= 2`
}

/** How PostgreSQL keeps each type of column. */
export const columnTypes: Readonly<Record<Column['type'], string>> = {
  text: 'text',
  integer: 'bigint',
  real: 'double precision',
  decimal: 'bigint',
}

/** Said only where it matters: the index behind a primary key goes with no other order. */
function nulls(direction: 'asc' | 'desc', required: boolean): string {
  if (required) return ''
  return direction === 'asc' ? ' nulls first' : ' nulls last'
}

/** A boolean is asked for as 0 or 1, a number as JSON writes it. */
function elementText(element: string): string {
  const text = `${element} #>> '{}'`
  return `case json_typeof(${element}) when 'boolean' then (${text} = 'true')::int::text else ${text} end`
}
