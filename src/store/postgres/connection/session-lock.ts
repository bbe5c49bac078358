/** Work that only one node may do at a time: a lock that goes with the connection that holds it. */

import { setTimeout as pause } from 'node:timers/promises'
import type { PostgresConnection } from './connection.ts'

const retryInterval = 100

/** Resolves when the lock is ours. Waits by asking: a statement that waits would run out of time. */
export async function lockSession(connection: PostgresConnection, name: string): Promise<void> {
  while (!(await tryLockSession(connection, name))) await pause(retryInterval)
}

export async function tryLockSession(
  connection: PostgresConnection,
  name: string,
): Promise<boolean> {
  // One for the database: the schema that the work is about may not be there yet.
  const key = `hashtextextended('restwell:${name}', 0)`
  const [row] = await connection.run(`select pg_try_advisory_lock(${key})`)
  return row?.[0] === 1
}
