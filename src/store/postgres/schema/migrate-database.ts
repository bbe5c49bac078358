/**
 * Making a database fit a definition: planned and done by one node at a time, in one transaction,
 * so that whoever dies in the middle leaves everything as it was.
 */

import { MARK, unfinishedText } from '../../copy/copy-end.ts'
import { formatFault } from '../../schema/format-version.ts'
import {
  isOpen,
  type KeptObjects,
  type MigrationStep,
  type PlanExtent,
  refusalText,
  stepsWithin,
} from '../../schema/migration-plan.ts'
import { keptObjects } from '../../schema/ownership.ts'
import type { Schema } from '../../schema/table-schema.ts'
import { quoted } from '../../sql/sql-text.ts'
import { StoreOpenError, StoreUnavailable } from '../../store.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import { requireOwnSession } from '../connection/dedicated-session.ts'
import type { PostgresLocation } from '../connection/location.ts'
import { connect } from '../connection/session.ts'
import { lockSession } from '../connection/session-lock.ts'
import { settleForeignSql } from '../read/change-log.ts'
import { hasSystemTables, presentTables } from './existing-tables.ts'
import { planMigration } from './plan-migration.ts'
import { fitSearches, searchDifference } from './search-index.ts'
import { keepLimits, limitsDiffer } from './stored-limits.ts'
import { keepOwnership, ownershipDiffers, ownershipOf } from './stored-ownership.ts'
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
  return migrating(location, async (connection) => {
    await prepare(connection, location)
    await checkWhole(connection, location)
    const steps = await planMigration(connection, schema)
    if (!isOpen(steps, extent)) throw refusal(location, steps)
    const taken = stepsWithin(steps, extent)
    const kept = await take({ connection, location, schema, extent }, taken)
    return { steps: taken, kept }
  })
}

/** All steps, without taking any. */
export async function planOf(
  location: PostgresLocation,
  schema: Schema,
): Promise<readonly MigrationStep[]> {
  return migrating(location, (connection) => planMigration(connection, schema))
}

/** A connection of its own that may take its time, while no other node migrates. */
async function migrating<Result>(
  location: PostgresLocation,
  work: (connection: PostgresConnection) => Promise<Result>,
): Promise<Result> {
  const connection = await connectPatiently(location)
  try {
    await lockSession(connection, 'migration')
    return await work(connection)
  } finally {
    await connection.close()
  }
}

/** A connection whose statements may take as long as they take. */
export async function connectPatiently(location: PostgresLocation): Promise<PostgresConnection> {
  await requireOwnSession(location)
  const connection = await connect(location)
  await connection.run('set statement_timeout = 0')
  connection.patient = true
  return connection
}

/** The store's own tables, made where they are missing and not in the way of another program's. */
export async function prepare(
  connection: PostgresConnection,
  location: PostgresLocation,
): Promise<void> {
  if (location.schema !== undefined) {
    await connection.run(`create schema if not exists ${quoted(location.schema)}`)
  }
  if (await hasSystemTables(connection)) {
    await checkFormat(connection, location)
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
export async function checkFormat(
  connection: PostgresConnection,
  { shown }: PostgresLocation,
): Promise<void> {
  const [found] = await connection.run(`select "value" from "_meta" where "name" = 'format'`)
  const fault = formatFault(`The database ${shown}`, found && String(found[0]), FORMAT)
  if (fault !== undefined) throw new StoreOpenError(fault)
}

/** What a copy has not brought to its end would be served with less than there was. */
export async function checkWhole(
  connection: PostgresConnection,
  { shown }: PostgresLocation,
): Promise<void> {
  const [found] = await connection.run(`select "value" from "_meta" where "name" = '${MARK}'`)
  const text = unfinishedText(`The database ${shown}`, found && String(found[0]))
  if (text !== undefined) throw new StoreOpenError(text)
}

interface Migration {
  readonly connection: PostgresConnection
  readonly location: PostgresLocation
  readonly schema: Schema
  readonly extent: PlanExtent
}

/** Nothing is asked of the database after the commit, which may be its last answer. */
async function take(migration: Migration, steps: readonly MigrationStep[]): Promise<KeptObjects> {
  const { connection, location, schema, extent } = migration
  if (steps.length === 0 && (await isFitting(migration))) return keptIn(migration)
  await connection.run('begin')
  await fit(connection, schema, { steps, extent })
  const kept = await keptIn(migration)
  await connection.commit().catch((error) => Promise.reject(unanswered(location, error)))
  return kept
}

async function keptIn({ connection, schema }: Migration): Promise<KeptObjects> {
  const present = await presentTables(connection)
  const owned = await ownershipOf(connection, schema, present)
  return keptObjects(present, owned, { schema, names: indexNames })
}

/** Whether nothing is to be done beside the steps. */
async function isFitting({ connection, schema, extent }: Migration): Promise<boolean> {
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
export async function fit(
  connection: PostgresConnection,
  schema: Schema,
  { steps, extent }: { readonly steps: readonly MigrationStep[]; readonly extent: PlanExtent },
): Promise<void> {
  const before = await ownershipOf(connection, schema, await presentTables(connection))
  for (const sql of steps.flatMap((step) => step.sql)) await connection.run(sql)
  await fitSearches(connection, schema, extent)
  await keepLimits(connection, schema)
  await keepOwnership(connection, schema, before)
}

function refusal({ shown }: PostgresLocation, steps: readonly MigrationStep[]): StoreOpenError {
  return new StoreOpenError(refusalText(`The database ${shown}`, steps))
}
