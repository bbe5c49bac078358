/** What `_meta` says of full-text indexes: the columns, after words for how the index is made. */

import type { Schema, Table } from './table-schema.ts'

/** The columns that a table is searched by, as text; undefined where it is not searched. */
export function formatSearchColumns({ search }: Table): string | undefined {
  return search.length === 0 ? undefined : JSON.stringify(search)
}

export function isSearched({ tables }: Schema, name: string): boolean {
  return tables[name] !== undefined && formatSearchColumns(tables[name]) !== undefined
}

/** By table: the columns alone. An index that is made in another way is made anew at a start. */
export function parseSearchColumns(
  records: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  return new Map([...records].map(([name, made]) => [name, made.slice(made.indexOf('['))]))
}
