/**
 * Requires that each connection has its own session, because prepared statements, locks and settings
 * belong to the session. A pooler in transaction mode, such as PgBouncer's, uses another session for
 * each transaction. See decision 0025.
 */

import { StoreOpenError } from '../../store.ts'
import type { PostgresConnection } from './connection.ts'
import type { PostgresDatabaseUrl } from './database-url.ts'
import { type ConnectionPurpose, connect } from './session.ts'

/** How often two connections are compared: a busy pooler may use different sessions by chance. */
const comparisonRounds = 5

/** Throws a StoreOpenError if connections share server processes. */
export async function requireDedicatedSession(
  location: PostgresDatabaseUrl,
  purpose: ConnectionPurpose = 'write',
): Promise<void> {
  const first = await connect(location, purpose)
  try {
    // PostgreSQL announces the server process of the connection; a pooler announces another number.
    if ((await loadProcessId(first)) === first.announcedProcess) return
    const second = await connect(location, purpose)
    try {
      if (await areShared(first, second)) throw poolerError(location)
    } finally {
      await second.close()
    }
  } finally {
    await first.close()
  }
}

/** Whether both connections used one process, or one connection used several. */
async function areShared(first: PostgresConnection, second: PostgresConnection): Promise<boolean> {
  const processes = [new Set<number>(), new Set<number>()] as const
  for (let round = 0; round < comparisonRounds; round += 1) {
    processes[0].add(await loadProcessId(first))
    processes[1].add(await loadProcessId(second))
  }
  const isOwn = processes.every(({ size }) => size === 1) && processes[0].isDisjointFrom(processes[1])
  return !isOwn
}

async function loadProcessId(connection: PostgresConnection): Promise<number> {
  const [row] = await connection.run('select pg_backend_pid()')
  return Number(row?.[0])
}

function poolerError({ displayUrl }: PostgresDatabaseUrl): StoreOpenError {
  const reason = 'is behind a pooler in transaction mode, which gives every transaction another session'
  const remedy =
    'Set the pooler to session mode (PgBouncer: pool_mode = session), or name the host and port of PostgreSQL itself for a direct connection.'
  return new StoreOpenError(`The database ${displayUrl} ${reason}. ${remedy}`)
}
