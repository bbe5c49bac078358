/** A service in a process of its own, to be killed. */

import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after } from 'node:test'
import { restwellProgram } from '../restwell.ts'

export interface Node {
  readonly process: ChildProcess
  readonly port: number
}

export interface NodeOptions {
  /** The definition, from the root of the repository. */
  readonly definition: string
  /** The folder of its database file, or the URL of its database. */
  readonly folder?: string
  readonly database?: string
  /** Any free one where it is left out. */
  readonly port?: number
  /** Further variables of its environment. */
  readonly environment?: Readonly<Record<string, string>>
}

/** Resolves once the process logs that it listens. It is killed at the end of the calling test. */
export async function startNode(options: NodeOptions): Promise<Node> {
  const { definition, folder = '', port = 0 } = options
  const database = options.database ?? `file:${join(folder, 'service.db')}`
  const child = spawn(process.execPath, [...restwellProgram, 'serve', definition, '--port', String(port)], {
    cwd: join(import.meta.dirname, '..', '..'),
    env: {
      ...process.env,
      // A definition that imports test/database.ts would start a server, which handles signals too.
      TEST_DATABASE: undefined,
      HOST: '127.0.0.1',
      DATABASE_URL: database,
      RESTWELL_ADMIN: 'admin@example.org:correct horse battery',
      RESTWELL_SAMPLE: 'off',
      RESTWELL_RATE: 'off',
      ...options.environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  after(() => child.kill('SIGKILL'))
  for await (const line of createInterface({ input: child.stdout })) {
    const listening = /^Listening on http:\/\/.*:(\d+)$/.exec(line)?.[1]
    if (listening !== undefined) return { process: child, port: Number(listening) }
  }
  throw new Error('The service ended before it listened')
}
