/**
 * Making a database fit a definition: planned and done by one node at a time, in one transaction,
 * so that whoever dies in the middle leaves everything as it was.
 */

import { formatUnfinishedCopy, progressRecord } from '../../copy/copy-end.ts'
import { findFormatFault } from '../../schema/format-version.ts'
import {
  canApply,
  formatRefusal,
  type KeptObjects,
  type MigrationStep,
  type PlanExtent,
  stepsToTake,
} from '../../schema/migration-plan.ts'
import { findKeptObjects } from '../../schema/ownership.ts'
import type { Schema } from '../../schema/table-schema.ts'
import { quoted } from '../../sql/sql-text.ts'
import { StoreOpenError, StoreUnavailable } from '../../store.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import { requireDedicatedSession } from '../connection/dedicated-session.ts'
import type { PostgresLocation } from '../connection/location.ts'
import { connect } from '../connection/session.ts'
import { lockSession } from '../connection/session-lock.ts'
import { settleForeignSql } from '../read/change-log.ts'
import { hasSystemTables, presentTables } from './existing-tables.ts'
import { planMigration } from './plan-migration.ts'
import { searchDifference, updateSearchIndexes } from './search-index.ts'
import { limitsDiffer, saveLimits } from './stored-limits.ts'
import { loadOwnership, ownershipDiffers, saveOwnership } from './stored-ownership.ts'
import { FORMAT, indexNames, systemTables } from './table-sql.ts'

export interface MigratedDatabase {
  readonly steps: readonly MigrationStep[]
  readonly kept: KeptObjects
}

/** Makes the tables fit the schema, as far as that is allowed. Throws a StoreOpenError otherwise. */
export async function migrateDatabase(
  location: PostgresLocation,
  schema: Schema,
  extent: PlanExtent,
): Promise<MigratedDatabase> {
  return withMigrationLock(location, async (connection) => {
    await prepareSystemTables(connection, location)
    await requireFinishedCopy(connection, location)
    const steps = await planMigration(connection, schema)
    if (!canApply(steps, extent)) throw refusal(location, steps)
    const taken = stepsToTake(steps, extent)
    const kept = await takeSteps({ connection, location, schema, extent }, taken)
    return { steps: taken, kept }
  })
}

/** All steps, without taking any. */
export async function loadPlan(
  location: PostgresLocation,
  schema: Schema,
): Promise<readonly MigrationStep[]> {
  return withMigrationLock(location, (connection) => planMigration(connection, schema))
}

/** A connection of its own that may take its time, while no other node migrates. */
async function withMigrationLock<Result>(
  location: PostgresLocation,
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

/** A connection whose statements may take as long as they take. */
export async function connectWithoutTimeout(
  location: PostgresLocation,
): Promise<PostgresConnection> {
  await requireDedicatedSession(location)
  const connection = await connect(location)
  await connection.run('set statement_timeout = 0')
  connection.unlimited = true
  return connection
}

/** The store's own tables, made where they are missing and not in the way of another program's. */
export async function prepareSystemTables(
  connection: PostgresConnection,
  location: PostgresLocation,
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
    const remedy = 'Name another database, or a schema of its own by ?schema=name.'
    throw new StoreOpenError(
      `The database ${location.shown} has tables of another program. ${remedy}`,
    )
  }
  await connection.run(['begin', ...systemTables, 'commit'].join('; '))
}

/** Refuses what a later version has written. */
export async function requireKnownFormat(
  connection: PostgresConnection,
  { shown }: PostgresLocation,
): Promise<void> {
  const [found] = await connection.run(`select "value" from "_meta" where "name" = 'format'`)
  const fault = findFormatFault(`The database ${shown}`, found && String(found[0]), FORMAT)
  if (fault !== undefined) throw new StoreOpenError(fault)
}

/** What a copy has not brought to its end would be served with less than there was. */
export async function requireFinishedCopy(
  connection: PostgresConnection,
  { shown }: PostgresLocation,
): Promise<void> {
  const [found] = await connection.run(
    `select "value" from "_meta" where "name" = '${progressRecord}'`,
  )
  const text = formatUnfinishedCopy(`The database ${shown}`, found && String(found[0]))
  if (text !== undefined) throw new StoreOpenError(text)
}

interface Migration {
  readonly connection: PostgresConnection
  readonly location: PostgresLocation
  readonly schema: Schema
  readonly extent: PlanExtent
}

/** Nothing is asked of the database after the commit, which may be its last answer. */
async function takeSteps(
  migration: Migration,
  steps: readonly MigrationStep[],
): Promise<KeptObjects> {
  const { connection, location, schema, extent } = migration
  if (steps.length === 0 && (await isUpToDate(migration))) return loadKeptObjects(migration)
  await connection.run('begin')
  await applyMigration(connection, schema, { steps, extent })
  const kept = await loadKeptObjects(migration)
  await connection.commit().catch((error) => Promise.reject(unanswered(location, error)))
  return kept
}

async function loadKeptObjects({ connection, schema }: Migration): Promise<KeptObjects> {
  const present = await presentTables(connection)
  const owned = await loadOwnership(connection, schema, present)
  return findKeptObjects(present, owned, { schema, names: indexNames })
}

/** Whether nothing is to be done beside the steps. */
async function isUpToDate({ connection, schema, extent }: Migration): Promise<boolean> {
  const { stale, lacking } = await searchDifference(connection, schema, extent)
  return !(
    stale.length + lacking.length > 0 ||
    (await limitsDiffer(connection, schema)) ||
    (await ownershipDiffers(connection, schema))
  )
}

/** A COMMIT without an answer is done or not; what the server itself says no to is not done. */
function unanswered({ shown }: PostgresLocation, error: unknown): unknown {
  if (!(error instanceof StoreUnavailable)) return error
  const doubt = 'The steps, all of them or none, may or may not have been taken.'
  const remedy = 'Run it again: it goes on from what it finds.'
  return new StoreOpenError(`The database ${shown}: ${error.message} ${doubt} ${remedy}`, {
    cause: error,
  })
}

/** Within the caller's transaction. */
export async function applyMigration(
  connection: PostgresConnection,
  schema: Schema,
  { steps, extent }: { readonly steps: readonly MigrationStep[]; readonly extent: PlanExtent },
): Promise<void> {
  const before = await loadOwnership(connection, schema, await presentTables(connection))
  for (const sql of steps.flatMap((step) => step.sql)) await connection.run(sql)
  await updateSearchIndexes(connection, schema, extent)
  await saveLimits(connection, schema)
  await saveOwnership(connection, schema, before)
}

function refusal({ shown }: PostgresLocation, steps: readonly MigrationStep[]): StoreOpenError {
  return new StoreOpenError(formatRefusal(`The database ${shown}`, steps))
}
