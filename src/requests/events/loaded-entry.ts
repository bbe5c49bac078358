/** Entries of the change log with what every reader of them needs, loaded once for all readers. */

import { IDENTITY, type Model, type ResourceModel, VERSION } from '../../definition/model.ts'
import type { ChangeLogEntry } from '../../store/change-log.ts'
import { isOneOf } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import type { Store } from '../../store/store.ts'
import { listRows } from '../../store/table-rows.ts'
import { createRowEvaluator, type EvaluatorSource, type RowEvaluator } from './row-evaluator.ts'

/** The change log of a service. */
export interface LogSource extends EvaluatorSource {
  readonly model: Model
}

export interface LoadedEntry {
  readonly entry: ChangeLogEntry
  readonly resource: ResourceModel
  /** The row before and after the change; undefined where there was none, or its values were not logged. */
  readonly before: RowEvaluator | undefined
  readonly after: RowEvaluator | undefined
  /** The row as it is now; undefined where it was deleted since. */
  readonly present: RowEvaluator | undefined
}

/** The entries of tables that are resources and that `isWanted`. */
export async function loadEntries(
  source: LogSource,
  entries: readonly ChangeLogEntry[],
  isWanted: (table: string) => boolean,
): Promise<readonly LoadedEntry[]> {
  const { model, store } = source
  const wanted = entries.filter(({ table }) => isWanted(table))
  const byTable = Map.groupBy(wanted, ({ table }) => table)
  const rows = new Map<string, Row>()
  for (const [table, some] of byTable) {
    if (!model.resources.has(table)) continue
    for (const row of await loadPresentRows(store, table, some)) rows.set(keyOf(table, row[IDENTITY]), row)
  }
  return wanted.flatMap((entry) => {
    const resource = model.resources.get(entry.table)
    if (!resource) return []
    const evaluatorOf = (row: Row | undefined) => row && createRowEvaluator(source, resource, row)
    const after = evaluatorOf(entry.after)
    const row = rows.get(keyOf(entry.table, entry.identity))
    const isLatest = row !== undefined && row[VERSION] === entry.version
    const present = isLatest && after ? after : evaluatorOf(row)
    return [{ entry, resource, before: evaluatorOf(entry.before), after, present }]
  })
}

function keyOf(table: string, identity: unknown): string {
  return `${table} ${identity}`
}

async function loadPresentRows(
  store: Store,
  table: string,
  entries: readonly ChangeLogEntry[],
): Promise<readonly Row[]> {
  const values = [...new Set(entries.filter(({ after }) => after).map(({ identity }) => identity))]
  if (values.length === 0) return []
  const condition = isOneOf(['_identity'], values)
  return listRows(store, { name: table }, { condition, limit: values.length })
}
