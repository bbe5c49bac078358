/** Creates, drops and fills the join tables of a database. */

import {
  fillJoinTableSql,
  findJoinTableDifference,
  type JoinTable,
  joinTableRecord,
} from '../../schema/join-table-schema.ts'
import type { PlanExtent } from '../../schema/migration-plan.ts'
import type { Schema } from '../../schema/table-schema.ts'
import { quoted } from '../../sql/sql-text.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import { postgresDialect } from '../postgres-dialect.ts'
import { shortenIdentifier } from './identifier.ts'
import { loadRecords, saveRecord } from './stored-records.ts'

/** Drops the join tables that the schema does not have, within the caller's transaction. */
export async function dropStaleJoinTables(
  connection: PostgresConnection,
  schema: Schema,
  extent: PlanExtent,
): Promise<void> {
  const { stale } = findJoinTableDifference(await loadRecords(connection), { schema, extent })
  for (const one of stale) {
    await connection.run(`drop table if exists ${quoted(nameOf(one))}`)
    const sql = 'delete from "_meta" where "name" = $1'
    await connection.rows({ sql, values: [joinTableRecord(one)] })
  }
}

/** Creates the join tables that are missing, and fills them from the columns of the rows. */
export async function createJoinTables(
  connection: PostgresConnection,
  schema: Schema,
  extent: PlanExtent,
): Promise<void> {
  const { lacking } = findJoinTableDifference(await loadRecords(connection), { schema, extent })
  for (const one of lacking) {
    for (const sql of createSql(one)) await connection.run(sql)
    await saveRecord(connection, joinTableRecord(one), one.target)
  }
}

function nameOf({ table, column }: JoinTable): string {
  return postgresDialect.joinTable(table, column)
}

/** The reference to the target is deferrable for transactions that delete rows of both tables. */
function createSql(one: JoinTable): readonly string[] {
  const { table, target } = one
  const name = nameOf(one)
  const text = 'text collate "C" not null'
  const item = `"item" ${text} references ${quoted(table)} ("_identity") on delete cascade`
  const referred = `"target" ${text} references ${quoted(target)} ("_identity") deferrable initially immediate`
  const index = quoted(shortenIdentifier(`${name}:target`))
  return [
    `create table ${quoted(name)} (${item}, ${referred}, primary key ("item", "target"))`,
    `create index ${index} on ${quoted(name)} ("target", "item")`,
    fillJoinTableSql(name, one, postgresDialect.elementsItem),
  ]
}
