/** Databases of a test by name, of which copies are served: files in a folder, or databases of the PostgreSQL server. */

import { copyFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import pg from 'pg'
import { parsePostgresUrl } from '../../src/store/postgres/connection/database-url.ts'
import { freshDatabase, onPostgres } from '../database.ts'
import { type SettledLog, settledLogOf } from '../settled-log.ts'

export interface NamedDatabases {
  urlOf(name: string): string
  /** Creates an empty database. */
  create(name: string): Promise<void>
  /** Copies a database that no service has open. */
  copy(from: string, to: string): Promise<void>
  remove(name: string): Promise<void>
  /** Resolves when the change log shows every change. */
  settled(name: string): Promise<void>
}

/** The folder has the files, or its name is part of the names on the server. */
export async function namedDatabases(folder: string): Promise<NamedDatabases> {
  return onPostgres ? databasesOnServer(await freshDatabase(), basename(folder)) : databasesIn(folder)
}

function databasesIn(folder: string): NamedDatabases {
  const file = (name: string) => join(folder, `${name}.db`)
  return {
    urlOf: (name) => `file:${file(name)}`,
    // Opening it creates it.
    create: async () => undefined,
    copy: (from, to) => copyFile(file(from), file(to)),
    async remove(name) {
      for (const end of ['', '-lock']) await rm(`${file(name)}${end}`, { force: true })
    },
    settled: async () => undefined,
  }
}

function databasesOnServer(url: string, prefix: string): NamedDatabases {
  const [server = ''] = parsePostgresUrl(url).hosts
  const full = (name: string) => `${prefix}-${name}`
  const urlOf = (name: string) => String(Object.assign(new URL(server), { pathname: full(name) }))
  const logs = new Map<string, SettledLog>()
  const run = async (sql: string) => {
    const client = new pg.Client(server)
    await client.connect()
    await client.query(sql).finally(() => client.end())
  }
  return {
    urlOf,
    create: (name) => run(`create database "${full(name)}"`),
    copy: (from, to) => run(`create database "${full(to)}" template "${full(from)}"`),
    async remove(name) {
      await logs.get(name)?.[Symbol.asyncDispose]()
      logs.delete(name)
      await run(`drop database "${full(name)}" with (force)`)
    },
    settled(name) {
      const log = logs.get(name) ?? settledLogOf(urlOf(name))
      logs.set(name, log)
      return log.reached()
    },
  }
}
