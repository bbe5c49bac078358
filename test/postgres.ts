/** The PostgreSQL server of tests, with a database for this process. */

import { after } from 'node:test'
import pg from 'pg'
import { type Cluster, startCluster, urlOf } from './cluster.ts'
import { findSharedServer } from './shared-servers.ts'

export type PostgresServer = Pick<Cluster, 'port' | 'freshUrl'>

let opened: Promise<PostgresServer & { close(): Promise<void> }> | undefined

/** Returns the server, which starts with the first call if it does not run yet. */
export function postgres(): Promise<PostgresServer> {
  opened ??= openServer()
  return opened
}

/** Registered outside of every test, so that it runs after all of them. */
after(async () => {
  await (await opened)?.close()
})

async function openServer() {
  const shared = await findSharedServer('postgres')
  if (shared === undefined) {
    const cluster = await startCluster()
    return { ...cluster, close: cluster.end }
  }
  const port = Number(shared)
  const database = `t${process.pid}`
  await runStatement(port, `create database ${database}`)
  let schemas = 0
  return {
    port,
    freshUrl: () => urlOf(port, { database, schema: `s${schemas++}` }),
    // Tests may leave connections open.
    close: () => runStatement(port, `drop database ${database} with (force)`),
  }
}

async function runStatement(port: number, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(port) })
  await client.connect()
  await client.query(sql)
  await client.end()
}
