/**
 * A service needs sessions of its own: its statements are prepared in them, and its locks and
 * settings last as long as they do. A pooler in transaction mode, such as PgBouncer's, gives every
 * transaction another session.
 */

import { StoreOpenError } from '../../store.ts'
import type { PostgresConnection } from './connection.ts'
import type { PostgresLocation } from './location.ts'
import { type ConnectionPurpose, connect } from './session.ts'

/** How often two connections are compared: a busy pooler may keep them apart once. */
const comparisonRounds = 5

/** Throws a StoreOpenError where connections do not keep a server process for themselves. */
export async function requireDedicatedSession(
  location: PostgresLocation,
  purpose: ConnectionPurpose = 'write',
): Promise<void> {
  const first = await connect(location, purpose)
  try {
    // PostgreSQL announces the process that serves the connection; a pooler has no such process.
    if ((await processOf(first)) === first.announcedProcess) return
    const second = await connect(location, purpose)
    try {
      if (await areShared(first, second)) throw fault(location)
    } finally {
      await second.close()
    }
  } finally {
    await first.close()
  }
}

/** Whether both were served by one process, or one by several. */
async function areShared(first: PostgresConnection, second: PostgresConnection): Promise<boolean> {
  const served = [new Set<number>(), new Set<number>()] as const
  for (let round = 0; round < comparisonRounds; round += 1) {
    served[0].add(await processOf(first))
    served[1].add(await processOf(second))
  }
  const isOwn = served.every(({ size }) => size === 1) && served[0].isDisjointFrom(served[1])
  return !isOwn
}

async function processOf(connection: PostgresConnection): Promise<number> {
  const [row] = await connection.run('select pg_backend_pid()')
  return Number(row?.[0])
}

function fault({ shown }: PostgresLocation): StoreOpenError {
  const reason =
    'is behind a pooler in transaction mode, which gives every transaction another session'
  const remedy =
    'Set the pooler to session mode (PgBouncer: pool_mode = session), or name the host and port of PostgreSQL itself for a direct connection.'
  return new StoreOpenError(`The database ${shown} ${reason}. ${remedy}`)
}
