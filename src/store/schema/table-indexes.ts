/** The indexes that a table of the definition needs, and the names that Restwell gives to indexes. */

import type { PresentIndex } from './present-tables.ts'
import type { Table } from './table-schema.ts'

export interface IndexNames {
  /** The name that Restwell gives to an index of these columns. */
  nameOf(table: string, index: Omit<PresentIndex, 'name'>): string
  /** The indexes that a table of the definition needs. */
  indexesOf(table: Table): readonly PresentIndex[]
}

/** The index names of one database; `shorten` makes a name fit its limit for identifiers. */
export function createIndexNames(shorten: (name: string) => string): IndexNames {
  const nameOf: IndexNames['nameOf'] = (table, { unique, columns }) =>
    shorten(`${table}:${unique ? 'unique' : 'index'}:${columns.join(',')}`)
  return {
    nameOf,
    indexesOf(table) {
      const named = neededIndexes(table).map((one) => ({ ...one, name: nameOf(table.name, one) }))
      return [...new Map(named.map((index) => [index.name, index])).values()]
    },
  }
}

/**
 * Unique columns, unique sets, references and declared orders. An index that is not unique ends in the id
 * column, which breaks ties, so that a page in that order is one range of the index.
 */
function neededIndexes(table: Table): Omit<PresentIndex, 'name'>[] {
  const { columns, idColumn, indexes, uniqueSets } = table
  const unique = columns.filter((column) => column.unique && column.name !== '_identity')
  const references = columns.filter(({ references }) => references !== undefined)
  const orders = [...references.map(({ name }) => [name]), ...indexes]
  return [
    ...[...unique.map(({ name }) => [name]), ...uniqueSets].map((names) => ({
      unique: true,
      columns: names,
    })),
    ...orders.map((names) => ({
      unique: false,
      columns: names.includes(idColumn) ? names : [...names, idColumn],
    })),
  ]
}
