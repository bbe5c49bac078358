/** Matches the tables and columns of a definition with those that the database has. */

import type { Ownership } from './ownership.ts'
import type { PresentTable } from './present-tables.ts'
import type { IndexNames } from './table-indexes.ts'
import type { Column, Schema, Table } from './table-schema.ts'

/** A column of the definition and the present column; undefined where there is none. */
export interface ColumnPair<Of> {
  readonly column: Column
  readonly was: Of | undefined
}

/** A table of the definition and the present table; undefined where there is none. */
export interface TablePair<Of> {
  readonly table: Table
  readonly now: Of | undefined
}

export interface MatchedTables<Of> {
  readonly pairs: readonly TablePair<Of>[]
  /** The names that present tables have after the migration, by their present names. */
  readonly names: ReadonlyMap<string, string>
  /** Owned tables that the definition no longer has. */
  readonly vanished: readonly Of[]
  /** Whether the definition has a table that is not present. */
  readonly creates: boolean
}

/** Matches each table of the definition with the present table under its name or a former name. */
export function matchTables<Of extends PresentTable>(
  { tables }: Schema,
  existing: ReadonlyMap<string, Of>,
  owned: Ownership,
): MatchedTables<Of> {
  const isFormer = (name: string) => owned[name] !== undefined && !Object.hasOwn(tables, name)
  const pairs = Object.values(tables).map((table) => {
    const former = table.formerly.find((name) => existing.has(name) && isFormer(name))
    return { table, now: existing.get(table.name) ?? existing.get(former ?? '') }
  })
  const names = new Map(pairs.flatMap(({ table, now }) => (now ? [[now.name, table.name]] : [])))
  const vanished = [...existing.values()].filter(({ name }) => owned[name] && !names.has(name))
  return { pairs, names, vanished, creates: pairs.some(({ now }) => now === undefined) }
}

/** The owned indexes of the present table that the definition no longer has. */
export function findStaleIndexes(
  { table, now }: TablePair<PresentTable>,
  owned: Ownership,
  { indexesOf }: IndexNames,
): readonly string[] {
  const needed = new Set(indexesOf(table).map(({ name }) => name))
  const present = new Set(now?.indexes.map(({ name }) => name))
  const indexes = owned[now?.name ?? '']?.indexes ?? []
  return indexes.filter((name) => present.has(name) && !needed.has(name))
}

/** Why the table cannot be used for a resource; undefined where Restwell has made it. */
export function findForeignTableObstacle(now: PresentTable, owned: Ownership): string | undefined {
  if (owned[now.name] !== undefined) return undefined
  return 'another program has made a table of that name; give the resource another name'
}

/** Pairs each column of the definition with the present column under its name or a former name. */
export function pairColumns<Of>(
  table: Table,
  columns: ReadonlyMap<string, Of>,
  owned: readonly string[],
): ColumnPair<Of>[] {
  const wanted = new Set(table.columns.map(({ name }) => name))
  return table.columns.map((column) => {
    const former = column.formerly.find(
      (name) => columns.has(name) && owned.includes(name) && !wanted.has(name),
    )
    return { column, was: columns.get(column.name) ?? columns.get(former ?? '') }
  })
}
