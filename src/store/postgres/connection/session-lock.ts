/** Advisory locks for work that one node does at a time. A lock ends with its connection. */

import { setTimeout as pause } from 'node:timers/promises'
import type { PostgresConnection } from './connection.ts'

const retryInterval = 100

/** Resolves when the lock is acquired. Polls, because a waiting statement would time out. */
export async function lockSession(connection: PostgresConnection, name: string): Promise<void> {
  while (!(await tryLockSession(connection, name))) await pause(retryInterval)
}

/** Whether the lock was acquired. */
export async function tryLockSession(connection: PostgresConnection, name: string): Promise<boolean> {
  // One lock for the database, because the schema may not exist yet.
  const key = `hashtextextended('restwell:${name}', 0)`
  const [row] = await connection.run(`select pg_try_advisory_lock(${key})`)
  return row?.[0] === 1
}
