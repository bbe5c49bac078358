/** A SQLite file that is copied from: held, so that no service writes to it meanwhile. */

import { existsSync } from 'node:fs'
import { highestVersionSql } from '../../copy/copied-table.ts'
import type { Counters, Origin } from '../../copy/copy-end.ts'
import { isCopied } from '../../schema/migration-plan.ts'
import type { Schema } from '../../schema/table-schema.ts'
import { StoreOpenError } from '../../store.ts'
import { parseSqliteUrl } from '../connection/location.ts'
import { type HeldFile, holdFile } from '../open-sqlite.ts'
import { rowsOf } from '../schema/existing-tables.ts'
import { planOf } from '../schema/migrate-file.ts'
import { faultAt } from '../sqlite-failure.ts'
import { SqliteEnd } from './copy-end.ts'

/** Throws a StoreOpenError where there is no file, a service has it, or it does not fit the schema. */
export async function openSqliteOrigin(url: string, schema: Schema): Promise<Origin> {
  const location = parseSqliteUrl(url)
  if (!('file' in location) || !existsSync(location.file)) {
    throw new StoreOpenError(`There is no database file at ${url}. Name the one to copy from.`)
  }
  const held = holdFile(location)
  try {
    if (!isCopied(planOf(held.place, schema))) throw unfitting(held.place.file)
    return new SqliteOrigin(held, schema)
  } catch (error) {
    held.release()
    throw faultAt(location.file, error)
  }
}

function unfitting(file: string): StoreOpenError {
  return new StoreOpenError(
    `The database file ${file} does not fit the definition. Name the definition it was last served with, or \`restwell migrate\` it first.`,
  )
}

class SqliteOrigin extends SqliteEnd implements Origin {
  readonly #schema: Schema

  constructor(held: HeldFile, schema: Schema) {
    super(held, 'read')
    this.#schema = schema
  }

  counters(): Counters {
    const collections = rowsOf(this.connection, 'select "name", "revision" from "_collections"')
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
    return Number(rowsOf(this.connection, sql)[0]?.[0])
  }
}
