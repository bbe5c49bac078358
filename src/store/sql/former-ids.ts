/**
 * Former ids of rows, in the table `_moves`. Each maps to the identity of its row, so that every
 * former id leads to the present one however often it changed. The id of a present row is never a
 * former id.
 */

import { IDENTITY, type Stored } from '../../definition/model.ts'
import type { Table } from '../schema/table-schema.ts'
import { columnIndex, quoted, type Statement } from './sql-text.ts'
import type { StatementProgram, WriteContext } from './statement-program.ts'
import type { WriteStatements } from './write-sql.ts'

/** Whether the ids of the rows are values of a key field, which may change. */
export function hasKeyColumn({ idColumn }: Table): boolean {
  return idColumn !== '_identity'
}

/** The present id of the row; undefined where the row does not exist. */
export function* loadId(
  { statements }: WriteContext,
  table: Table,
  identity: string,
): StatementProgram<string | undefined> {
  const parameter = statements.dialect.placeholder(1)
  const sql = `select ${quoted(table.idColumn)} from ${quoted(table.name)} where "_identity" = ${parameter}`
  const [found] = yield { sql, values: [identity] }
  return found === undefined ? undefined : String(found[0])
}

/** Records that the row with these values had the id `before`; undefined for a new row. */
export function* recordFormerId(
  { statements }: WriteContext,
  table: Table,
  values: readonly Stored[],
  before: string | undefined,
): StatementProgram<void> {
  const id = String(values[columnIndex(table, table.idColumn)])
  if (id === before) return
  yield atId(statements, 'delete from "_moves"', table, id)
  if (before === undefined) return
  // A tombstone at the former id is older than this row.
  yield atId(statements, 'delete from "_tombstones"', table, before)
  yield moveStatement(statements, table, before, String(values[IDENTITY]))
}

/** Deletes the former ids of deleted rows. */
export function deleteFormerIdsStatement(
  { dialect }: WriteStatements,
  table: Table,
  identities: readonly string[],
): Statement {
  const [name, list] = [dialect.placeholder(1), dialect.placeholder(2)]
  const sql = `delete from "_moves" where "table" = ${name} and "identity" in (${dialect.jsonElements(list)})`
  return { sql, values: [table.name, JSON.stringify(identities)] }
}

function atId({ dialect }: WriteStatements, verb: string, table: Table, id: string): Statement {
  const [name, parameter] = [dialect.placeholder(1), dialect.placeholder(2)]
  const sql = `${verb} where "table" = ${name} and "id" = ${parameter}`
  return { sql, values: [table.name, id] }
}

function moveStatement({ dialect }: WriteStatements, table: Table, id: string, identity: string): Statement {
  const parameters = [1, 2, 3].map((number) => dialect.placeholder(number)).join(', ')
  const newest = 'on conflict ("table", "id") do update set "identity" = excluded."identity"'
  const sql = `insert into "_moves" ("table", "id", "identity") values (${parameters}) ${newest}`
  return { sql, values: [table.name, id, identity] }
}
