/** Log entries of the rows that a deletion deletes or whose references it clears. */

import { type LoggedAttribution, logColumns } from './change-log-sql.ts'
import { clearedValueSql, stampedColumns, stampSql, typedText } from './clear-references-sql.ts'
import { ROW } from './condition-sql.ts'
import { loggedMembers, loggedValueSql } from './logged-values.ts'
import { bindRaw, quoted, type SqlBuilder, type Statement } from './sql-text.ts'
import { createBuilder, type RowSelection, rowsSql, type WriteStatements } from './write-sql.ts'

/** When the deletion happens and who makes it. */
export interface Deletion extends LoggedAttribution {
  readonly at: string
}

/** Inserts entries for rows before they are deleted. */
export function logRemovedStatement(
  statements: WriteStatements,
  rows: RowSelection,
  deletion: Deletion,
): Statement {
  const builder = createBuilder(statements)
  const { table } = rows
  const head = entryHead(builder, rows, { ...deletion, kind: 'removed', version: `${ROW}."_version"` })
  const values = [builder.dialect.jsonObject(loggedMembers(table)), 'null']
  return logStatement(builder, [rows], [...head, ...values])
}

type Selections = readonly [RowSelection, ...RowSelection[]]

/** Inserts entries for rows before their references are cleared. */
export function logClearedStatement(
  statements: WriteStatements,
  rows: Selections,
  deletion: Deletion,
): Statement {
  const builder = createBuilder(statements)
  const { table } = rows[0]
  const version = `${ROW}."_version" + 1`
  const head = entryHead(builder, rows[0], { ...deletion, kind: 'replaced', version })
  // The version of an entry is a column of its own.
  const stamped = new Map(
    stampedColumns(table).flatMap((one) => (one.name === '_version' ? [] : [[one.name, one]])),
  )
  const changed = [...rows.map(({ column }) => column), ...stamped.values()]
  const before = changed.map((column) => [column.name, loggedValueSql(column)] as const)
  const clearing = new Map(rows.map((row) => [row.column.name, row]))
  // Parameters are numbered in the order of the text.
  const after = loggedMembers(table).map(([name, value]) => {
    const row = clearing.get(name)
    if (row !== undefined) return [name, clearedValueSql(builder, row)] as const
    const stamp = stamped.get(name)
    return [name, stamp ? stampSql(builder, rows, stamp, deletion.at) : value] as const
  })
  const { jsonObject } = builder.dialect
  return logStatement(builder, rows, [...head, jsonObject(before), jsonObject(after)])
}

interface EntryHead extends Deletion {
  readonly kind: 'removed' | 'replaced'
  /** An SQL expression. */
  readonly version: string
}

/** The columns of an entry up to the values. */
function entryHead(builder: SqlBuilder, { table }: RowSelection, entry: EntryHead): readonly string[] {
  return [
    bindRaw(builder, entry.kind),
    bindRaw(builder, table.name),
    `${ROW}."_identity"`,
    `cast(${ROW}.${quoted(table.idColumn)} as text)`,
    entry.version,
    typedText(builder, entry.at),
    'null',
    typedText(builder, entry.actor),
    typedText(builder, entry.request),
  ]
}

function logStatement(builder: SqlBuilder, rows: Selections, selected: readonly string[]): Statement {
  const from = `${quoted(rows[0].table.name)} ${ROW} where ${rowsSql(builder, rows)}`
  const order = `order by ${ROW}."_identity"`
  const sql = `insert into "_changes" (${logColumns}) select ${selected.join(', ')} from ${from} ${order}`
  return { sql, values: builder.values }
}
