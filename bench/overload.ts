/**
 * Goodput under overload: open-loop clients send 1, 2 and 4 times the peak rate. Prints 2xx
 * responses per second as a share of the peak, and the time of `/health/live` meanwhile.
 * `node --conditions=source bench/overload.ts [seconds] [connections]`
 */

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { anyone, resource, service, text } from 'restwell'
import { createSocketServer } from '../src/server/request-listener.ts'
import { startServer } from '../src/server/server.ts'
import { checkDefinition } from '../src/service/check-definition.ts'
import { createService } from '../src/service/service.ts'
import { openStore } from '../src/store/open-store.ts'
import { schemaOf } from '../src/store/schema/model-schema.ts'
import type { Load, Outcome } from './overload-client.ts'

const seconds = Number(process.argv[2] ?? 5)
const connections = Number(process.argv[3] ?? 1000)
/** Milliseconds after which a response is too late. */
const patience = 5000
const rows = 1000
const processes = 2

const head = 'Host: 127.0.0.1\r\nAccept: application/json\r\n'
const note = JSON.stringify({ title: 'A note that is written under load' })
const loads: Readonly<Record<string, (item: string) => string>> = {
  'reads of an item': (item) => `GET ${item} HTTP/1.1\r\n${head}\r\n`,
  'reads of a list': () => `GET /notes?limit=20 HTTP/1.1\r\n${head}\r\n`,
  writes: () =>
    `POST /notes HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${note.length}\r\n\r\n${note}`,
}

if (process.env.RESTWELL_BENCH_SERVER === 'yes') await serve()
else await measure()

async function serve(): Promise<void> {
  const access = { read: anyone, create: anyone }
  const notes = resource({ title: text({ max: 100 }) }, { access })
  const model = checkDefinition(service({ title: 'Bench', resources: { notes } }))
  const database = process.env.RESTWELL_BENCH_DATABASE ?? 'file::memory:'
  const store = await openStore(database, schemaOf(model), () => undefined)
  const made = await createService({ model, store, observe: () => undefined, rate: 'off' })
  const wire = createSocketServer({
    handle: made.handle,
    refusalResponse: made.refusalResponse,
    refusesArrival: made.refusesArrival,
    isUrgent: made.isUrgent,
    observe: () => undefined,
  })
  const { port } = await startServer({ host: '127.0.0.1', port: 0, socketServer: wire })
  process.on('disconnect', () => process.exit(0))
  const loop = monitorEventLoopDelay({ resolution: 10 })
  loop.enable()
  process.on('message', () => {
    process.send?.({ ...process.cpuUsage(), loop: loop.max / 1e6 })
    loop.reset()
  })
  process.send?.({ port })
}

async function measure(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'restwell-overload-'))
  const server = fork(import.meta.filename, {
    execArgv: ['--conditions=source'],
    env: {
      ...process.env,
      RESTWELL_BENCH_SERVER: 'yes',
      RESTWELL_BENCH_DATABASE: `file:${join(folder, 'notes.db')}`,
    },
  })
  const [{ port }] = (await once(server, 'message')) as [{ port: number }]
  const clients = Array.from({ length: processes }, () =>
    fork(join(import.meta.dirname, 'overload-client.ts'), {
      execArgv: ['--conditions=source'],
      serialization: 'advanced',
    }),
  )
  const item = await fill(port)
  for (const [name, messageOf] of Object.entries(loads)) {
    await compare({ server, clients, port }, name, messageOf(item))
  }
  for (const child of [...clients, server]) child.disconnect()
  await once(server, 'exit')
  rmSync(folder, { recursive: true })
}

/** Creates items and returns the path of one. */
async function fill(port: number): Promise<string> {
  let path = ''
  for (let row = 0; row < rows; row += 1) {
    const response = await fetch(`http://127.0.0.1:${port}/notes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: note,
    })
    if (response.status !== 201) throw new Error(`Answered with ${response.status}`)
    await response.arrayBuffer()
    path = response.headers.get('location') ?? ''
  }
  return path
}

interface Machinery {
  readonly server: ChildProcess
  readonly clients: readonly ChildProcess[]
  readonly port: number
}

async function compare(machinery: Machinery, name: string, message: string): Promise<void> {
  const { server, clients, port } = machinery
  const load = { port, message, connections, seconds, patience }
  // The rate of 64 connections in a closed loop.
  const closed = { ...load, connections: 64, rate: 1e6 }
  await run(clients, closed)
  const before = (await usageOf(server)).seconds
  const peak = (await run(clients, closed)).good / seconds
  const busy = ((await usageOf(server)).seconds - before) / (seconds + 1)
  console.log(`${name}: peak ${peak.toFixed(0)}/s with ${busy.toFixed(2)} processors`)
  for (const times of [1, 2, 4]) {
    const probe = probeLive(port)
    const start = (await usageOf(server)).seconds
    const outcome = await run(clients, { ...load, rate: times * peak })
    const usage = await usageOf(server)
    const used = (usage.seconds - start) / (seconds + 1)
    const slowest = await probe.stop()
    const share = (count: number) => ((count / seconds / peak) * 100).toFixed(0)
    // Processor time can be compared on a shared machine.
    const thrift = ((outcome.good / seconds / used / (peak / busy)) * 100).toFixed(0)
    console.log(
      `  at ${times} x: goodput ${share(outcome.good)} %, refused ${share(outcome.refused)} %, ` +
        `late ${share(outcome.late)} %, unsent ${share(outcome.unsent)} %, ` +
        `${used.toFixed(2)} processors (goodput for each second of it ${thrift} %), loop held at most ${usage.loop.toFixed(0)} ms, live at most ${slowest.toFixed(0)} ms`,
    )
    await pause(500)
  }
}

/** Seconds of processor time, and the longest event-loop delay since the last call. */
async function usageOf(server: ChildProcess): Promise<{ seconds: number; loop: number }> {
  server.send('usage')
  const [{ user, system, loop }] = (await once(server, 'message')) as [NodeJS.CpuUsage & { loop: number }]
  return { seconds: (user + system) / 1e6, loop }
}

async function run(clients: readonly ChildProcess[], load: Load): Promise<Outcome> {
  const part = {
    ...load,
    rate: load.rate / clients.length,
    connections: load.connections / clients.length,
  }
  const outcomes = await Promise.all(
    clients.map(async (client) => {
      client.send(part)
      const [outcome] = (await once(client, 'message')) as [Outcome]
      return outcome
    }),
  )
  const sum = (of: keyof Outcome) => outcomes.reduce((all, outcome) => all + outcome[of], 0)
  return { good: sum('good'), refused: sum('refused'), late: sum('late'), unsent: sum('unsent') }
}

/** Sends the request ten times a second, each time on a new connection. */
function probeLive(port: number) {
  let slowest = 0
  let stopped = false
  const probing = (async () => {
    while (!stopped) {
      const began = performance.now()
      await askLive(port)
      slowest = Math.max(slowest, performance.now() - began)
      await pause(100)
    }
  })()
  return {
    async stop(): Promise<number> {
      stopped = true
      await probing
      return slowest
    },
  }
}

function askLive(port: number): Promise<void> {
  return new Promise((resolve) => {
    const path = '/health/live'
    const outgoing = request({ port, host: '127.0.0.1', path, agent: false }, (incoming) => {
      if (incoming.statusCode !== 200) console.log(`  live was ${incoming.statusCode}`)
      incoming.resume().on('end', resolve)
    })
    outgoing.on('error', (error) => {
      console.log(`  live failed: ${error.message}`)
      resolve()
    })
    outgoing.end()
  })
}
