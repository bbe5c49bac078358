/** The rows of a table at one time, read from the change log, from a backup or from a database, to be compared. */

import assert from 'node:assert/strict'
import type { Stored } from '../../src/definition/model.ts'
import { plainEncoding } from '../../src/operation/backup/backup-encoding.ts'
import { BackupOrigin } from '../../src/operation/backup/backup-origin.ts'
import { locateBackup } from '../../src/operation/backup/backup-place.ts'
import { openChunkStore } from '../../src/operation/backup/chunk-store.ts'
import type { TakenBackup } from '../../src/operation/backup/take-backup.ts'
import type { ChangeLogEntry } from '../../src/store/change-log.ts'
import { always } from '../../src/store/condition.ts'
import { listCopiedTables } from '../../src/store/copy/copied-table.ts'
import { readBatches } from '../../src/store/copy/row-batch.ts'
import type { Schema } from '../../src/store/schema/table-schema.ts'
import type { Store } from '../../src/store/store.ts'

/** The values of each row as JSON, by the id of its item, in the order of the ids. */
export type TableState = ReadonlyMap<string, string>

export interface TableStates {
  /** The rows after all changes up to a position. */
  at(log: readonly ChangeLogEntry[], position: number): TableState
  inBackup(taken: Pick<TakenBackup, 'place' | 'name' | 'backup'>): Promise<TableState>
  inStore(store: Store): Promise<TableState>
}

/** The table must have no secret columns, which the log leaves out, and no octets. */
export function createTableStates(schema: Schema, name: string): TableStates {
  const table = schema.tables[name]
  const copied = listCopiedTables(schema).find((one) => one.name === name)
  assert.ok(table && copied)
  const idIndex = table.columns.findIndex((column) => column.name === table.idColumn)
  const toState = (rows: readonly (readonly Stored[])[]): TableState => {
    const width = table.columns.length
    const entries = rows.map(
      (row) => [String(row[idIndex]), JSON.stringify(row.slice(0, width).map(String))] as const,
    )
    return new Map(entries.toSorted())
  }
  return {
    at(log, position) {
      const rows = new Map<string, readonly Stored[]>()
      for (const entry of log) {
        if (entry.position > position) break
        if (entry.table !== name) continue
        if (entry.after) rows.set(entry.identity, entry.after)
        else rows.delete(entry.identity)
      }
      return toState([...rows.values()])
    },
    async inBackup(taken) {
      const chunks = openChunkStore(taken.place, plainEncoding)
      await using origin = new BackupOrigin(locateBackup(taken), taken.backup, chunks)
      const rows: (readonly Stored[])[] = []
      // No row has octets.
      for await (const batch of readBatches(origin, copied, undefined))
        rows.push(...(batch.rows as Stored[][]))
      return toState(rows)
    },
    async inStore(store) {
      const order = [{ column: '_identity', descending: false }]
      const limits = { after: undefined, limit: 1_000_000, evaluated: [] }
      return toState(await store.list({ table: name, condition: always, order, ...limits }))
    },
  }
}

export async function readLog(store: Store): Promise<readonly ChangeLogEntry[]> {
  const log: ChangeLogEntry[] = []
  for (;;) {
    const page = await store.readChanges(log.at(-1)?.position ?? 0, 1000)
    if (page.length === 0) return log
    log.push(...page)
  }
}
