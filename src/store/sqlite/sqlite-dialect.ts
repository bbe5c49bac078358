/** Where SQLite's SQL differs. Its text order is by octets, and it puts missing values first. */

import { type Dialect, literalSql } from '../sql/sql-text.ts'
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
  hasElement: (list, element) =>
    `exists (select 1 from json_each(${list}) where value = ${element})`,
  elements: (list) => `select value from json_each(${list})`,
  jsonString: (text) => `json_quote(${text})`,
  jsonObject: (members) => {
    const pairs = members.map(([name, value]) => `${literalSql(name)}, ${value}`)
    return `json_object(${pairs.join(', ')})`
  },
  plansByLimit: true,
  limitOctets: undefined,
  deferReferences: 'pragma defer_foreign_keys = on',
  restoreReferences: 'pragma defer_foreign_keys = off',
  // A function of the connection's own: SQLite has no clock for statements.
  deadline: 'tick()',
  search: sqliteSearch,
  // Writes run one after the other, so that nothing changes between their statements.
  lockRow: '',
  returningChange: '',
  skipLocked: '',
  unchanged: 'select 1 from "_collections" where "name" = ? and cast("revision" as text) = ?',
}

/** A set of characters, which is also how a character of the syntax is meant as itself. */
function globOf(variants: readonly string[]): string {
  const text = variants.join('')
  return variants.length > 1 || '*?['.includes(text) ? `[${text}]` : text
}
