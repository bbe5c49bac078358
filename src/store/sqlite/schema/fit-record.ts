/**
 * The record, kept in `_meta`, that a start has found a file to fit a definition. Its digest covers
 * everything that a plan is made from, so that a start with the same digest needs no plan.
 */

import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from '../../../package-paths.ts'
import { memoizeByObject } from '../../../tools/memoize.ts'
import type { KeptObjects } from '../../schema/migration-plan.ts'
import { formatSchema, type Schema } from '../../schema/table-schema.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { queryRows } from './existing-tables.ts'

interface FitRecord {
  readonly digest: string
  /** What the start has left alone, so that later starts can log it too. */
  readonly kept: KeptObjects
}

/** The name of the record in `_meta`. */
const FIT = 'fit'

/** The objects that the last start left alone; undefined where a plan is needed. */
export function findFit(connection: SqliteConnection, schema: Schema): KeptObjects | undefined {
  const [row] = queryRows(connection, `select "value" from "_meta" where "name" = '${FIT}'`)
  if (row === undefined) return undefined
  const { digest, kept }: FitRecord = JSON.parse(String(row[0]))
  return digest === digestOf(connection, schema) ? kept : undefined
}

/** Records that the file fits the schema; called after a start has taken its steps. */
export function recordFit(connection: SqliteConnection, schema: Schema, kept: KeptObjects): void {
  const record: FitRecord = { digest: digestOf(connection, schema), kept }
  const newest = 'on conflict ("name") do update set "value" = excluded."value"'
  connection.database
    .prepare(`insert into "_meta" ("name", "value") values ('${FIT}', ?) ${newest}`)
    .run(JSON.stringify(record))
}

/**
 * The text of the file's schema is compared, and not its `schema_version`: a file that is restored
 * from a changed dump can have the same number. Rows matter to a plan only where something differs.
 */
function digestOf(connection: SqliteConnection, schema: Schema): string {
  const objects = 'select "type", "name", "tbl_name", "sql" from sqlite_schema order by 1, 2'
  const records = `select "name", "value" from "_meta" where "name" not in ('${FIT}', 'probe') order by 1`
  const collections = 'select "name" from "_collections" order by 1'
  const found = [objects, records, collections].map((sql) => queryRows(connection, sql))
  return hash('sha256', JSON.stringify([version(), digestOfSchema(schema), found]))
}

const digestOfSchema = memoizeByObject((schema: Schema) => hash('sha256', formatSchema(schema)))

/** Another version of Restwell may plan otherwise. */
function version(): string {
  return JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')).version
}
