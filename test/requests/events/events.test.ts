/** Streams of changes: server-sent events of the service, of collections and of items. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anyone, choice, integer, resource, service, text } from 'restwell'
import { serve } from '../../service.ts'
import { follow, type ReceivedEvent } from './event-reader.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }

const definition = service({
  title: 'Tasks',
  resources: {
    tasks: resource(
      { title: text(), status: choice(['open', 'done']).default('open'), rank: integer().optional() },
      { access: open, search: ['title'] },
    ),
    notes: resource({ body: text() }, { access: open, key: 'body' }),
  },
})

const summary = ({ event, data }: ReceivedEvent) => [event, data.type, data.href, data.item?.title]

describe('a stream of a collection', () => {
  test('has created, updated and deleted items in order, with what a GET shows', async () => {
    await using s = await serve(definition)
    await using stream = await follow(s.port, '/tasks')
    assert.equal(stream.status, 200)
    assert.equal(stream.fields['content-type'], 'text/event-stream')
    assert.equal(stream.fields['cache-control'], 'no-store')
    assert.equal(stream.fields['x-accel-buffering'], 'no')
    const made = await s.request('POST /tasks', {}, { title: 'A' })
    const href = String(made.fields.location)
    await s.request(`PATCH ${href}`, {}, { title: 'B' })
    const { json } = await s.request(`GET ${href}`)
    // Events of an item are sent while it is readable, so they are read before it is deleted.
    const [created, updated] = await stream.take(2)
    await s.request(`DELETE ${href}`)
    const deleted = await stream.next()
    assert.deepEqual(summary(created as ReceivedEvent), ['created', 'tasks.created', href, 'A'])
    assert.deepEqual(Object.keys(created?.data), ['event', 'type', 'href', 'version', 'at', 'item'])
    assert.deepEqual(created?.data.item, made.json)
    assert.deepEqual(updated?.data.item, json)
    assert.equal(updated?.data.at, json.updatedAt)
    assert.deepEqual(Object.keys(deleted?.data), ['event', 'type', 'href', 'version', 'at'])
    assert.equal(deleted?.data.href, href)
  })

  test('begins now, and has changes of other collections not', async () => {
    await using s = await serve(definition)
    await s.request('POST /tasks', {}, { title: 'before' })
    await using stream = await follow(s.port, '/tasks')
    await s.request('POST /notes', {}, { body: 'note' })
    await s.request('POST /tasks', {}, { title: 'after' })
    assert.equal((await stream.next())?.data.item.title, 'after')
  })

  test('resumes after Last-Event-ID without a gap or a repetition', async () => {
    await using s = await serve(definition)
    const titles = Array.from({ length: 12 }, (_, at) => `task ${at}`)
    let last = ''
    const seen: string[] = []
    {
      await using first = await follow(s.port, '/tasks')
      for (const title of titles.slice(0, 4)) await s.request('POST /tasks', {}, { title })
      for (const { data, id } of await first.take(3)) {
        seen.push(data.item.title)
        last = id
      }
    }
    for (const title of titles.slice(4, 8)) await s.request('POST /tasks', {}, { title })
    await using byField = await follow(s.port, '/tasks', { 'last-event-id': last })
    await using byParameter = await follow(s.port, `/tasks?last-event-id=${last}`)
    for (const title of titles.slice(8)) await s.request('POST /tasks', {}, { title })
    for (const stream of [byField, byParameter]) {
      const rest = (await stream.take(9)).map(({ data }) => data.item.title)
      assert.deepEqual([...seen, ...rest], titles)
    }
  })

  test('prefers Last-Event-ID, which is newer, to the parameter', async () => {
    await using s = await serve(definition)
    await using stream = await follow(s.port, '/tasks')
    for (const title of ['A', 'B', 'C']) await s.request('POST /tasks', {}, { title })
    const [a, b] = await stream.take(3)
    await using again = await follow(s.port, `/tasks?last-event-id=${a?.id}`, {
      'last-event-id': String(b?.id),
    })
    assert.equal((await again.next())?.data.item.title, 'C')
  })

  test('has a position from the beginning, so that a client that got no event can resume', async () => {
    await using s = await serve(definition)
    const stream = await follow(s.port, '/tasks')
    const position = await stream.firstId()
    stream.close()
    await s.request('POST /tasks', {}, { title: 'missed' })
    await using again = await follow(s.port, '/tasks', { 'last-event-id': position })
    assert.equal((await again.next())?.data.item.title, 'missed')
    assert.ok((again.retry() ?? 0) >= 1000)
  })

  test('has the items of its filter; one that leaves the filter is deleted', async () => {
    await using s = await serve(definition)
    await using stream = await follow(s.port, '/tasks?status=open&rank%5Bgte%5D=2')
    const low = await s.request('POST /tasks', {}, { title: 'low', rank: 1 })
    const high = await s.request('POST /tasks', {}, { title: 'high', rank: 2 })
    await s.request(`PATCH ${high.fields.location}`, {}, { status: 'done' })
    await s.request(`PATCH ${high.fields.location}`, {}, { title: 'hidden' })
    await s.request(`PATCH ${low.fields.location}`, {}, { rank: 5 })
    const shown = await stream.take(3)
    await s.request(`DELETE ${high.fields.location}`)
    await s.request(`DELETE ${low.fields.location}`)
    assert.deepEqual([...shown, ...(await stream.take(1))].map(summary), [
      ['created', 'tasks.created', high.fields.location, 'high'],
      ['deleted', 'tasks.deleted', high.fields.location, undefined],
      ['updated', 'tasks.updated', low.fields.location, 'low'],
      ['deleted', 'tasks.deleted', low.fields.location, undefined],
    ])
  })

  test('has the items of the condition of a QUERY (RFC 10008)', async () => {
    await using s = await serve(definition)
    const condition = { any: [{ status: 'done' }, { rank: { gte: 5 } }] }
    await using stream = await follow(s.port, '/tasks', {}, { condition })
    assert.equal(stream.status, 200)
    await s.request('POST /tasks', {}, { title: 'neither', rank: 1 })
    await s.request('POST /tasks', {}, { title: 'ranked', rank: 5 })
    await s.request('POST /tasks', {}, { title: 'done', status: 'done' })
    assert.deepEqual(
      (await stream.take(2)).map(({ data }) => data.item.title),
      ['ranked', 'done'],
    )
  })

  test('searches the words of the logged values', async () => {
    await using s = await serve(definition)
    await using stream = await follow(s.port, '/tasks?q=paint')
    await s.request('POST /tasks', {}, { title: 'Mow the lawn' })
    const made = await s.request('POST /tasks', {}, { title: 'Painting the fence' })
    await s.request(`PATCH ${made.fields.location}`, {}, { title: 'Fence' })
    assert.deepEqual((await stream.take(2)).map(summary), [
      ['created', 'tasks.created', made.fields.location, 'Painting the fence'],
      ['deleted', 'tasks.deleted', made.fields.location, undefined],
    ])
  })

  test('shows the chosen fields, and no change of others', async () => {
    await using s = await serve(definition)
    await using stream = await follow(s.port, '/tasks?fields=title')
    const { fields, json } = await s.request('POST /tasks', {}, { title: 'A' })
    await s.request(`PATCH ${fields.location}`, {}, { rank: 1 })
    await s.request(`PATCH ${fields.location}`, {}, { title: 'B' })
    const [created, updated] = await stream.take(2)
    assert.deepEqual(created?.data.item, { id: json.id, title: 'A' })
    assert.equal(updated?.data.item.title, 'B')
  })

  test('refuses unsuitable parameters and forged positions with 400', async () => {
    await using s = await serve(definition)
    const type = async (path: string, fields = {}) => {
      await using stream = await follow(s.port, path, fields)
      return [stream.status, JSON.parse(await stream.text()).type]
    }
    for (const name of ['embed', 'limit', 'sort', 'after', 'before']) {
      assert.deepEqual(await type(`/tasks?${name}=1`), [400, '/problems/invalid-parameter'], name)
    }
    assert.deepEqual(await type('/events?limit=1'), [400, '/problems/invalid-parameter'])
    assert.deepEqual(await type('/tasks/-/aggregate?aggregate=count'), [406, '/problems/not-acceptable'])
    assert.deepEqual(await type('/tasks?titel=x'), [400, '/problems/unknown-parameter'])
    assert.deepEqual(await type('/tasks?last-event-id=forged'), [400, '/problems/invalid-cursor'])
    assert.deepEqual(await type('/tasks', { 'last-event-id': 'a'.repeat(48) }), [
      400,
      '/problems/invalid-cursor',
    ])
    assert.deepEqual(await type('/events?q=x'), [400, '/problems/unknown-parameter'])
    const post = await s.request('POST /tasks', { accept: 'text/event-stream' }, { title: 'A' })
    assert.equal(post.status, 406)
  })

  test('answers HEAD with the fields and no stream', async () => {
    await using s = await serve(definition)
    const { status, fields } = await s.request('HEAD /tasks', { accept: 'text/event-stream' })
    assert.deepEqual([status, fields['content-type']], [200, 'text/event-stream'])
  })
})

describe('a stream of an item', () => {
  test('has the changes of this item, also after its key changed', async () => {
    await using s = await serve(definition)
    await s.request('POST /notes', {}, { body: 'one' })
    await s.request('POST /notes', {}, { body: 'two' })
    await using stream = await follow(s.port, '/notes/one')
    await s.request('PATCH /notes/two', {}, { body: 'three' })
    await s.request('PATCH /notes/one', {}, { body: 'four' })
    const updated = await stream.take(1)
    await s.request('DELETE /notes/four')
    assert.deepEqual(
      [...updated, ...(await stream.take(1))].map(({ data }) => [data.type, data.href]),
      [
        ['notes.updated', '/notes/four'],
        ['notes.deleted', '/notes/four'],
      ],
    )
  })

  test('of an absent or hidden item is 404', async () => {
    await using s = await serve(definition)
    await using stream = await follow(s.port, '/tasks/none')
    assert.equal(stream.status, 404)
  })
})

describe('the stream of the service', () => {
  test('has the changes of all collections', async () => {
    await using s = await serve(definition)
    await using stream = await follow(s.port, '/events')
    await s.request('POST /notes', {}, { body: 'one' })
    await s.request('POST /tasks', {}, { title: 'A' })
    assert.deepEqual(
      (await stream.take(2)).map(({ data }) => data.type),
      ['notes.created', 'tasks.created'],
    )
  })

  test('ends when the service stops', async () => {
    const s = await serve(definition)
    const stream = await follow(s.port, '/events')
    s.service.retire('The service is stopping.')
    await stream.ended
    await s[Symbol.asyncDispose]()
  })

  test('sends a heartbeat, which has an id only, when nothing happened for 15 seconds', async () => {
    await using s = await serve(definition)
    await using stream = await follow(s.port, '/events')
    const first = await stream.firstId()
    s.advance(15_000)
    await stream.heartbeat()
    assert.notEqual(stream.lastId(), first)
  })
})
