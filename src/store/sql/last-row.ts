/** The last row that satisfies the condition of a schema, such as the last administrator: it stays. */

import { evaluateCondition } from '../evaluate-condition.ts'
import type { Schema, Table } from '../schema/table-schema.ts'
import type { Write } from '../write.ts'
import { knownTable } from './sql-text.ts'
import type { StatementProgram, WriteContext } from './statement-program.ts'
import { existsStatement, satisfyingStatement } from './write-sql.ts'

/** Whether the row may satisfy the condition before the write, and not after it. A deletion may delete such rows. */
export function mayTakeLastRow({ tables, lastRow }: Schema, write: Write): boolean {
  if (lastRow === undefined) return false
  // Other rows are deleted with it only where references lead to its table, which is known later.
  if (write.kind === 'delete') return write.table === lastRow.table
  if (write.kind !== 'update' || write.table !== lastRow.table) return false
  const table = tables[lastRow.table] as Table
  return (
    evaluateCondition(table, write.previous, lastRow.condition) !== false &&
    evaluateCondition(table, write.values, lastRow.condition) !== true
  )
}

/** Notes the rows that satisfy the condition among those that are about to be deleted. */
export function* noteLastRows(
  { statements, lastRows }: WriteContext,
  deleted: ReadonlyMap<Table, ReadonlySet<string>>,
): StatementProgram<void> {
  const { lastRow } = statements.schema
  if (lastRow === undefined) return
  const table = knownTable(statements.schema, lastRow.table)
  const within = [...(deleted.get(table) ?? [])]
  if (within.length === 0) return
  const found = yield satisfyingStatement(statements, table, within, lastRow.condition)
  for (const [identity] of found) lastRows.add(String(identity))
}

/** Whether a row satisfies the condition now. */
export function* hasLastRow({ statements }: WriteContext): StatementProgram<boolean> {
  const { lastRow } = statements.schema
  if (lastRow === undefined) return true
  const table = knownTable(statements.schema, lastRow.table)
  const [found] = yield existsStatement(statements, table, lastRow.condition)
  return found !== undefined
}
