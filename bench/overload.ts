/**
 * Overload: five times the connections that the service can carry, from clients that honour
 * Retry-After. Prints goodput as a share of the peak, and how memory stands after against before.
 * `node --conditions=source bench/overload.ts [seconds]`
 */

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { anyone, email, password, resource, service, signedIn, text } from 'restwell'
import { checkDefinition } from '../src/declare/definition.ts'
import type { Model, Stored } from '../src/declare/model.ts'
import { makeFirstAccount } from '../src/first-start.ts'
import { createWire } from '../src/serve/listener.ts'
import { startServer } from '../src/serve/server.ts'
import { createService } from '../src/service.ts'
import { always } from '../src/store/condition.ts'
import { openStore } from '../src/store/open.ts'
import { schemaOf } from '../src/store/schema.ts'
import type { Store, Write } from '../src/store/store.ts'

const rows = 2000
const login = { login: 'admin@example.org', password: 'correct horse battery' }
/** All with the same password, and the same hash of it. */
const accounts = 1000
const seconds = Number(process.argv[2] ?? 10)
const rounds = 3

interface Load {
  readonly path: string
  headers(): Readonly<Record<string, string>>
}

let asked = 0

/** Each costs far more than being refused. */
const loads: Readonly<Record<string, Load>> = {
  'lists of 1000': { path: '/things?limit=1000', headers: () => ({}) },
  'password checks': {
    path: '/things?limit=1',
    headers() {
      asked += 1
      const credentials = `u${asked % accounts}@example.org:${login.password}`
      return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
    },
  },
}

if (process.env.RESTWELL_BENCH_SERVER === 'yes') await serve()
else await measure()

async function serve(): Promise<void> {
  const model = checkDefinition(
    service({
      title: 'Bench',
      accounts: { resource: 'users', login: 'email', password: 'password' },
      resources: {
        users: resource(
          { email: email().unique(), password: password() },
          { access: { create: anyone } },
        ),
        things: resource(
          { name: text({ max: 50 }) },
          { access: { read: anyone, create: signedIn } },
        ),
      },
    }),
  )
  const store = await openStore('file::memory:', schemaOf(model), () => undefined)
  await makeFirstAccount(model, store, login)
  await fill(model, store)
  // Every look at this clock is a minute later, so that no password is remembered from before.
  let now = Date.now()
  const clock = { now: () => (now += 61_000) }
  const made = await createService({ model, store, notice: () => undefined, clock, rate: 'off' })
  const wire = createWire({
    handle: made.handle,
    refusalResponse: made.answerRefusal,
    notice: () => undefined,
  })
  const { port } = await startServer({ host: '127.0.0.1', port: 0, wire })
  process.on('message', () => process.send?.({ memory: process.memoryUsage().rss }))
  process.on('disconnect', () => process.exit(0))
  process.send?.({ port })
}

