/** Advisory locks for work that one node does at a time. A lock ends with its connection. */

import { setTimeout as pause } from 'node:timers/promises'
import type { PostgresConnection } from './connection.ts'

const retryInterval = 100

/** Resolves when the lock is acquired. Polls, because a waiting statement would time out. */
export async function lockSession(connection: PostgresConnection, name: string): Promise<void> {
  while (!(await tryLockSession(connection, name))) await pause(retryInterval)
}

/** Milliseconds between two attempts to get a lock that is held for a short time. */
const shortInterval = 5

/** Whether the lock was acquired before that time, on the clock of `performance.now()`. */
export async function lockSessionUntil(
  connection: PostgresConnection,
  name: string,
  until: number,
): Promise<boolean> {
  while (!(await tryLockSession(connection, name))) {
    if (performance.now() >= until) return false
    await pause(shortInterval)
  }
  return true
}

/** Whether the lock was acquired. */
export async function tryLockSession(connection: PostgresConnection, name: string): Promise<boolean> {
  // One lock for the database, because the schema may not exist yet.
  const key = `hashtextextended('restwell:${name}', 0)`
  const [row] = await connection.run(`select pg_try_advisory_lock(${key})`)
  return row?.[0] === 1
}
