/** Deletes the rows of built-in tables whose time is over, in steps that delay writers little. */

import { queueName } from '../definition/delivery-resources.ts'
import { IDENTITY, type Model, type ResourceModel } from '../definition/model.ts'
import { all, always, type Condition, compares, equals } from '../store/condition.ts'
import { deleteRow } from '../store/row-fields.ts'
import type { Store } from '../store/store.ts'
import { listRows } from '../store/table-rows.ts'
import { withStatus } from './queued-work.ts'

/** Rows of a step. */
const maxPruned = 100

export interface RowPruning {
  readonly model: Model
  readonly store: Store
  /** In milliseconds. */
  readonly now: number
}

/** Deletes all rows whose time is over, and parked work that is as old, unless the signal ends it. */
export async function pruneRows(pruning: RowPruning, signal: AbortSignal): Promise<void> {
  for (const kept of keptRowsOf(pruning.model)) {
    while (!signal.aborted && (await pruneStep(pruning, kept)));
  }
}

/** The rows of a table that are deleted some time after the time in a field. */
interface KeptRows {
  readonly table: ResourceModel
  readonly field: string
  readonly seconds: number
  readonly only: Condition
  /** The rows of another table that are deleted with them, by the field with their identity. */
  readonly parts: { readonly table: ResourceModel; readonly field: string } | undefined
}

function keptRowsOf({ resources, ownTables, logRetention }: Model): readonly KeptRows[] {
  const queue = ownTables.get(queueName)
  const secondsOf = (time: number | 'log') => (time === 'log' ? logRetention : time)
  return [...resources.values(), ...ownTables.values()].flatMap((table): readonly KeptRows[] => {
    const { keptFor: kept, parkedWork: parked } = table.traits
    const parts = kept?.parts && ownTables.get(kept.parts.table)
    const rows = kept && {
      table,
      field: kept.field,
      seconds: secondsOf(kept.seconds),
      only: always,
      parts: parts && { table: parts, field: kept.parts.field },
    }
    const work = parked &&
      queue && {
        table: queue,
        field: 'updatedAt',
        seconds: secondsOf(parked.seconds),
        only: withStatus(parked, 'parked'),
        parts: undefined,
      }
    return [rows, work].filter((one) => one !== undefined)
  })
}

/** Deletes some of the rows; whether there may be more. Another node may delete them at the same time. */
async function pruneStep({ store, now }: RowPruning, kept: KeptRows): Promise<boolean> {
  const { table, field, seconds, only, parts } = kept
  const before = new Date(now - seconds * 1000).toISOString()
  const isOver = compares([field], 'lt', before)
  const at = new Date(now).toISOString()
  const identities = await deleteRows(store, table, all([isOver, only]), at)
  for (const identity of parts ? identities : []) {
    while (parts && (await deleteRows(store, parts.table, equals([parts.field], identity), at)).length > 0);
  }
  return identities.length === maxPruned
}

/** The identities of the rows that were deleted. */
async function deleteRows(
  store: Store,
  table: ResourceModel,
  condition: Condition,
  at: string,
): Promise<readonly string[]> {
  const rows = await listRows(store, table, { condition, limit: maxPruned })
  if (rows.length === 0) return []
  const deletions = rows.map((row) => deleteRow(table, row, at))
  const { kind } = await store.write(deletions, { actor: { name: 'expiry' } })
  return kind === 'done' ? rows.map((row) => String(row[IDENTITY])) : []
}
