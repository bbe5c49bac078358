/**
 * Compares the processor time of a request without traces, with a tenth of them, and with all of them.
 * `node --conditions=source bench/tracing.ts [requests]`
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ListeningProcess, startService } from './listening-process.ts'
import { note } from './note.ts'
import { processorTimeOf } from './process-tree.ts'
import { median } from './rounds.ts'

const requests = Number(process.argv[2] ?? 2000)
const rounds = 3
const connections = 16

/** A collector that reads everything and keeps nothing. */
const collector = createServer((incoming, response) => {
  incoming.resume().on('end', () => response.end('{}'))
})
collector.listen(0, '127.0.0.1')
await new Promise((resolve) => collector.once('listening', resolve))
// A server that listens on a port has such an address.
const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`

const settings: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'without traces': {},
  'a tenth of the traces': {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.1',
  },
  'all traces': { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
}

const folder = mkdtempSync(join(tmpdir(), 'restwell-tracing-'))
const agent = new Agent({ keepAlive: true, maxSockets: connections })
const measured = await Promise.all(
  Object.entries(settings).map(async ([name, environment], at) => {
    const database = `file:${join(folder, `${at}.db`)}`
    const service = await startService('bench/notes.ts', { DATABASE_URL: database, ...environment })
    const location = await send(service, 'POST', '/notes')
    return { name, service, location, times: { read: [] as number[], create: [] as number[] } }
  }),
)
// The first round warms up. The settings take turns, so that other load affects all.
for (let round = 0; round <= rounds; round += 1) {
  for (const { service, location, times } of measured) {
    const read = await processorTimePerRequest(service, () => send(service, 'GET', location))
    const create = await processorTimePerRequest(service, () => send(service, 'POST', '/notes'))
    if (round === 0) continue
    times.read.push(read)
    times.create.push(create)
  }
}
for (const workload of ['read', 'create'] as const) {
  const base = median(measured[0]?.times[workload] ?? [])
  for (const { name, times } of measured) {
    const time = median(times[workload])
    process.stdout.write(`${workload}, ${name}: ${time.toFixed(0)} µs (${(time / base).toFixed(2)})\n`)
  }
}
for (const { service } of measured) await service.stop()
agent.destroy()
collector.close()
collector.closeAllConnections()
rmSync(folder, { recursive: true })

/** Microseconds, over several connections at a time. */
async function processorTimePerRequest(
  { pid }: ListeningProcess,
  ask: () => Promise<string>,
): Promise<number> {
  const began = processorTimeOf(pid)
  let sent = 0
  const client = async () => {
    for (; sent < requests; sent += 1) await ask()
  }
  await Promise.all(Array.from({ length: connections }, client))
  return (processorTimeOf(pid) - began) / requests
}

/** Returns the Location of the response, or an empty text. */
function send(service: ListeningProcess, method: string, path: string): Promise<string> {
  const { port } = service
  const body = method === 'POST' ? JSON.stringify(note) : ''
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const outgoing = request({ port, host: '127.0.0.1', method, path, headers, agent }, (response) => {
      const { statusCode } = response
      const isExpected = statusCode === (method === 'POST' ? 201 : 200)
      // On a busy machine the service may be overloaded; the request is repeated then.
      if (!isExpected && statusCode !== 503) reject(new Error(`${method} was ${statusCode}`))
      const next = () => (isExpected ? (response.headers.location ?? '') : send(service, method, path))
      response.resume().on('end', () => resolve(next()))
    })
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}
