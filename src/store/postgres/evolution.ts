/**
 * Making a database fit a definition: planned and done by one node at a time, in one transaction,
 * so that whoever dies in the middle leaves everything as it was.
 */

import { MARK, unfinishedText } from '../copy/copy-end.ts'
import { formatFault } from '../format.ts'
import { type Extent, isOpen, refusalText, type Step } from '../migration.ts'
import type { Schema } from '../schema.ts'
import { quoted } from '../sql.ts'
import { StoreFault, StoreTrouble } from '../store.ts'
import { settleForeignSql } from './change-log.ts'
import type { Connection } from './connection.ts'
import { existingTables, hasSystemTables } from './existing.ts'
import { keepLimits, limitsDiffer } from './limits.ts'
import type { PostgresLocation } from './location.ts'
import { requireOwnSession } from './own-session.ts'
import { planMigration } from './plan.ts'
import { fitSearches, searchDifference } from './search.ts'
import { connect } from './session.ts'
import { lockSession } from './session-lock.ts'
import { FORMAT, systemTables } from './tables.ts'

/** Makes the tables fit the schema, as far as that is allowed. Throws a StoreFault otherwise. */
export async function evolve(
  location: PostgresLocation,
  schema: Schema,
  extent: Extent = 'safe',
): Promise<readonly Step[]> {
  return migrating(location, async (connection) => {
    await prepare(connection, location)
    await checkWhole(connection, location)
    const steps = await planMigration(connection, schema)
    if (!isOpen(steps, extent)) throw refusal(location, steps)
    await take(connection, location, schema, steps)
    return steps
  })
}

/** The steps that are open, without taking any. */
export async function planOf(location: PostgresLocation, schema: Schema): Promise<readonly Step[]> {
  return migrating(location, (connection) => planMigration(connection, schema))
}

/** A connection of its own that may take its time, while no other node migrates. */
async function migrating<Result>(
  location: PostgresLocation,
  work: (connection: Connection) => Promise<Result>,
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
export async function connectPatiently(location: PostgresLocation): Promise<Connection> {
  await requireOwnSession(location)
  const connection = await connect(location)
  await connection.run('set statement_timeout = 0')
  connection.patient = true
  return connection
}

/** The store's own tables, made where they are missing and not in the way of another program's. */
export async function prepare(connection: Connection, location: PostgresLocation): Promise<void> {
  if (location.schema !== undefined) {
    await connection.run(`create schema if not exists ${quoted(location.schema)}`)
  }
  if (await hasSystemTables(connection)) {
    await checkFormat(connection, location)
    await connection.run(settleForeignSql)
    return
  }
  if ((await existingTables(connection)).size > 0) {
    const remedy = 'Name another database, or a schema of its own by ?schema=name.'
    throw new StoreFault(`The database ${location.shown} has tables of another program. ${remedy}`)
  }
  await connection.run(['begin', ...systemTables, 'commit'].join('; '))
}

/** Refuses what a later version has written. */
export async function checkFormat(
  connection: Connection,
  { shown }: PostgresLocation,
): Promise<void> {
  const [found] = await connection.run(`select "value" from "_meta" where "name" = 'format'`)
  const fault = formatFault(`The database ${shown}`, found && String(found[0]), FORMAT)
  if (fault !== undefined) throw new StoreFault(fault)
}

/** What a copy has not brought to its end would be served with less than there was. */
export async function checkWhole(
  connection: Connection,
  { shown }: PostgresLocation,
): Promise<void> {
  const [found] = await connection.run(`select "value" from "_meta" where "name" = '${MARK}'`)
  const text = unfinishedText(`The database ${shown}`, found && String(found[0]))
  if (text !== undefined) throw new StoreFault(text)
}

async function take(
  connection: Connection,
  location: PostgresLocation,
  schema: Schema,
  steps: readonly Step[],
): Promise<void> {
  const { stale, lacking } = await searchDifference(connection, schema)
  const differing = steps.length + stale.length + lacking.length > 0
  if (!differing && !(await limitsDiffer(connection, schema))) return
  await connection.run('begin')
  await fit(connection, schema, steps)
  await connection.commit().catch((error) => Promise.reject(unanswered(location, error)))
}

/** A COMMIT without an answer is done or not; what the server itself says no to is not done. */
function unanswered({ shown }: PostgresLocation, error: unknown): unknown {
  if (!(error instanceof StoreTrouble)) return error
  const doubt = 'The steps, all of them or none, may or may not have been taken.'
  const remedy = 'Run it again: it goes on from what it finds.'
  return new StoreFault(`The database ${shown}: ${error.message} ${doubt} ${remedy}`, {
    cause: error,
  })
}

/** Within the caller's transaction. */
export async function fit(
  connection: Connection,
  schema: Schema,
  steps: readonly Step[],
): Promise<void> {
  for (const sql of steps.flatMap((step) => step.sql)) await connection.run(sql)
  await fitSearches(connection, schema)
  await keepLimits(connection, schema)
}

function refusal({ shown }: PostgresLocation, steps: readonly Step[]): StoreFault {
  return new StoreFault(refusalText(`The database ${shown}`, steps))
}
