/**
 * Migrates a database to fit a definition. One node at a time plans and applies the steps, in one
 * transaction, so that a node that crashes changes nothing.
 */

import { formatUnfinishedCopy, progressRecord } from '../../copy/copy-interfaces.ts'
import { requireFormat } from '../../schema/format-version.ts'
import { findJoinTableDifference } from '../../schema/join-table-schema.ts'
import {
  canApply,
  formatRefusal,
  type KeptObjects,
  type MigrationStep,
  type PlanExtent,
  stepsToTake,
} from '../../schema/migration-plan.ts'
import { findKeptObjects, ownershipRecord, parseOwnership, updateOwnership } from '../../schema/ownership.ts'
import { findSearchDifference } from '../../schema/search-records.ts'
import { formatLimits, limitsRecord } from '../../schema/stored-limits.ts'
import type { Schema } from '../../schema/table-schema.ts'
import { quoted } from '../../sql/sql-text.ts'
import { StoreOpenError, StoreUnavailable } from '../../store.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import type { PostgresDatabaseUrl } from '../connection/database-url.ts'
import { requireDedicatedSession } from '../connection/dedicated-session.ts'
import { connect } from '../connection/session.ts'
import { lockSession } from '../connection/session-lock.ts'
import { settleForeignSql } from '../read/read-change-log.ts'
import { hasSystemTables, presentTables } from './existing-tables.ts'
import { createJoinTables, dropStaleJoinTables } from './join-tables.ts'
import { planMigration } from './plan-migration.ts'
import { updateSearchIndexes } from './search-index.ts'
import { loadRecords, saveRecord } from './stored-records.ts'
import { indexNames, systemTables } from './table-sql.ts'

export interface MigratedDatabase {
  readonly steps: readonly MigrationStep[]
  readonly kept: KeptObjects
}

/** Applies the steps that the extent allows. Throws a StoreOpenError if other steps are required. */
export async function migrateDatabase(
  location: PostgresDatabaseUrl,
  schema: Schema,
  extent: PlanExtent,
): Promise<MigratedDatabase> {
  return withMigrationLock(location, async (connection) => {
    await prepareSystemTables(connection, location)
    await requireFinishedCopy(connection, location)
    const steps = await planMigration(connection, schema)
    if (!canApply(steps, extent)) throw refusal(location, steps)
    const allowed = stepsToTake(steps, extent)
    const kept = await takeSteps({ connection, location, schema, extent }, allowed)
    return { steps: allowed, kept }
  })
}

/** Returns all steps without applying any. */
export async function loadPlan(
  location: PostgresDatabaseUrl,
  schema: Schema,
): Promise<readonly MigrationStep[]> {
  return withMigrationLock(location, async (connection) => {
    if (await hasSystemTables(connection)) await requireKnownFormat(connection, location)
    return planMigration(connection, schema)
  })
}

/** Runs the work on its own connection without a timeout, while no other node migrates. */
async function withMigrationLock<Result>(
  location: PostgresDatabaseUrl,
  work: (connection: PostgresConnection) => Promise<Result>,
): Promise<Result> {
  const connection = await connectWithoutTimeout(location)
  try {
    await lockSession(connection, 'migration')
    return await work(connection)
  } finally {
    await connection.close()
  }
}

/** Opens a connection without a statement timeout. */
export async function connectWithoutTimeout(location: PostgresDatabaseUrl): Promise<PostgresConnection> {
  await requireDedicatedSession(location)
  const connection = await connect(location)
  await connection.run('set statement_timeout = 0')
  connection.unlimited = true
  return connection
}

/** Creates the system tables if missing. Throws a StoreOpenError if the schema has tables of another program. */
export async function prepareSystemTables(
  connection: PostgresConnection,
  location: PostgresDatabaseUrl,
): Promise<void> {
  if (location.schema !== undefined) {
    await connection.run(`create schema if not exists ${quoted(location.schema)}`)
  }
  if (await hasSystemTables(connection)) {
    await requireKnownFormat(connection, location)
    await connection.run(settleForeignSql)
    return
  }
  if ((await presentTables(connection)).size > 0) {
    const remedy = 'Name another database, or a separate schema with ?schema=name.'
    throw new StoreOpenError(`The database ${location.displayUrl} has tables of another program. ${remedy}`)
  }
  await connection.run(['begin', ...systemTables, 'commit'].join('; '))
}

