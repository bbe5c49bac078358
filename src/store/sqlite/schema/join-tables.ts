/** Creates, drops and fills the join tables of a file. */

import {
  fillJoinTableSql,
  findJoinTableDifference,
  formatJoinTableName,
  type JoinTable,
  joinTableRecord,
} from '../../schema/join-table-schema.ts'
import type { PlanExtent } from '../../schema/migration-plan.ts'
import type { Schema } from '../../schema/table-schema.ts'
import { quoted } from '../../sql/sql-text.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { sqliteDialect } from '../sqlite-dialect.ts'
import { loadRecords, saveRecord } from './stored-records.ts'

/** Drops the join tables that the schema does not have, within the caller's transaction. */
export function dropStaleJoinTables(connection: SqliteConnection, schema: Schema, extent: PlanExtent): void {
  for (const one of findJoinTableDifference(loadRecords(connection), { schema, extent }).stale) {
    connection.database.exec(`drop table if exists ${nameSql(one)}`)
    connection.cachedStatement('delete from "_meta" where "name" = ?').run(joinTableRecord(one))
  }
}

/** Creates the join tables that are missing, and fills them from the columns of the rows. */
export function createJoinTables(connection: SqliteConnection, schema: Schema, extent: PlanExtent): void {
  for (const one of findJoinTableDifference(loadRecords(connection), { schema, extent }).lacking) {
    for (const sql of createSql(one)) connection.database.exec(sql)
    saveRecord(connection, joinTableRecord(one), one.target)
  }
}

function nameSql({ table, column }: JoinTable): string {
  return quoted(formatJoinTableName(table, column))
}

function createSql(one: JoinTable): readonly string[] {
  const { table, column, target } = one
  const name = formatJoinTableName(table, column)
  const item = `"item" text not null references ${quoted(table)} ("_identity") on delete cascade`
  const referred = `"target" text not null references ${quoted(target)} ("_identity")`
  return [
    `create table ${quoted(name)} (${item}, ${referred}, primary key ("item", "target")) without rowid`,
    `create index ${quoted(`${name}:target`)} on ${quoted(name)} ("target", "item")`,
    fillJoinTableSql(name, one, sqliteDialect.elementsItem),
  ]
}
