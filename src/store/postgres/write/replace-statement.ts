/** Changes a row and inserts its log entry in one statement, which saves round trips. */

import { IDENTITY, UPDATED_AT, VERSION } from '../../../definition/model.ts'
import { hasRefs } from '../../schema/join-table-schema.ts'
import type { Schema, Table } from '../../schema/table-schema.ts'
import {
  formatAttribution,
  formatChange,
  type LoggedAttribution,
  logColumns,
} from '../../sql/change-log-sql.ts'
import { hasKeyColumn } from '../../sql/former-ids.ts'
import { knownTable, type Statement } from '../../sql/sql-text.ts'
import type { WriteStatements } from '../../sql/write-sql.ts'
import type { UpdateWrite, Write } from '../../write.ts'

export interface RowReplacement {
  readonly table: Table
  readonly write: UpdateWrite
}

/** The writes as changes of one row, each of the one before it; undefined if more must be checked or written. */
export function findReplacements(
  schema: Schema,
  writes: readonly Write[],
): readonly RowReplacement[] | undefined {
  const [first] = writes
  const replacements = writes.flatMap((write) => {
    if (write.kind !== 'update' || first?.kind !== 'update' || write.identity !== first.identity) return []
    const table = knownTable(schema, write.table)
    return write.table === first.table && isReplaceable(table, write) ? [{ table, write }] : []
  })
  return replacements.length === writes.length ? replacements : undefined
}

function isReplaceable(table: Table, { conditionAfter }: UpdateWrite): boolean {
  if (conditionAfter.kind !== 'always' || !table.isLogged) return false
  return !hasKeyColumn(table) && table.search.length === 0 && !hasRefs(table)
}

/** Returns the statement, which returns a row if it changed one. */
export function replacementStatement(
  statements: WriteStatements,
  { table, write }: RowReplacement,
  transaction: LoggedAttribution,
): Statement {
  const { identity, action = null, previous, attribution } = write
  const { actor, request } = attribution ? formatAttribution(attribution) : transaction
  const version = write.version + 1
  const row = write.values.with(IDENTITY, identity).with(VERSION, version)
  const { sql, values } = statements.update(table, write, row)
  const { before, after } = formatChange(table, previous, row)
  const [id, number, ...texts] = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => `$${values.length + number}`)
  const entry = [`${id}::text, ${id}::text, ${number}::bigint`, ...texts.map((one) => `${one}::text`)]
  // The name of a collection has only letters, digits and hyphens.
  const log = `insert into "_changes" (${logColumns}) select 'replaced', '${table.name}', ${entry.join(', ')} from "_changed"`
  return {
    sql: `with "_changed" as (${sql}) ${log} returning 1`,
    values: [...values, identity, version, row[UPDATED_AT] ?? null, action, actor, request, before, after],
  }
}
