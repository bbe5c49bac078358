/** Event streams of several nodes on one database, while their writers commit concurrently. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, integer, resource, service, text } from 'restwell'
import { cases } from '../cases.ts'
import { postgres } from '../postgres.ts'
import { type EventReader, follow } from '../requests/events/event-reader.ts'
import { serve, type TestService } from '../service.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
const definition = service({
  title: 'Notes',
  resources: { notes: resource({ name: text(), count: integer().default(0) }, { access: open }) },
})

const writers = 8
const writes = cases(400)

test(`streams of two nodes have each of ${writers * writes} concurrent changes once, in one order`, async () => {
  const database = (await postgres()).freshUrl()
  await using one = await serve(definition, { database })
  await using two = await serve(definition, { database })
  const nodes = [one, two]
  const streams = await Promise.all(nodes.map(({ port }) => follow(port, '/notes')))
  // Before the first write: a later list would begin after some of the changes.
  const starts = await Promise.all(nodes.map(feedStartOf))
  const resuming = nodes.map((node, at) => readWithBreaks(node, starts[at]!, writers * writes))
  const writing = Array.from({ length: writers }, (_, writer) => write(nodes[writer % 2]!, writer))
  const [first, second] = await Promise.all(streams.map((stream) => namesOf(stream, writers * writes)))
  await Promise.all(writing)
  assert.equal(new Set(first).size, writers * writes)
  assert.deepEqual(second, first)
  for (const sequence of await Promise.all(resuming)) assert.deepEqual(sequence, first)
  assert.deepEqual(await readLog(two), first)
  for (const stream of streams) stream.close()
})

/** Creates one note and changes it again and again. */
async function write({ request }: TestService, writer: number): Promise<void> {
  const created = await request('POST /notes', {}, { name: `${writer} 0` })
  for (let count = 1; count < writes; count += 1) {
    const reply = await request(`PATCH ${created.fields.location}`, {}, { name: `${writer} ${count}` })
    assert.equal(reply.status, 200, reply.text)
  }
}

async function namesOf(stream: EventReader, count: number): Promise<readonly string[]> {
  return (await stream.take(count)).map(({ data }) => data.item.name)
}

/** The position in the feed link of the list. */
async function feedStartOf({ request }: TestService): Promise<string> {
  const { fields } = await request('GET /notes')
  return /last-event-id=([\w-]+)/.exec(String(fields.link))?.[1] ?? ''
}

/** Disconnects after every few events and resumes. */
async function readWithBreaks(
  { port }: TestService,
  start: string,
  count: number,
): Promise<readonly string[]> {
  let id = start
  const names: string[] = []
  while (names.length < count) {
    await using stream = await follow(port, '/notes', { 'last-event-id': id })
    for (const event of await stream.take(Math.min(7, count - names.length))) {
      names.push(event.data.item.name)
      id = event.id
    }
  }
  return names
}

async function readLog({ request }: TestService): Promise<readonly string[]> {
  const names: string[] = []
  for (let next = '/events?limit=1000'; ; ) {
    const { json, fields } = await request(`GET ${next}`)
    if (json.length === 0) return names
    names.push(...json.map(({ item }: { item: { name: string } }) => item.name))
    next = /<([^>]*)>; rel="next"/.exec(String(fields.link))?.[1] ?? ''
  }
}
