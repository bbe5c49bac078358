/**
 * The record in `_meta` that a start has found the file to fit a definition. Its digest covers
 * all that a plan depends on, so a start with the same digest needs no plan.
 */

import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from '../../../package-paths.ts'
import { memoizeByObject } from '../../../tools/memoize.ts'
import { instanceRecord } from '../../schema/lost-positions.ts'
import type { KeptObjects } from '../../schema/migration-plan.ts'
import { formatSchema, type Schema } from '../../schema/table-schema.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { loadRecords, saveRecord } from './stored-records.ts'

interface FitRecord {
  readonly digest: string
  /** The objects that the start has kept, so that later starts can log them too. */
  readonly kept: KeptObjects
}

/** The name of the record in `_meta`. */
const fitRecord = 'fit'

/** The objects that the last start has kept; undefined where a plan is needed. */
export function findFit(connection: SqliteConnection, schema: Schema): KeptObjects | undefined {
  const text = loadRecords(connection).get(fitRecord)
  if (text === undefined) return undefined
  const { digest, kept }: FitRecord = JSON.parse(text)
  return digest === digestOf(connection, schema) ? kept : undefined
}

/** Records that the file fits the schema; called after a start has taken its steps. */
export function recordFit(connection: SqliteConnection, schema: Schema, kept: KeptObjects): void {
  const record: FitRecord = { digest: digestOf(connection, schema), kept }
  saveRecord(connection, fitRecord, JSON.stringify(record))
}

/**
 * Covers the text of the file's schema, not its `schema_version`, which a file that was restored
 * from a changed dump can share. A plan depends on rows only where something differs.
 */
function digestOf(connection: SqliteConnection, schema: Schema): string {
  const objects = 'select "type", "name", "tbl_name", "sql" from sqlite_schema order by 1, 2'
  const records = `select "name", "value" from "_meta" where "name" not in ('${fitRecord}', 'probe', '${instanceRecord}') order by 1`
  const collections = 'select "name" from "_collections" order by 1'
  const contents = [objects, records, collections].map((sql) => connection.query(sql))
  return hash('sha256', JSON.stringify([version(), digestOfSchema(schema), contents]))
}

const digestOfSchema = memoizeByObject((schema: Schema) => hash('sha256', formatSchema(schema)))

/** Part of the digest, because another version of Restwell may plan other steps. */
function version(): string {
  return JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')).version
}
