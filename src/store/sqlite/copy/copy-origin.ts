/** The SQLite file that a copy reads. It is locked, so that no service writes to it. */

import { existsSync } from 'node:fs'
import { highestVersionSql } from '../../copy/copied-table.ts'
import type { CopyCounters, CopyOrigin } from '../../copy/copy-side.ts'
import { hasOnlyEmptyDrops } from '../../schema/migration-plan.ts'
import type { Schema } from '../../schema/table-schema.ts'
import { StoreOpenError } from '../../store.ts'
import { parseSqliteUrl } from '../connection/database-url.ts'
import { type AcquiredFile, acquireFile } from '../open-sqlite.ts'
import { loadPlan } from '../schema/migrate-database.ts'
import { toOpenError } from '../sqlite-failure.ts'
import { SqliteCopySide } from './copy-side.ts'

/** Throws a StoreOpenError where there is no file, a service has it, or it does not fit the schema. */
export async function openSqliteOrigin(url: string, schema: Schema): Promise<CopyOrigin> {
  const location = parseSqliteUrl(url)
  if (!('file' in location) || !existsSync(location.file)) {
    throw new StoreOpenError(`There is no database file at ${url}. Name the one to copy from.`)
  }
  const acquired = acquireFile(location)
  try {
    if (!hasOnlyEmptyDrops(loadPlan(acquired.databaseFile, schema)))
      throw unfitting(acquired.databaseFile.file)
    return new SqliteOrigin(acquired, schema)
  } catch (error) {
    acquired.release()
    throw toOpenError(location.file, error)
  }
}

function unfitting(file: string): StoreOpenError {
  return new StoreOpenError(
    `The database file ${file} does not fit the definition. Name the definition it was last served with, or \`restwell migrate\` it first.`,
  )
}

class SqliteOrigin extends SqliteCopySide implements CopyOrigin {
  readonly #schema: Schema

  constructor(acquired: AcquiredFile, schema: Schema) {
    super(acquired, 'read')
    this.#schema = schema
  }

  counters(): CopyCounters {
    const collections = this.connection.query('select "name", "revision" from "_collections"')
    const revisions = Object.fromEntries(
      collections.map(([name, revision]) => [String(name), Number(revision)]),
    )
    const position = this.#number(
      `select coalesce(max("seq"), 0) from sqlite_sequence where "name" = '_changes'`,
    )
    const version = this.#number(highestVersionSql(this.#schema))
    const entries = Math.max(position, version, ...Object.values(revisions))
    return { position, entries, revisions }
  }

  #number(sql: string): number {
    return Number(this.connection.query(sql)[0]?.[0])
  }
}