/** Throws a StoreOpenError if the tables have another format. */
export async function requireKnownFormat(
  connection: PostgresConnection,
  { displayUrl }: PostgresDatabaseUrl,
): Promise<void> {
  requireFormat(`The database ${displayUrl}`, await loadRecords(connection))
}

/** Throws a StoreOpenError if a copy into the database is unfinished: rows would be missing. */
export async function requireFinishedCopy(
  connection: PostgresConnection,
  { displayUrl }: PostgresDatabaseUrl,
): Promise<void> {
  const progress = (await loadRecords(connection)).get(progressRecord)
  const text = formatUnfinishedCopy(`The database ${displayUrl}`, progress)
  if (text !== undefined) throw new StoreOpenError(text)
}

interface Migration {
  readonly connection: PostgresConnection
  readonly location: PostgresDatabaseUrl
  readonly schema: Schema
  readonly extent: PlanExtent
}

/** Reads nothing after the commit, so that a lost connection cannot make a committed migration fail. */
async function takeSteps(migration: Migration, steps: readonly MigrationStep[]): Promise<KeptObjects> {
  const { connection, location, schema, extent } = migration
  if (steps.length === 0 && (await isUpToDate(migration))) return loadKeptObjects(migration)
  await connection.run('begin')
  await applyMigration(connection, schema, { steps, extent })
  const kept = await loadKeptObjects(migration)
  await connection.commit().catch((error) => Promise.reject(uncertainCommit(location, error)))
  return kept
}

async function loadKeptObjects({ connection, schema }: Migration): Promise<KeptObjects> {
  const present = await presentTables(connection)
  const about = { schema, names: indexNames }
  const owned = parseOwnership(await loadRecords(connection))
  return findKeptObjects(present, owned, about)
}

/** Whether the search indexes, the join tables and the records in `_meta` are current. */
async function isUpToDate({ connection, schema, extent }: Migration): Promise<boolean> {
  const records = await loadRecords(connection)
  const search = findSearchDifference(records, { schema, extent })
  const joins = findJoinTableDifference(records, { schema, extent })
  const about = { schema, names: indexNames }
  const present = await presentTables(connection)
  const owned = updateOwnership(parseOwnership(records), present, about)
  return (
    search.stale.length + search.lacking.length === 0 &&
    joins.stale.length + joins.lacking.length === 0 &&
    records.get(limitsRecord) === formatLimits(schema, records) &&
    records.get(ownershipRecord) === JSON.stringify(owned)
  )
}

/** A COMMIT without a response may have succeeded; one that the server refuses has not. */
function uncertainCommit({ displayUrl }: PostgresDatabaseUrl, error: unknown): unknown {
  if (!(error instanceof StoreUnavailable)) return error
  const doubt = 'Either all steps were applied or none.'
  const remedy = 'Run the command again: it continues from the present state.'
  return new StoreOpenError(`The database ${displayUrl}: ${error.message} ${doubt} ${remedy}`, {
    cause: error,
  })
}

/** Applies the steps and updates search indexes, join tables and records, within the caller's transaction. */
export async function applyMigration(
  connection: PostgresConnection,
  schema: Schema,
  { steps, extent }: { readonly steps: readonly MigrationStep[]; readonly extent: PlanExtent },
): Promise<void> {
  const about = { schema, names: indexNames }
  const records = await loadRecords(connection)
  const before = parseOwnership(records)
  await dropStaleJoinTables(connection, schema, extent)
  for (const sql of steps.flatMap((step) => step.sql)) await connection.run(sql)
  await updateSearchIndexes(connection, schema, extent)
  await createJoinTables(connection, schema, extent)
  await saveRecord(connection, limitsRecord, formatLimits(schema, records))
  const owned = updateOwnership(before, await presentTables(connection), about)
  await saveRecord(connection, ownershipRecord, JSON.stringify(owned))
}

function refusal({ displayUrl }: PostgresDatabaseUrl, steps: readonly MigrationStep[]): StoreOpenError {
  return new StoreOpenError(formatRefusal(`The database ${displayUrl}`, steps))
}
