/** A table of the definition beside the one that is there: what its changes are planned from. */

import type { Stored } from '../../declare/model.ts'
import type { Pair as AnyPair } from '../column-pairs.ts'
import type { KnownLimits, Narrowing } from '../limits.ts'
import type { Step } from '../migration.ts'
import type { OwnedTable } from '../ownership.ts'
import type { Table } from '../schema.ts'
import type { Connection } from './connection.ts'
import { countRows, type ExistingColumn, type ExistingTable } from './existing.ts'

export type Pair = AnyPair<ExistingColumn>

export interface Change extends Step {
  /** SQLite cannot do it in place. */
  readonly rebuild: boolean
}

export interface TableContext {
  readonly connection: Connection
  readonly table: Table
  readonly now: ExistingTable
  /** What tables that are there will be called. */
  readonly names: ReadonlyMap<string, string>
  /** What the rows were last held against. */
  readonly limits: KnownLimits
  /** What Restwell has made of it. */
  readonly owned: OwnedTable
}

/** SQLite has one writer at a time; readers see what was before until it is done. */
export const MOMENT = 'writers wait for a moment'

/** What is changed by the rebuilding has its lock there. */
export const change = {
  effect: 'changes',
  obstacle: undefined,
  loss: undefined,
  lock: undefined,
  rows: 0,
  sql: [],
  rebuild: true,
} as const

export function placeOf({ table }: TableContext, { name }: { readonly name: string }): string {
  return `${table.name}.${name}`
}

/** How many rows of the table the condition holds for. */
export function countIn({ connection, now }: TableContext, where: string): number {
  return countRows(connection, now.name, where)
}

/** Shows the rows of a statement, each an identity and a value. */
export function seeRows(
  connection: Connection,
  sql: string,
  against: Pick<Narrowing, 'see'>,
): void {
  for (const row of connection.database.prepare(sql).iterate()) {
    // The connection gives rows as arrays.
    const [identity, stored] = row as unknown as [string, Stored]
    against.see(identity, stored)
  }
}
