/** Matches the tables and columns of a definition with those that the database has. */

import { hasSystemColumns, inferOwnership, type Ownership } from './ownership.ts'
import type { PresentTable, PresentTables } from './present-tables.ts'
import type { StoredLimits } from './stored-limits.ts'
import type { IndexNames } from './table-indexes.ts'
import type { Column, Schema, Table } from './table-schema.ts'

/** A column of the definition and the present column; undefined where there is none. */
export interface ColumnPair<Of> {
  readonly column: Column
  readonly was: Of | undefined
}

/**
 * The ownership before a migration: as recorded, and inferred for tables of the definition that an
 * earlier version made without a record.
 */
export function resolveOwnership(
  recorded: Ownership | undefined,
  present: PresentTables,
  about: { readonly schema: Schema; readonly limits: StoredLimits; readonly names: IndexNames },
): Ownership {
  const all = inferOwnership(present, about.schema, about)
  if (recorded === undefined) return all
  const missing = Object.entries(all).filter(
    ([name]) => recorded[name] === undefined && about.schema.tables[name] !== undefined,
  )
  return { ...recorded, ...Object.fromEntries(missing) }
}

/** The present table under its name or a former name; undefined where there is none. */
export function findPresentTable<Of extends PresentTable>(
  table: Table,
  existing: ReadonlyMap<string, Of>,
  { schema, owned }: { readonly schema: Schema; readonly owned: Ownership },
): Of | undefined {
  const former = table.formerly.find(
    (name) =>
      existing.has(name) && owned[name] !== undefined && !Object.hasOwn(schema.tables, name),
  )
  return existing.get(table.name) ?? (former === undefined ? undefined : existing.get(former))
}

/** Why the table cannot be used for a resource; undefined where it has the system columns. */
export function findForeignTableObstacle(now: PresentTable): string | undefined {
  if (hasSystemColumns(now)) return undefined
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