async function fill({ accounts: known }: Model, store: Store): Promise<void> {
  const time = new Date().toISOString()
  const first = await store.find({ table: 'users', column: 'email', value: login.login, asks: [] })
  const hash = first?.[known?.password.at ?? 0] ?? null
  const insert = (table: string, n: number, fields: readonly Stored[]): Write => {
    const identity = `01900000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
    return { kind: 'insert', table, values: [identity, 1, time, time, ...fields], result: always }
  }
  const numbers = Array.from({ length: rows }, (_, n) => n)
  await store.write(numbers.map((n) => insert('things', n, [`thing number ${n}`])))
  const people = numbers.slice(0, accounts)
  await store.write(people.map((n) => insert('users', n, [`u${n}@example.org`, hash])))
}

async function measure(): Promise<void> {
  const server = fork(import.meta.filename, {
    execArgv: ['--conditions=source'],
    env: { ...process.env, RESTWELL_BENCH_SERVER: 'yes' },
  })
  const [{ port }] = (await once(server, 'message')) as [{ port: number }]
  for (const [name, load] of Object.entries(loads)) await compare(server, port, name, load)
  server.disconnect()
}

/** By turns, so that whatever else the machine does weighs on both alike. */
async function compare(server: ChildProcess, port: number, name: string, load: Load) {
  const carried = await findCarried(port, load)
  const sums = { peak: 0, under: 0, refused: 0 }
  const memory: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    sums.peak += (await run(port, load, carried, seconds)).goodput
    const { goodput, refused } = await run(port, load, 5 * carried, seconds)
    sums.under += goodput
    sums.refused += refused
    memory.push(Math.round((await memoryOf(server)) / 2 ** 20))
  }
  const cost = rounds / sums.peak / (await refusalSeconds(port))
  console.log(
    `${name}: carries ${carried} connections at ${(sums.peak / rounds).toFixed(0)}/s; with ${5 * carried} ` +
      `goodput is ${((sums.under / sums.peak) * 100).toFixed(0)} % of that, ${(sums.refused / rounds).toFixed(0)} refusals/s, ` +
      `memory ${memory.join(', ')} MiB after each round; one costs about ${cost.toFixed(0)} refusals`,
  )
}

/** The most connections, doubling, of which none is refused. */
async function findCarried(port: number, load: Load): Promise<number> {
  await run(port, load, 2, 1)
  let carried = 1
  while (carried < 512) {
    const { goodput, refused } = await run(port, load, 2 * carried, 2)
    if (refused > goodput / 100) break
    carried *= 2
  }
  return carried
}

interface Outcome {
  /** Answers of 200 a second. */
  readonly goodput: number
  readonly refused: number
}

/** Clients in closed loops; a refused one waits as long as it is told. The first second is warm-up. */
async function run(port: number, load: Load, connections: number, time: number): Promise<Outcome> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const counts = { good: 0, refused: 0 }
  const ending = new AbortController()
  let counting = false
  const client = async () => {
    while (!ending.signal.aborted) {
      const { status, wait } = await ask(port, load, agent)
      if (counting) counts[status === 200 ? 'good' : 'refused'] += 1
      if (wait > 0)
        await pause(wait * 1000, undefined, { signal: ending.signal }).catch(() => undefined)
    }
  }
  const clients = Array.from({ length: connections }, client)
  // Longer than the longest Retry-After, so that those sent away at first are back.
  await pause(connections > 100 ? 6000 : 1000)
  counting = true
  const began = performance.now()
  await pause(time * 1000)
  counting = false
  const took = (performance.now() - began) / 1000
  ending.abort()
  await Promise.all(clients)
  agent.destroy()
  return { goodput: counts.good / took, refused: counts.refused / took }
}

interface Asked {
  readonly status: number
  /** Seconds to wait before asking again. */
  readonly wait: number
}

function ask(port: number, { path, headers }: Load, agent: Agent): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { port, host: '127.0.0.1', path, headers: headers(), agent },
      (incoming) => {
        incoming.resume()
        incoming.on('end', () => {
          const status = incoming.statusCode ?? 0
          if (status !== 200 && status !== 503) reject(new Error(`Answered with ${status}`))
          resolve({ status, wait: status === 503 ? Number(incoming.headers['retry-after']) : 0 })
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end()
  })
}

/** Seconds of one cheap refusal: a path that is not there is refused as early as overload is. */
async function refusalSeconds(port: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const began = performance.now()
  const count = 500
  for (let round = 0; round < count; round += 1) {
    await new Promise<void>((resolve, reject) => {
      const outgoing = request({ port, host: '127.0.0.1', path: '/nothing', agent }, (incoming) => {
        incoming.resume().on('end', resolve)
      })
      outgoing.on('error', reject).end()
    })
  }
  agent.destroy()
  return (performance.now() - began) / 1000 / count
}

async function memoryOf(server: ChildProcess): Promise<number> {
  server.send('memory')
  const [{ memory }] = (await once(server, 'message')) as [{ memory: number }]
  return memory
}
