/** Changes a row and inserts its log entry in one statement, which saves round trips. */

import { IDENTITY, UPDATED_AT, VERSION } from '../../../definition/model.ts'
import { hasRefs } from '../../schema/join-tables.ts'
import type { Schema, Table } from '../../schema/table-schema.ts'
import { formatChange, type LoggedAttribution, logColumns } from '../../sql/change-log-sql.ts'
import { hasKeyColumn } from '../../sql/former-ids.ts'
import { knownTable, type Statement } from '../../sql/sql-text.ts'
import type { WriteStatements } from '../../sql/write-sql.ts'
import type { UpdateWrite, Write } from '../../write.ts'

export interface SingleReplace {
  readonly table: Table
  readonly write: UpdateWrite
}

/** The writes as one change of a row; undefined if more must be checked or written. */
export function findSingleReplace(schema: Schema, writes: readonly Write[]): SingleReplace | undefined {
  const [write] = writes.length === 1 ? writes : []
  if (write?.kind !== 'update' || write.conditionAfter.kind !== 'always') return undefined
  const table = knownTable(schema, write.table)
  if (!table.isLogged || hasKeyColumn(table) || table.search.length > 0 || hasRefs(table)) return undefined
  return { table, write }
}

/** Returns the statement, which returns a row if it changed one. */
export function singleReplaceStatement(
  statements: WriteStatements,
  { table, write }: SingleReplace,
  { actor, request }: LoggedAttribution,
): Statement {
  const { identity, action = null, previous } = write
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
