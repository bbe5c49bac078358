/**
 * The destination of a copy on PostgreSQL. Until the copy is finished, its tables have no references and
 * no search indexes, so that rows can be inserted in any order.
 */

import { setTimeout as pause } from 'node:timers/promises'
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
} from '../../copy/copy-interfaces.ts'
import type { Column, Schema } from '../../schema/table-schema.ts'
import { checkpointRecord } from '../../sql/audit-sql.ts'
import { quoted } from '../../sql/sql-text.ts'
import { StoreOpenError } from '../../store.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import type { PostgresDatabaseUrl } from '../connection/database-url.ts'
import { columnTypes } from '../postgres-dialect.ts'
import { existingTables } from '../schema/existing-tables.ts'
import { applyMigration, prepareSystemTables } from '../schema/migrate-database.ts'
import { planMigration } from '../schema/plan-migration.ts'
import { loadRecords, saveRecord } from '../schema/stored-records.ts'
import { openCopySide, PostgresCopySide } from './copy-side.ts'

/** Opens the destination. Throws a StoreOpenError if it has other data, or another copy into it runs. */
export function openPostgresDestination(url: string, schema: Schema): Promise<CopyDestination> {
  const create = (connection: PostgresConnection, location: PostgresDatabaseUrl) =>
    new PostgresDestination(connection, location, schema)
  return openCopySide(url, create, async (destination) => {
    const { connection, location } = destination
    await prepareSystemTables(connection, location)
    await lock(connection, location)
    if ((await destination.loadProgress()) === undefined) await createTables(destination, schema)
  })
}

/** The server releases the lock of a killed run when its last statement ends. */
const LOCK_ATTEMPTS = 100
const LOCK_INTERVAL = 100
const lockSql = `select pg_try_advisory_lock(hashtextextended('restwell:copy:' || current_schema(), 0))`

async function lock(connection: PostgresConnection, { displayUrl }: PostgresDatabaseUrl): Promise<void> {
  for (let attempt = 0; attempt < LOCK_ATTEMPTS; attempt += 1) {
    const [row] = await connection.run(lockSql)
    if (row?.[0] === 1) return
    await pause(LOCK_INTERVAL)
  }
  throw new StoreOpenError(`Another copy into ${displayUrl} is under way. Wait for it, or stop it.`)
}

async function createTables(destination: PostgresDestination, schema: Schema): Promise<void> {
  const { connection, displayName: displayUrl } = destination
  const bare = withoutReferences(schema)
  const steps = await planMigration(connection, bare)
  if ((await existingTables(connection)).size > 0) {
    if (steps.length > 0 && (await planMigration(connection, schema)).length > 0) {
      throw new StoreOpenError(
        `The destination ${displayUrl} has tables of another definition. Name an empty one.`,
      )
    }
    for (const table of listCopiedTables(schema)) {
      if ((await destination.rows(table, undefined, 1)).length === 0) continue
      throw new StoreOpenError(`The destination ${displayUrl} already holds data. Name an empty one.`)
    }
  }
  await connection.run('begin')
  await applyMigration(connection, bare, { steps, extent: 'all' })
  await connection.commit()
}

/** The schema without references and search indexes. */
function withoutReferences({ tables }: Schema): Schema {
  const bare = Object.values(tables).map((table) => ({
    ...table,
    search: [],
    columns: table.columns.map(
      (column) => ({ ...column, references: undefined, elements: undefined }) satisfies Column,
    ),
  }))
  return { tables: Object.fromEntries(bare.map((table) => [table.name, table])) }
}

class PostgresDestination extends PostgresCopySide implements CopyDestination {
  readonly #schema: Schema

  constructor(connection: PostgresConnection, location: PostgresDatabaseUrl, schema: Schema) {
    super(connection, location)
    this.#schema = schema
  }

  async loadProgress(): Promise<CopyProgress | undefined> {
    const records = await this.translateErrors(() => loadRecords(this.connection))
    const text = records.get(progressRecord)
    return text === undefined ? undefined : JSON.parse(text)
  }

  saveBatch(table: CopiedTable, rows: readonly CopiedRow[], progress: CopyProgress): Promise<void> {
    return this.#inTransaction(async () => {
      if (rows.length > 0) {
        const values = table.columns.map((_, at) => rows.map((row) => row[at] ?? null))
        await this.connection.rows({ sql: insertSql(table), values })
      }
      await saveRecord(this.connection, progressRecord, JSON.stringify(progress))
    })
  }

  async finish({ position, entries, auditCheckpoint }: CopyCounters, progress: CopyProgress): Promise<void> {
    const { connection } = this
    await this.#inTransaction(async () => {
      const steps = await planMigration(connection, this.#schema)
      await applyMigration(connection, this.#schema, { steps, extent: 'all' })
      if (position > 0) await connection.run(`select setval('"_positions"', ${position})`)
      if (entries > 0) await connection.run(`select setval('"_entries"', ${entries})`)
      if (auditCheckpoint !== undefined) await saveRecord(connection, checkpointRecord, auditCheckpoint)
      await saveRecord(connection, progressRecord, JSON.stringify(progress))
    })
    // Gives the query planner statistics before the first query.
    const names = listCopiedTables(this.#schema).map(({ name }) => quoted(name))
    await this.translateErrors(() => connection.run(`analyze ${names.join(', ')}`))
  }

  #inTransaction(work: () => Promise<void>): Promise<void> {
    return this.translateErrors(async () => {
      await this.connection.run('begin')
      await work()
      await this.connection.commit()
    })
  }
}

/** One statement for any number of rows: each parameter is an array with the values of a column. */
function insertSql({ name, columns }: CopiedTable): string {
  const names = columns.map((column) => quoted(column.name)).join(', ')
  const lists = columns.map((column, at) => `$${at + 1}::${typeOf(column)}[]`).join(', ')
  const from = `unnest(${lists}) as u (${names})`
  if (name !== '_changes') {
    return `insert into ${quoted(name)} (${names}) select ${names} from ${from}`
  }
  // Entries with a position belong to no transaction of this server.
  return `insert into "_changes" (${names}, "entry", "transaction") select ${names}, "position", '0'::xid8 from ${from}`
}

function typeOf({ type }: CopiedColumn): string {
  return type === 'octets' ? 'bytea' : columnTypes[type]
}
