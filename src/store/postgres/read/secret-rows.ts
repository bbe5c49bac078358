/** The stored secrets of a service on PostgreSQL. */

import type { SecretRows } from '../../secrets.ts'
import type { Pool } from '../connection/pool.ts'

export function secretRows(pool: Pool): SecretRows {
  return {
    async names() {
      const sql = 'select "name" from "_secrets"'
      const rows = await pool.use((connection) => connection.rows({ sql, values: [] }))
      return rows.map(([name]) => String(name))
    },
    async find(name) {
      const sql = 'select "value" from "_secrets" where "name" = $1'
      const [row] = await pool.use((connection) => connection.rows({ sql, values: [name] }))
      const found = row?.[0] as unknown
      return found instanceof Uint8Array ? found : undefined
    },
    replace: (name, value, present) =>
      pool.use(async (connection) => {
        await connection.rows(
          present === undefined
            ? { sql: insertSql, values: [name, value] }
            : { sql: updateSql, values: [name, value, present] },
        )
        connection.requireReplicated()
      }),
  }
}

const insertSql = 'insert into "_secrets" ("name", "value") values ($1, $2) on conflict do nothing'
const updateSql = 'update "_secrets" set "value" = $2 where "name" = $1 and "value" = $3'
