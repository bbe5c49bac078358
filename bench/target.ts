/** A server that is measured, in a process of its own. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { ask } from './ask.ts'
import type { Dialect } from './dialect.ts'
import { idOf, note } from './note.ts'
import { memoryOf, processorTimeOf } from './process-tree.ts'

export interface Target {
  /** The name in options and tables. */
  readonly name: string
  readonly url: string
  readonly dialect: Dialect
  /** The number of rows at start; row n has the id of n. */
  readonly rows: number
  /** The first rows, which are never deleted. */
  readonly lasting: number
  readonly token: string | undefined
  /** The status of a DELETE. */
  readonly deleted: number
  deepPages(): Promise<readonly string[]>
  /** Items to delete, in order. */
  spareIds(): Promise<readonly string[]>
  /**
   * Reports how many a round deleted, so that the next round has enough. Requests without a response
   * may have deleted some too.
   */
  noteSpent(requests: number): void
  /** Microseconds of processor time. */
  processorTime(): number
  /** Resident, in MiB. */
  memory(): number
  stop(): Promise<void>
}

export interface TargetPlan {
  readonly name: string
  readonly args: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly folder?: string
  readonly dialect: Dialect
  readonly rows: number
  readonly deleted?: number
  readonly token?: string | ((url: string) => Promise<string>)
  /** Set for a server that does not print its address. */
  readonly url?: string
  /** Set when one POST can create many items; otherwise existing rows are deleted. */
  readonly bulk: string | undefined
}

export async function startTarget(plan: TargetPlan): Promise<Target> {
  const child = spawn(process.execPath, plan.args, {
    env: { ...process.env, ...plan.environment, LOG_LEVEL: 'fatal' },
    ...(plan.folder === undefined ? {} : { cwd: plan.folder }),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    return await targetOf(child, plan)
  } catch (error) {
    child.kill()
    throw error
  }
}

async function targetOf(child: ChildProcess, plan: TargetPlan): Promise<Target> {
  const exited = once(child, 'exit')
  const url = await (plan.url === undefined ? urlOf(child) : answering(child, plan.url))
  const pid = child.pid as number
  const { name, dialect, rows, deleted = 204 } = plan
  const lasting = plan.bulk === undefined ? rows / 2 : rows
  let pages: Promise<readonly string[]> | undefined
  const token = typeof plan.token === 'function' ? await plan.token(url) : plan.token
  return {
    ...{ name, url, dialect, rows, lasting, deleted, token },

    ...sparesOf({ bulk: plan.bulk, rows, lasting }, url),
    deepPages() {
      pages ??= dialect.deepPages(url, rows)
      return pages
    },
    processorTime: () => processorTimeOf(pid),
    memory: () => memoryOf(pid),
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** Returns the address that a server prints when it listens. */
export async function urlOf(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const url = /^Listening on (http:\S+)$/.exec(line)?.[1]
    if (url === undefined) continue
    child.stdout!.resume()
    return url
  }
  throw new Error('A server ended before it listened')
}

/** For servers that do not print their address. */
async function answering(child: ChildProcess, url: string): Promise<string> {
  child.stdout!.resume()
  while (child.exitCode === null) {
    const answer = await fetch(`${url}/notes/${idOf(0)}`).catch(() => undefined)
    if (answer?.ok) return url
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`The server at ${url} ended before it answered`)
}

/** Enough for the first round, whose speed is unknown. */
const fewest = 80_000

interface Stock {
  readonly bulk: string | undefined
  readonly rows: number
  readonly lasting: number
}

function sparesOf({ bulk, rows, lasting }: Stock, url: string) {
  let spare: string[] = []
  let needed = fewest
  for (let n = lasting; n < rows; n += 1) spare.push(idOf(n))
  return {
    async spareIds() {
      while (bulk !== undefined && spare.length < needed) {
        spare.push(...(await makeMany(url, bulk)))
      }
      return spare
    },
    noteSpent(requests: number) {
      // More requests were sent than answered.
      spare = spare.slice(requests + 100)
      if (requests === Number.POSITIVE_INFINITY) needed *= 2
      else if (requests > 0) needed = Math.max(fewest, requests * 2)
    },
  }
}

async function makeMany(url: string, path: string): Promise<readonly string[]> {
  const content = JSON.stringify(Array.from({ length: 1000 }, () => note))
  const answer = await ask(url, { method: 'POST', path, content, status: 201 })
  const ids = (JSON.parse(answer.text) as { id: string }[]).map(({ id }) => id)
  return ids.sort(() => Math.random() - 0.5)
}
