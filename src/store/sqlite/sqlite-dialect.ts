/** The SQL of SQLite. It orders text by octets, and missing values first. */

import { formatJoinTableName } from '../schema/join-table-schema.ts'
import type { Column } from '../schema/table-schema.ts'
import { type Dialect, literalSql, quoted } from '../sql/sql-text.ts'
import { sqliteSearch } from './schema/search-index.ts'

export const sqliteDialect: Dialect = {
  placeholder: () => '?',
  castParameter: (parameter) => parameter,
  orderTerm: (column, direction) => (direction === 'desc' ? `${column} desc` : column),
  matches: (text, pattern) => `${text} glob ${pattern}`,
  pattern(characters, at) {
    const text = characters.map(globOf).join('')
    return at === 'start' ? `${text}*` : `*${text}*`
  },
  exactSum: exactSumSql,
  comparableTotal: (operation, columnSql, column) =>
    `comparable_total('${operation}', '${column.type}', ${exactSumSql(columnSql, column)}, count(${columnSql}))`,
  hasElement: (list, element) => `exists (select 1 from json_each(${list}) where value = ${element})`,
  jsonElements: (list) => `select value from json_each(${list})`,
  arrayMember: (list, place, { type }) =>
    `cast(${list} ->> ${place} as ${type === 'decimal' ? 'integer' : type})`,
  elementsItem: (list) => `json_each(${list}) j`,
  // `concat`, because `json_object` would show the array itself instead of its text.
  withoutElements: (list, query) =>
    `(select concat(json_group_array(j."value" order by j."value")) from json_each(${list}) j where j."value" not in (${query}))`,
  joinTable: formatJoinTableName,
  inSubquery: (value, query) => `${value} in (${query})`,
  lateralPages: undefined,
  // Without statistics the planner expects that an equality holds for ten rows.
  expectMany: (condition) => `likelihood(${condition}, 0.9375)`,
  withoutIndex: (columnSql) => `+${columnSql}`,
  jsonString: (text) => `json_quote(${text})`,
  jsonObject: (members) => {
    const pairs = members.map(([name, value]) => `${literalSql(name)}, ${value}`)
    return `json_object(${pairs.join(', ')})`
  },
  plansByLimit: true,
  limitOctets: undefined,
  deferReferences: 'pragma defer_foreign_keys = on',
  restoreReferences: 'pragma defer_foreign_keys = off',
  // A function of the connection: SQLite has no timeout of statements.
  deadline: 'tick()',
  search: sqliteSearch,
  // Transactions are serialized, so rows need no locks.
  lockRow: '',
  shareRow: '',
  // The name of a common table expression is visible inside of it.
  storedTable: (name) => `main.${quoted(name)}`,
  returningChange: '',
  skipLocked: '',
  selectUnchangedTable: 'select 1 from "_collections" where "name" = ? and cast("revision" as text) = ?',
}

/** A function of the connection for numbers. The sum of integers fails above 2^63, so their halves are added. */
function exactSumSql(columnSql: string, { type }: Column): string {
  if (type === 'real') return `exact_sum(${columnSql})`
  return `sum(${columnSql} >> 32) || ',' || sum(${columnSql} & 4294967295)`
}

/** A set of characters, which also escapes characters of the GLOB syntax. */
function globOf(variants: readonly string[]): string {
  const text = variants.join('')
  return variants.length > 1 || '*?['.includes(text) ? `[${text}]` : text
}
