/** The limits of event streams: their number, their memory, and clients that do not read. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { test } from 'node:test'
import { anyone, ref, resource, service, text, where } from 'restwell'
import { cases } from '../../cases.ts'
import { lastingDatabase } from '../../database.ts'
import { eventually } from '../../eventually.ts'
import { startNode } from '../../reliability/node.ts'
import { createRequester, serve } from '../../service.ts'
import { follow } from './event-reader.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }

const definition = service({
  title: 'Notes',
  resources: {
    folders: resource(
      { name: text(), status: text().default('open') },
      { access: { ...open, read: where({ status: 'open' }) } },
    ),
    notes: resource(
      { body: text({ max: 200_000 }), folder: ref('folders', { inverse: 'notes' }).optional() },
      { access: open },
    ),
  },
})

test('a caller at its limit of event streams gets 429, until one ends (RFC 6585 §4)', async () => {
  await using s = await serve(definition, { eventStreams: { perCaller: 2, perProcess: 100 } })
  const first = await follow(s.port, '/notes')
  await using second = await follow(s.port, '/events')
  const { status, fields } = await s.request('GET /notes', { accept: 'text/event-stream' })
  assert.equal(status, 429)
  assert.ok(Number(fields['retry-after']) > 0)
  first.close()
  await eventually(async () => {
    await using third = await follow(s.port, '/notes')
    if (third.status === 200) return true
    assert.equal(third.status, 429)
    return false
  })
  assert.equal(second.status, 200)
})

test('a process at its limit of event streams answers 503', async () => {
  await using s = await serve(definition, { eventStreams: { perCaller: 100, perProcess: 1 } })
  await using _ = await follow(s.port, '/notes')
  assert.equal((await s.request('GET /notes', { accept: 'text/event-stream' })).status, 503)
})

test('a client that does not read is disconnected, and resumes without loss', async () => {
  await using s = await serve(definition)
  await using other = await follow(s.port, '/notes')
  const stream = await follow(s.port, '/notes')
  const start = await stream.firstId()
  stream.pause()
  const bodies = Array.from({ length: 60 }, (_, at) => `${at} `.padEnd(150_000, 'x'))
  const numberOf = (event: { data: { item: { body: string } } }) => Number.parseInt(event.data.item.body, 10)
  const numbers = bodies.keys().toArray()
  const reading = other.take(bodies.length)
  for (const body of bodies) await s.request('POST /notes', {}, { body })
  assert.deepEqual((await reading).map(numberOf), numbers)
  stream.resume()
  await stream.ended
  const seen: number[] = []
  let last = start
  for (let event = await stream.next(); event; event = await stream.next()) {
    seen.push(numberOf(event))
    last = event.id
  }
  assert.ok(seen.length < bodies.length)
  await using again = await follow(s.port, '/notes', { 'last-event-id': last })
  const rest = await again.take(bodies.length - seen.length)
  assert.deepEqual([...seen, ...rest.map(numberOf)], numbers)
})

test('a sub-collection has the changes of its items, and its stream ends with its parent', async () => {
  await using s = await serve(definition)
  const [one, two] = [
    await s.request('POST /folders', {}, { name: 'A' }),
    await s.request('POST /folders', {}, { name: 'B' }),
  ]
  await using stream = await follow(s.port, `${one.fields.location}/notes`)
  await s.request('POST /notes', {}, { body: 'other', folder: two.json.id })
  const note = await s.request('POST /notes', {}, { body: 'own', folder: one.json.id })
  await s.request(`PATCH ${note.fields.location}`, {}, { folder: two.json.id })
  assert.deepEqual(
    (await stream.take(2)).map(({ data }) => [data.type, data.href]),
    [
      ['notes.created', note.fields.location],
      ['notes.deleted', note.fields.location],
    ],
  )
  await s.request(`PATCH ${one.fields.location}`, {}, { status: 'closed' })
  await stream.ended
  await using none = await follow(s.port, `${one.fields.location}/notes`)
  assert.equal(none.status, 404)
})

const idle = cases(10_000, 10)

test(`${idle} idle streams take less than 50 kB each`, async (t) => {
  const database = await lastingDatabase(t)
  // The space for new objects grows to 48 MB with any work. In a run with few streams that would count as theirs.
  const environment = { NODE_OPTIONS: '--max-semi-space-size=2' }
  const node = await startNode({ definition: 'examples/shop.ts', database, environment })
  for (let warm = 0; warm < 200; warm += 1) await createRequester(node.port)('GET /products')
  // Their code and the first growth of the heap are not part of what a stream takes.
  for (const stream of await connectMany(node.port, 200, 201)) stream.destroy()
  const before = residentOctets(node.process.pid as number)
  const streams = await connectMany(node.port, idle)
  const grown = residentOctets(node.process.pid as number) - before
  for (const stream of streams) stream.destroy()
  t.diagnostic(`${Math.round(grown / idle / 1000)} kB each`)
  assert.ok(grown < idle * 50_000, `${grown} octets`)
})

/** Streams one after the other, a hundred from each address from 127.0.1.1 on: an address may have no more. */
async function connectMany(port: number, count: number, first = 1) {
  const streams = []
  for (let number = 0; number < count; number += 1) {
    streams.push(await connectIdle(port, `127.0.${first + Math.floor(number / 100)}.1`))
  }
  return streams
}

function connectIdle(port: number, localAddress: string) {
  return new Promise<ReturnType<typeof httpRequest>>((resolve, reject) => {
    const headers = { accept: 'text/event-stream' }
    const options = { port, host: '127.0.0.1', path: '/products', headers, localAddress, agent: false }
    const outgoing = httpRequest(options, (incoming) => {
      incoming.on('error', () => undefined)
      incoming.resume()
      if (incoming.statusCode === 200) resolve(outgoing)
      else reject(new Error(`Status ${incoming.statusCode}`))
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}

/** The resident set, from Linux' /proc. */
function residentOctets(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) * 1024
}
