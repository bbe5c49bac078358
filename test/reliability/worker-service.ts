/** A service with workers, and clients that are each served by one of them. */

import { readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { folderOf, type RunningCommand, root, running } from '../commands/command.ts'
import { eventually } from '../eventually.ts'
import { basic, createRequester, type SendRequest } from '../service.ts'

export const admin = basic('admin@example.org', 'correct horse battery')

export interface CrewOptions {
  readonly workers?: number
  readonly definition?: string
  readonly database?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly port?: number
}

/** Killed when the test is over, if it still runs. */
export async function startWorkers(t: TestContext, options: CrewOptions = {}): Promise<RunningCommand> {
  const { workers = 2, definition = 'examples/shop.ts', port = 0 } = options
  const database = options.database ?? `file:${join(await folderOf(t), 'service.db')}`
  const address = ['--host', '127.0.0.1', '--port', String(port)]
  const args = ['serve', join(root, definition), ...address, '--workers', String(workers)]
  const command = await running(args, {
    environment: {
      DATABASE_URL: database,
      RESTWELL_ADMIN: 'admin@example.org:correct horse battery',
      RESTWELL_SAMPLE: 'off',
      RESTWELL_RATE: 'off',
      ...options.environment,
    },
  })
  t.after(() => command.process.kill('SIGKILL'))
  return command
}

/** A client on a connection of its own that stays: connections go to workers in turn. */
export async function clientOf(t: TestContext, port: number): Promise<SendRequest> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  const request = patient(createRequester(port, agent))
  await request('GET /health/live')
  return request
}

/** Repeats requests that a busy machine refuses. */
function patient(request: SendRequest): SendRequest {
  return async (line, fields, body) => {
    return eventually(async () => {
      const reply = await request(line, fields, body)
      return reply.status !== 503 && reply
    })
  }
}

/** Served by one worker and the other. */
export async function clientsOf(t: TestContext, port: number): Promise<readonly [SendRequest, SendRequest]> {
  return [await clientOf(t, port), await clientOf(t, port)]
}

/** The processes of its workers, from Linux' /proc. */
export function workersOf({ process: { pid } }: RunningCommand): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1')
  return text.trim().split(' ').filter(Boolean).map(Number)
}

/** Resolves once there are this many workers, all of them new. */
export async function replacedWorkers(
  command: RunningCommand,
  before: readonly number[],
  killed: number,
): Promise<readonly number[]> {
  return eventually(() => {
    const now = workersOf(command)
    return now.length === before.length && !now.includes(killed) && now
  })
}

export async function waitForExit(pids: readonly number[]): Promise<void> {
  for (const pid of pids) {
    await eventually(() => !isThere(pid))
  }
}

/** A zombie process counts as ended. */
function isThere(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
