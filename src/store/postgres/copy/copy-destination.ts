/**
 * A PostgreSQL database that is copied into. Until the copy is finished its tables refer to nothing
 * and are not searched, so that rows may come in any order.
 */

import { setTimeout as pause } from 'node:timers/promises'
import type { Stored } from '../../../definition/model.ts'
import {
  type CopiedColumn,
  type CopiedRow,
  type CopiedTable,
  listCopiedTables,
} from '../../copy/copied-table.ts'
import {
  type CopyCounters,
  type CopyDestination,
  type CopyProgress,
  progressRecord,
} from '../../copy/copy-end.ts'
import type { Schema } from '../../schema/table-schema.ts'
import { quoted } from '../../sql/sql-text.ts'
import { StoreOpenError } from '../../store.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import type { PostgresLocation } from '../connection/location.ts'
import { columnTypes } from '../postgres-dialect.ts'
import { existingTables } from '../schema/existing-tables.ts'
import { applyMigration, prepareSystemTables } from '../schema/migrate-database.ts'
import { planMigration } from '../schema/plan-migration.ts'
import { openEnd, PostgresEnd } from './copy-end.ts'

/** Throws a StoreOpenError where it holds something else than this copy, or another run is under way. */
export function openPostgresDestination(url: string, schema: Schema): Promise<CopyDestination> {
  const make = (connection: PostgresConnection, location: PostgresLocation) =>
    new PostgresDestination(connection, location, schema)
  return openEnd(url, make, async (destination) => {
    const { connection, location } = destination
    await prepareSystemTables(connection, location)
    await lock(connection, location)
    if ((await destination.loadProgress()) === undefined) await makeTables(destination, schema)
  })
}

/** What a killed run had asked of the server is over when its lock is free. */
const LOCK_ATTEMPTS = 100
const LOCK_INTERVAL = 100
const lockSql = `select pg_try_advisory_lock(hashtextextended('restwell:copy:' || current_schema(), 0))`

async function lock(connection: PostgresConnection, { shown }: PostgresLocation): Promise<void> {
  for (let attempt = 0; attempt < LOCK_ATTEMPTS; attempt += 1) {
    const [row] = await connection.run(lockSql)
    if (row?.[0] === 1) return
    await pause(LOCK_INTERVAL)
  }
  throw new StoreOpenError(`Another copy into ${shown} is under way. Wait for it, or stop it.`)
}

async function makeTables(destination: PostgresDestination, schema: Schema): Promise<void> {
  const { connection, displayName: shown } = destination
  const bare = bareOf(schema)
  const steps = await planMigration(connection, bare)
  if ((await existingTables(connection)).size > 0) {
    if (steps.length > 0 && (await planMigration(connection, schema)).length > 0) {
      throw new StoreOpenError(
        `The destination ${shown} has tables of another definition. Name an empty one.`,
      )
    }
    for (const table of listCopiedTables(schema)) {
      if ((await destination.rows(table, undefined, 1)).length === 0) continue
      throw new StoreOpenError(`The destination ${shown} already holds data. Name an empty one.`)
    }
  }
  await connection.run('begin')
  await applyMigration(connection, bare, { steps, extent: 'all' })
  await connection.commit()
}

function bareOf({ tables }: Schema): Schema {
  const bare = Object.values(tables).map((table) => ({
    ...table,
    search: [],
    columns: table.columns.map((column) => ({ ...column, references: undefined })),
  }))
  return { tables: Object.fromEntries(bare.map((table) => [table.name, table])) }
}

class PostgresDestination extends PostgresEnd implements CopyDestination {
  readonly #schema: Schema

  constructor(connection: PostgresConnection, location: PostgresLocation, schema: Schema) {
    super(connection, location)
    this.#schema = schema
  }

  async loadProgress(): Promise<CopyProgress | undefined> {
    const sql = `select "value" from "_meta" where "name" = '${progressRecord}'`
    const [row] = await this.told(() => this.connection.run(sql))
    return row && JSON.parse(String(row[0]))
  }

  saveBatch(table: CopiedTable, rows: readonly CopiedRow[], mark: CopyProgress): Promise<void> {
    return this.#transacted(async () => {
      if (rows.length > 0) {
        const lists = table.columns.map((_, at) => rows.map((row) => row[at]))
        // A Statement's values are what columns hold; these are whole columns.
        const values = lists as unknown as readonly Stored[]
        await this.connection.rows({ sql: insertSql(table), values })
      }
      await this.#remember(mark)
    })
  }

  async finish({ position, entries }: CopyCounters, mark: CopyProgress): Promise<void> {
    const { connection } = this
    await this.#transacted(async () => {
      const steps = await planMigration(connection, this.#schema)
      await applyMigration(connection, this.#schema, { steps, extent: 'all' })
      if (position > 0) await connection.run(`select setval('"_positions"', ${position})`)
      if (entries > 0) await connection.run(`select setval('"_entries"', ${entries})`)
      await this.#remember(mark)
    })
    // So that the first questions are planned by what is there.
    const names = listCopiedTables(this.#schema).map(({ name }) => quoted(name))
    await this.told(() => connection.run(`analyze ${names.join(', ')}`))
  }

  async #remember(mark: CopyProgress): Promise<void> {
    const newest = 'on conflict ("name") do update set "value" = excluded."value"'
    const sql = `insert into "_meta" ("name", "value") values ('${progressRecord}', $1) ${newest}`
    await this.connection.rows({ sql, values: [JSON.stringify(mark)] })
  }

  #transacted(work: () => Promise<void>): Promise<void> {
    return this.told(async () => {
      await this.connection.run('begin')
      await work()
      await this.connection.commit()
    })
  }
}

/** One text for any number of rows: each parameter is a column. */
function insertSql({ name, columns }: CopiedTable): string {
  const names = columns.map((column) => quoted(column.name)).join(', ')
  const lists = columns.map((column, at) => `$${at + 1}::${typeOf(column)}[]`).join(', ')
  const from = `unnest(${lists}) as u (${names})`
  if (name !== '_changes') {
    return `insert into ${quoted(name)} (${names}) select ${names} from ${from}`
  }
  // Entries that have their position are settled, and belong to no transaction of this server.
  return `insert into "_changes" (${names}, "entry", "transaction") select ${names}, "position", '0'::xid8 from ${from}`
}

function typeOf({ type }: CopiedColumn): string {
  return type === 'octets' ? 'bytea' : columnTypes[type]
}
