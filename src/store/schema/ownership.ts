/**
 * The record in `_meta` of the tables, columns and indexes that Restwell has made. Only recorded
 * objects are dropped; all others belong to another program.
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

/** Whether the table has the system columns of every Restwell table. */
export function hasSystemColumns({ columns }: PresentTable): boolean {
  return systemColumns.every((name) => columns.get(name)?.required === true)
}

/**
 * Infers the record for a database of an earlier version, which stored none: tables with the system
 * columns; columns that the definition has, that have a known limit or a reference, or that every
 * insert must set; indexes with the name that Restwell would give them.
 */
export function inferOwnership(
  present: PresentTables,
  schema: Schema,
  { limits, names }: { readonly limits: StoredLimits; readonly names: IndexNames },
): Ownership {
  const tables = [...present.values()].filter(hasSystemColumns).map((table): [string, OwnedTable] => {
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

/** The record after a migration: present objects that the definition has or that were owned before. */
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

/** Returns the present objects that the definition does not have. */
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
