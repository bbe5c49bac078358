/**
 * Rows that were given another id: what stood at the old one is found by its identity, so that
 * however often it moves on, each old id leads to where it is now, and none leads in a circle.
 * The id of a row that is there is never a moved one.
 */

import { IDENTITY, type Stored } from '../../definition/model.ts'
import type { Table } from '../schema/table-schema.ts'
import { columnIndex, quoted, type Statement } from './sql-text.ts'
import type { StatementProgram, WriteContext } from './statement-program.ts'
import type { WriteStatements } from './write-sql.ts'

/** Whether the ids of its rows are not their identities, and may change. */
export function hasClientChosenIds({ idColumn }: Table): boolean {
  return idColumn !== '_identity'
}

/** What the row's URI ends in before it is changed, in a table whose rows are named. */
export function* loadId(
  { statements }: WriteContext,
  table: Table,
  identity: string,
): StatementProgram<string | undefined> {
  const place = statements.dialect.placeholder(1)
  const sql = `select ${quoted(table.idColumn)} from ${quoted(table.name)} where "_identity" = ${place}`
  const [found] = yield { sql, values: [identity] }
  return found === undefined ? undefined : String(found[0])
}

/** Of a row of such a table that now has these values, and had that id before if it is not new. */
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
  // What was removed at the old id was there before this one, and is not what a client looks for.
  yield atId(statements, 'delete from "_tombstones"', table, before)
  yield moveStatement(statements, table, before, String(values[IDENTITY]))
}

/** Of rows that are gone: nothing leads to them any more. */
export function deleteFormerIdsStatement(
  { dialect }: WriteStatements,
  table: Table,
  identities: readonly string[],
): Statement {
  const [name, list] = [dialect.placeholder(1), dialect.placeholder(2)]
  const sql = `delete from "_moves" where "table" = ${name} and "identity" in (${dialect.elements(list)})`
  return { sql, values: [table.name, JSON.stringify(identities)] }
}

function atId({ dialect }: WriteStatements, verb: string, table: Table, id: string): Statement {
  const [name, place] = [dialect.placeholder(1), dialect.placeholder(2)]
  const sql = `${verb} where "table" = ${name} and "id" = ${place}`
  return { sql, values: [table.name, id] }
}

function moveStatement(
  { dialect }: WriteStatements,
  table: Table,
  id: string,
  identity: string,
): Statement {
  const places = [1, 2, 3].map((place) => dialect.placeholder(place)).join(', ')
  const newest = 'on conflict ("table", "id") do update set "identity" = excluded."identity"'
  const sql = `insert into "_moves" ("table", "id", "identity") values (${places}) ${newest}`
  return { sql, values: [table.name, id, identity] }
}
