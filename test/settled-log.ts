/** The change log on PostgreSQL shows a change only when all transactions that began earlier have ended. */

import pg from 'pg'
import { parsePostgresUrl } from '../src/store/postgres/connection/database-url.ts'
import { eventually } from './eventually.ts'

export interface SettledLog extends AsyncDisposable {
  /** Resolves when the log shows every change that was committed before the call. */
  reached(): Promise<void>
}

/** Connects with the first call of `reached`. */
export function settledLogOf(database: string): SettledLog {
  const { hosts, schema = 'public' } = parsePostgresUrl(database)
  const sql = `select 1 from "${schema}"."_changes" where "transaction" >= pg_snapshot_xmin(pg_current_snapshot()) limit 1`
  let connected: Promise<pg.Client> | undefined
  const connect = async () => {
    const client = new pg.Client(hosts[0])
    await client.connect()
    return client
  }
  return {
    async reached() {
      connected ??= connect()
      const client = await connected
      await eventually(async () => (await client.query(sql)).rowCount === 0, { interval: 1 })
    },
    async [Symbol.asyncDispose]() {
      await (await connected)?.end()
    },
  }
}
