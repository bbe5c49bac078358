/** The records of full-text indexes in `_meta`: the columns, after the method of indexing. */

import type { Schema, Table } from './table-schema.ts'

/** The searched columns of a table as text; undefined where it is not searched. */
export function formatSearchColumns({ search }: Table): string | undefined {
  return search.length === 0 ? undefined : JSON.stringify(search)
}

/** Whether the schema has a searched table of that name. */
export function isSearched({ tables }: Schema, name: string): boolean {
  return tables[name] !== undefined && formatSearchColumns(tables[name]) !== undefined
}

/** By table: the columns without the method. A start rebuilds an index with another method. */
export function parseSearchColumns(
  records: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  return new Map([...records].map(([name, made]) => [name, made.slice(made.indexOf('['))]))
}
