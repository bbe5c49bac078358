/** Secrets of the service, which all nodes share. */

import { randomBytes } from 'node:crypto'
import type { Pool } from '../connection/pool.ts'

/** The secret under the name, created on first use. */
export async function loadSecret(pool: Pool, name: string): Promise<Uint8Array> {
  const existing = await findSecret(pool, name)
  if (existing !== undefined) return existing
  const values = [name, randomBytes(32)]
  const sql = 'insert into "_secrets" ("name", "value") values ($1, $2) on conflict do nothing'
  await pool.use(async (connection) => {
    await connection.rows({ sql, values })
    connection.requireReplicated()
  })
  const created = await findSecret(pool, name)
  if (created === undefined) throw new Error(`The secret '${name}' was created and not found`)
  return created
}

async function findSecret(pool: Pool, name: string): Promise<Uint8Array | undefined> {
  const sql = 'select "value" from "_secrets" where "name" = $1'
  const [row] = await pool.use((connection) => connection.rows({ sql, values: [name] }))
  const found = row?.[0] as unknown
  return found instanceof Uint8Array ? found : undefined
}
