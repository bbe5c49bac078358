/**
 * The record in `_meta` of the tables, columns and indexes that Restwell has made. Only recorded
 * objects are dropped; all others belong to another program.
 */

import type { MetaRecords } from './meta-records.ts'
import type { KeptObjects } from './migration-plan.ts'
import type { PresentTables } from './present-tables.ts'
import type { IndexNames } from './table-indexes.ts'
import type { Schema } from './table-schema.ts'

/** By table. */
export type Ownership = Readonly<Record<string, OwnedTable>>

export interface OwnedTable {
  readonly columns: readonly string[]
  /** Their names. */
  readonly indexes: readonly string[]
}

/** The name of the record in `_meta`. */
export const ownershipRecord = 'owned'

/** The record before a migration; empty for a new database. */
export function parseOwnership(records: MetaRecords): Ownership {
  return JSON.parse(records.get(ownershipRecord) ?? '{}')
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

function nameOf({ name }: { readonly name: string }): string {
  return name
}
