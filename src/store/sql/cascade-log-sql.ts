/** Log entries of the rows that a deletion deletes or whose references it clears. */

import { type LoggedAttribution, logColumns } from './change-log-sql.ts'
import { ROW } from './condition-sql.ts'
import { loggedMembers, loggedValueSql } from './logged-values.ts'
import { bindRaw, knownColumn, quoted, type SqlBuilder, type Statement } from './sql-text.ts'
import {
  clearedValueSql,
  createBuilder,
  type RowSelection,
  rowsSql,
  type WriteStatements,
} from './write-sql.ts'

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
  const changed = [...rows.map(({ column }) => column), knownColumn(table, 'updatedAt')]
  const before = changed.map((column) => [column.name, loggedValueSql(column)] as const)
  const clearing = new Map(rows.map((row) => [row.column.name, row]))
  // Parameters are numbered in the order of the text.
  const after = loggedMembers(table).map(([name, value]) => {
    const row = clearing.get(name)
    if (row !== undefined) return [name, clearedValueSql(builder, row)] as const
    return [name, name === 'updatedAt' ? typedText(builder, deletion.at) : value] as const
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

/** PostgreSQL cannot infer the type of a parameter that is only selected. */
function typedText(builder: SqlBuilder, value: string | null): string {
  return `cast(${bindRaw(builder, value)} as text)`
}

function logStatement(builder: SqlBuilder, rows: Selections, selected: readonly string[]): Statement {
  const from = `${quoted(rows[0].table.name)} ${ROW} where ${rowsSql(builder, rows)}`
  const order = `order by ${ROW}."_identity"`
  const sql = `insert into "_changes" (${logColumns}) select ${selected.join(', ')} from ${from} ${order}`
  return { sql, values: builder.values }
}
