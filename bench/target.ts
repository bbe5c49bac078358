/** The servers that are measured, each in a process of its own. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { note } from './scenario.ts'

export interface Target {
  readonly name: string
  readonly url: string
  /** Items that can be asked for. */
  readonly ids: readonly string[]
  /** Microseconds of processor time used so far; NaN where the system does not tell. */
  processorTime(): number
  stop(): Promise<void>
}

const here = import.meta.dirname
/** Enough that not one page of the database serves them all. */
const items = 1000

/** The service itself, on a new database in the folder. */
export function startService(folder: string, database?: string): Promise<Target> {
  const profiling = process.env.BENCH_PROFILE ? ['--cpu-prof', '--cpu-prof-dir', folder] : []
  const cli = join(here, '..', 'src', 'cli.ts')
  const definition = join(here, 'notes.ts')
  const address = ['--host', '127.0.0.1', '--port', '0']
  const args = [...profiling, '--conditions=source', cli, 'serve', definition, ...address]
  const DATABASE_URL = database ?? `file:${join(folder, 'service.db')}`
  return startTarget('restwell', args, { DATABASE_URL, RESTWELL_RATE: 'off' })
}

export function startBare(fieldsFile: string): Promise<Target> {
  return startTarget('bare node:http', [join(here, 'servers', 'bare.ts'), fieldsFile], {})
}

export function startSqlite(fieldsFile: string, folder: string): Promise<Target> {
  const args = [join(here, 'servers', 'sqlite.ts'), fieldsFile, join(folder, 'bare.db')]
  return startTarget('bare + node:sqlite', args, {})
}

export function startPostgres(fieldsFile: string, database: string): Promise<Target> {
  const args = [join(here, 'servers', 'postgres.ts'), fieldsFile, database]
  return startTarget('bare + pg', args, {})
}

async function startTarget(
  name: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Target> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...environment, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await urlOf(child)
  const exited = once(child, 'exit')
  return {
    name,
    url,
    ids: await fill(url),
    processorTime: () => processorTimeOf(child.pid),
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

const ticksPerSecond = 100

/** From Linux' /proc: user and system time in ticks, after the name in parentheses. */
function processorTimeOf(pid: number | undefined): number {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return Number.NaN
  const stat = readFileSync(file, 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1e6) / ticksPerSecond
}

async function urlOf(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const url = /^Listening on (http:\S+)$/.exec(line)?.[1]
    if (url === undefined) continue
    child.stdout!.resume()
    return url
  }
  throw new Error('A server ended before it listened')
}

async function fill(url: string): Promise<readonly string[]> {
  const ids: string[] = []
  for (let at = 0; at < items; at += 1) {
    const response = await fetch(`${url}/notes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(note),
    })
    ids.push(((await response.json()) as { id: string }).id)
  }
  return ids
}
