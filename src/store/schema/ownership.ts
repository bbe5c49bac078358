/**
 * Which tables, columns and indexes Restwell has made. `_meta` keeps the record; only recorded
 * objects are ever dropped, all others belong to another program and are left alone.
 */

import type { KeptObjects } from './migration-plan.ts'
import type { PresentColumn, PresentTable, PresentTables } from './present-tables.ts'
import type { StoredLimits } from './stored-limits.ts'
import type { IndexNames } from './table-indexes.ts'
import type { Schema, Table } from './table-schema.ts'

/** By table. */
export type Ownership = Readonly<Record<string, OwnedTable>>

export interface OwnedTable {
  readonly columns: readonly string[]
  /** Their names. */
  readonly indexes: readonly string[]
}

/** The name of the record in `_meta`. */
export const ownershipRecord = 'owned'

const systemColumns = ['_identity', '_version', 'createdAt', 'updatedAt']

/** Whether the table has the columns that every table of Restwell begins with. */
export function hasSystemColumns({ columns }: PresentTable): boolean {
  return systemColumns.every((name) => columns.get(name)?.required === true)
}

/**
 * The record for a database that an earlier version made, which kept none: tables with the system
 * columns; columns that the definition has, that a limit is known of, that refer to another table,
 * or without which no row can be made; indexes whose name follows from their columns.
 */
export function inferOwnership(
  present: PresentTables,
  schema: Schema,
  { limits, names }: { readonly limits: StoredLimits; readonly names: IndexNames },
): Ownership {
  const tables = [...present.values()]
    .filter(hasSystemColumns)
    .map((table): [string, OwnedTable] => {
      const wanted = tableNamed(schema, table.name)
      const defined = new Set(wanted?.columns.flatMap(({ name, formerly }) => [name, ...formerly]))
      const isOwn = ({ name, required, hasDefault, references }: PresentColumn) =>
        defined.has(name) ||
        limits[table.name]?.[name] !== undefined ||
        references !== undefined ||
        (required && !hasDefault)
      const indexes = table.indexes.filter((one) => one.name === names.nameOf(table.name, one))
      const columns = [...table.columns.values()].filter(isOwn)
      return [table.name, { columns: columns.map(nameOf), indexes: indexes.map(nameOf) }]
    })
  return Object.fromEntries(tables)
}

/** The record after a migration: what there is of the definition, and of what was owned before. */
export function updateOwnership(
  before: Ownership,
  present: PresentTables,
  { schema, names }: { readonly schema: Schema; readonly names: IndexNames },
): Ownership {
  const tables = [...present.values()].flatMap((table): [string, OwnedTable][] => {
    const wanted = schema.tables[table.name]
    const former = wanted?.formerly.find((name) => before[name] !== undefined)
    const owned = before[table.name] ?? before[former ?? '']
    if (wanted === undefined && owned === undefined) return []
    const columns = new Set([...(owned?.columns ?? []), ...(wanted?.columns.map(nameOf) ?? [])])
    const made = wanted === undefined ? [] : names.indexesOf(wanted).map(nameOf)
    const indexes = new Set([...(owned?.indexes ?? []), ...made])
    return [
      [
        table.name,
        {
          columns: [...table.columns.keys()].filter((name) => columns.has(name)),
          indexes: table.indexes.map(nameOf).filter((name) => indexes.has(name)),
        },
      ],
    ]
  })
  return Object.fromEntries(tables)
}

/** What is there beside the objects of the definition. */
export function findKeptObjects(
  present: PresentTables,
  owned: Ownership,
  { schema, names }: { readonly schema: Schema; readonly names: IndexNames },
): KeptObjects {
  const foreign: string[] = []
  const unused: string[] = []
  for (const { name, columns, indexes } of present.values()) {
    const own = owned[name]
    const wanted = schema.tables[name]
    if (own === undefined || wanted === undefined) {
      ;(own === undefined ? foreign : unused).push(`table ${name}`)
      continue
    }
    const isWanted = new Set([...wanted.columns, ...names.indexesOf(wanted)].map(nameOf))
    for (const column of [...columns.keys()].filter((one) => !isWanted.has(one))) {
      if (column.startsWith('_')) continue
      ;(own.columns.includes(column) ? unused : foreign).push(`column ${name}.${column}`)
    }
    for (const index of indexes.filter((one) => !isWanted.has(one.name))) {
      ;(own.indexes.includes(index.name) ? unused : foreign).push(`index ${index.name} on ${name}`)
    }
  }
  return { foreign, unused }
}

function tableNamed({ tables }: Schema, name: string): Table | undefined {
  return tables[name] ?? Object.values(tables).find(({ formerly }) => formerly.includes(name))
}

function nameOf({ name }: { readonly name: string }): string {
  return name
}
