/** A real PgBouncer in front of a PostgreSQL, where it is installed (Debian: `pgbouncer`). */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../cluster.ts'
import { eventually } from '../eventually.ts'

export interface Pgbouncer extends AsyncDisposable {
  /** The same database and schema through it. */
  urlOf(url: string): string
}

export function hasPgbouncer(): boolean {
  return spawnSync('pgbouncer', ['--version']).status === 0
}

export async function startPgbouncer(server: number, mode: 'session' | 'transaction'): Promise<Pgbouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'restwell-pgbouncer-'))
  // PgBouncer refuses to run as root, and reads its settings as the other user.
  chmodSync(folder, 0o755)
  const port = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(file, settings(server, port, mode))
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn('pgbouncer', [...user, file], { stdio: 'ignore' })
  await listening(child, port)
  return {
    urlOf: (url) => url.replace(`:${server}/`, `:${port}/`),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function settings(server: number, port: number, mode: string): string {
  return `[databases]
* = host=127.0.0.1 port=${server} user=restwell password=restwell
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 20
max_client_conn = 200
`
}

async function listening(child: ChildProcess, port: number): Promise<void> {
  await eventually(() => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}`)
    return isListening(port)
  })
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.end()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
