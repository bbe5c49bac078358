/** The database of the tests: SQLite, or PostgreSQL with `TEST_DATABASE=postgres`. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import pg from 'pg'
import type { Observer } from '../src/observation.ts'
import { openStore } from '../src/store/open-store.ts'
import { parsePostgresUrl } from '../src/store/postgres/connection/database-url.ts'
import type { Schema } from '../src/store/schema/table-schema.ts'
import { openSqliteStore } from '../src/store/sqlite/open-sqlite.ts'
import type { Store } from '../src/store/store.ts'

export const onPostgres = process.env.TEST_DATABASE === 'postgres'

/** Loaded outside of every test, so that the server stops after the last one. */
const server = onPostgres ? await import('./postgres.ts') : undefined

/** Returns the URL of an unused database. */
export async function freshDatabase(): Promise<string> {
  if (server === undefined) return 'file::memory:'
  return (await server.postgres()).freshUrl()
}

/** Returns the URL of an unused database that a service can open again, until the test ends. */
export async function lastingDatabase(t: TestContext): Promise<string> {
  if (onPostgres) return freshDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'restwell-database-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return `file:${join(folder, 'service.db')}`
}

/** Returns the rows of a statement, read past the store and its service. */
export async function readRows(database: string, sql: string): Promise<readonly (readonly unknown[])[]> {
  if (onPostgres) return readPostgresRows(database, sql)
  const connection = new DatabaseSync(database.slice('file:'.length), { readOnly: true, returnArrays: true })
  try {
    return connection.prepare(sql).all() as unknown as readonly (readonly unknown[])[]
  } finally {
    connection.close()
  }
}

async function readPostgresRows(database: string, sql: string): Promise<readonly (readonly unknown[])[]> {
  const { hosts, schema } = parsePostgresUrl(database)
  const client = new pg.Client(hosts[0])
  await client.connect()
  try {
    await client.query(`set search_path to "${schema}"`)
    return (await client.query({ text: sql, rowMode: 'array' })).rows
  } finally {
    await client.end()
  }
}

export interface StoreOptions {
  readonly notice?: Observer
  /** The time limit of a statement in milliseconds. */
  readonly statementLimit?: number
}

export async function openTestStore(schema: Schema, options: StoreOptions = {}): Promise<Store> {
  const { notice = () => undefined, statementLimit } = options
  if (server === undefined) return openSqliteStore({ temporary: true, schema, ...options, observe: notice })
  const limit = statementLimit === undefined ? '' : `&statement_timeout=${statementLimit}`
  return openStore(`${await freshDatabase()}${limit}`, schema, notice)
}
