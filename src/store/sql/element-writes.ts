/** Keeps the join tables of sets of references equal to the columns of a written row. */

import { IDENTITY, type Stored } from '../../definition/model.ts'
import { type RefsColumn, refsColumnsOf } from '../schema/join-table-schema.ts'
import type { Table } from '../schema/table-schema.ts'
import { columnIndex, quoted, type Statement } from './sql-text.ts'
import type { StatementProgram, WriteContext } from './statement-program.ts'
import type { WriteStatements } from './write-sql.ts'

const emptySet = '[]'

/** Inserts the elements of a new row. */
export function* insertElements(
  { statements }: WriteContext,
  table: Table,
  values: readonly Stored[],
): StatementProgram<void> {
  for (const column of refsColumnsOf(table)) {
    const set = setIn(table, column, values)
    if (set !== emptySet) yield insertStatement(statements, table, column, [identityIn(values), set])
  }
}

/** Deletes the former elements of a changed row, and inserts the new ones. */
export function* replaceElements(
  context: WriteContext,
  table: Table,
  values: readonly Stored[],
): StatementProgram<void> {
  const { dialect } = context.statements
  for (const column of refsColumnsOf(table)) {
    const join = quoted(dialect.joinTable(table.name, column.name))
    const [item, set] = [dialect.placeholder(1), dialect.placeholder(2)]
    const sql = `delete from ${join} where "item" = ${item} and "target" not in (${dialect.jsonElements(set)})`
    yield { sql, values: [identityIn(values), setIn(table, column, values)] }
  }
  yield* insertElements(context, table, values)
}

function insertStatement(
  { dialect }: WriteStatements,
  table: Table,
  column: RefsColumn,
  values: readonly [identity: string, set: string],
): Statement {
  const join = quoted(dialect.joinTable(table.name, column.name))
  const [item, set] = [dialect.placeholder(1), dialect.placeholder(2)]
  const members = `select ${dialect.castParameter(item, column)}, j."value" from ${dialect.elementsItem(set)}`
  // `where true`, because SQLite would read ON as part of a join.
  const sql = `insert into ${join} ("item", "target") ${members} where true on conflict do nothing`
  return { sql, values }
}

function identityIn(values: readonly Stored[]): string {
  return String(values[IDENTITY])
}

function setIn(table: Table, { name }: RefsColumn, values: readonly Stored[]): string {
  return String(values[columnIndex(table, name)] ?? emptySet)
}
