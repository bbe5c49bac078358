/** /events as pages, and the links of lists to their streams. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anyone, boolean, nobody, ref, refs, resource, service, text, where } from 'restwell'
import { pruneLog } from '../../../src/service/log-pruning.ts'
import { type Reply, serve, type TestService } from '../../service.ts'
import { follow } from './event-reader.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }

const definition = service({
  title: 'Tasks',
  log: '1 day',
  resources: { tasks: resource({ title: text(), tag: text().optional() }, { access: open }) },
})

const nextOf = ({ fields }: Reply) => /<([^>]*)>; rel="next"/.exec(String(fields.link))?.[1] ?? ''
const titlesOf = ({ json }: Reply) => json.map((one: { item?: { title: string } }) => one.item?.title)

/** Deletes all entries of the log. */
async function pruneAll(s: TestService): Promise<void> {
  const clock = { now: () => Date.now() + 3_600_000 }
  await pruneLog({ store: s.service.store, clock, retention: 1 }, new AbortController().signal)
}

describe('GET /events', () => {
  test('has every change from the oldest on, in pages that always have a next one', async () => {
    await using s = await serve(definition)
    for (const title of ['A', 'B', 'C', 'D', 'E']) await s.request('POST /tasks', {}, { title })
    const seen: string[] = []
    let page = await s.request('GET /events?limit=2')
    assert.equal(page.fields['cache-control'], 'no-store')
    while (page.json.length > 0) {
      seen.push(...titlesOf(page))
      page = await s.request(`GET ${nextOf(page)}`)
    }
    assert.deepEqual(seen, ['A', 'B', 'C', 'D', 'E'])
    await s.request('POST /tasks', {}, { title: 'F' })
    const more = await s.request(`GET ${nextOf(page)}`)
    assert.deepEqual(titlesOf(more), ['F'])
    assert.deepEqual(Object.keys(more.json[0]), ['id', 'event', 'type', 'href', 'version', 'at', 'item'])
  })

  test('resumes after the id of any event, by the parameter or by Last-Event-ID', async () => {
    await using s = await serve(definition)
    for (const title of ['A', 'B', 'C']) await s.request('POST /tasks', {}, { title })
    const { json } = await s.request('GET /events')
    const byParameter = await s.request(`GET /events?last-event-id=${json[1].id}`)
    const byField = await s.request('GET /events', { 'last-event-id': json[1].id })
    assert.deepEqual([titlesOf(byParameter), titlesOf(byField)], [['C'], ['C']])
    await using stream = await follow(s.port, '/tasks', { 'last-event-id': json[0].id })
    assert.equal((await stream.next())?.data.item.title, 'B')
  })

  test('has ids of which no two are equal, also for the same position', async () => {
    await using s = await serve(definition)
    await s.request('POST /tasks', {}, { title: 'A' })
    const [one, other] = [await s.request('GET /events'), await s.request('GET /events')]
    assert.notEqual(one.json[0].id, other.json[0].id)
    assert.equal(one.json[0].version, other.json[0].version)
  })

  test('names each event alike for every reader, in the feed and in streams; a position differs', async () => {
    await using s = await serve(definition)
    await using stream = await follow(s.port, '/tasks')
    const { fields } = await s.request('POST /tasks', {}, { title: 'A' })
    const [sent] = await stream.take(1)
    const { json } = await s.request('GET /events')
    assert.equal(json[0].event, sent?.data.event)
    assert.notEqual(json[0].id, sent?.id)
    await s.request(`DELETE ${fields.location}`)
    const [deleted] = await stream.take(1)
    assert.match(deleted?.data.version, /^[\w-]{22}$/)
    assert.notEqual(deleted?.data.version, sent?.data.version)
    assert.notEqual(deleted?.data.event, sent?.data.event)
    assert.notEqual(deleted?.data.event, deleted?.data.version)
  })

  test('is in every format of documents, and a page for people', async () => {
    await using s = await serve(definition)
    const { fields } = await s.request('POST /tasks', {}, { title: 'A' })
    const page = await s.request('GET /events', { accept: 'text/html' })
    assert.match(page.text, new RegExp(`<a href="${fields.location}">`))
    assert.match((await s.request('GET /events?format=xml')).text, /<type>tasks.created<\/type>/)
    assert.match((await s.request('GET /events?format=hal')).text, /"next"/)
    const home = await s.request('GET /')
    assert.equal(home.json.links.events, '/events')
  })

  test('is 400 for a forged position, a bad limit and an unknown parameter', async () => {
    await using s = await serve(definition)
    const type = async (target: string) => (await s.request(`GET ${target}`)).json.type
    assert.equal(await type('/events?last-event-id=x'), '/problems/invalid-cursor')
    assert.equal(await type('/events?limit=0'), '/problems/invalid-parameter')
    assert.equal(await type('/events?limit=1001'), '/problems/invalid-parameter')
    assert.equal(await type('/events?after=x'), '/problems/unknown-parameter')
    assert.equal((await s.request('POST /events', {}, {})).status, 405)
  })

  test('answers a position that was pruned with a reset, and goes on at the end', async () => {
    await using s = await serve(definition)
    for (const title of ['A', 'B']) await s.request('POST /tasks', {}, { title })
    const { json } = await s.request('GET /events')
    await pruneAll(s)
    const page = await s.request(`GET /events?last-event-id=${json[0].id}`)
    assert.deepEqual(
      page.json.map(({ id: _, ...rest }: { id: string }) => rest),
      [{ type: 'reset' }],
    )
    await using stream = await follow(s.port, '/tasks', { 'last-event-id': json[0].id })
    const reset = await stream.next()
    assert.deepEqual([reset?.event, reset?.data], ['reset', { type: 'reset' }])
    await s.request('POST /tasks', {}, { title: 'C' })
    assert.equal((await stream.next())?.data.item.title, 'C')
    assert.deepEqual(titlesOf(await s.request(`GET ${nextOf(page)}`)), ['C'])
    // The last event is not older than the log: nothing after it was pruned.
    assert.deepEqual(titlesOf(await s.request(`GET /events?last-event-id=${json[1].id}`)), ['C'])
  })
})

describe('a list', () => {
  test('links its stream from its own snapshot on, with its filter', async () => {
    await using s = await serve(definition)
    await s.request('POST /tasks', {}, { title: 'A', tag: 'x' })
    const list = await s.request('GET /tasks?tag=x&sort=-title')
    const link = /<([^>]*)>; rel="monitor"; type="text\/event-stream"/.exec(String(list.fields.link))?.[1]
    await s.request('POST /tasks', {}, { title: 'B', tag: 'y' })
    await s.request('POST /tasks', {}, { title: 'C', tag: 'x' })
    assert.match(String(link), /^\/tasks\?tag=x&format=event-stream&last-event-id=[\w-]{30}$/)
    // The URI names the format, so Accept does not matter.
    await using stream = await follow(s.port, String(link), { accept: '*/*' })
    assert.equal((await stream.next())?.data.item.title, 'C')
  })

  test('has no position: 400 for last-event-id, which begins a stream', async () => {
    await using s = await serve(definition)
    const { status, json } = await s.request('GET /tasks?last-event-id=x')
    assert.deepEqual([status, json.type], [400, '/problems/unknown-parameter'])
  })
})

describe('GET /{collection}/-/events', () => {
  test('has the changes of the list alone, with its filter and its fields, in pages', async () => {
    await using s = await serve(definition)
    for (const title of ['A', 'B', 'C']) await s.request('POST /tasks', {}, { title, tag: 'x' })
    await s.request('POST /tasks', {}, { title: 'D', tag: 'y' })
    const first = await s.request('GET /tasks/-/events?tag=x&fields=title&limit=2')
    assert.equal(first.fields['cache-control'], 'no-store')
    assert.deepEqual(titlesOf(first), ['A', 'B'])
    assert.deepEqual(Object.keys(first.json[0].item), ['id', 'title'])
    const second = await s.request(`GET ${nextOf(first)}`)
    assert.deepEqual(titlesOf(second), ['C'])
    assert.deepEqual(titlesOf(await s.request(`GET ${nextOf(second)}`)), [])
    const all = await s.request('GET /events')
    assert.equal(first.json[0].event, all.json[0].event)
  })

  test('is linked by the list and is in the formats of documents, but no stream', async () => {
    await using s = await serve(definition)
    const { fields } = await s.request('POST /tasks', {}, { title: 'A' })
    const { linkset } = (await s.request('GET /tasks/-/links')).json
    assert.deepEqual(linkset[0][`${s.url}/relations/events`], [{ href: '/tasks/-/events' }])
    const page = await s.request('GET /tasks/-/events', { accept: 'text/html' })
    assert.match(page.text, new RegExp(`<a href="${fields.location}">`))
    assert.match((await s.request('GET /tasks/-/events?format=hal')).text, /"next"/)
    assert.equal((await s.request('GET /tasks/-/events', { accept: 'text/event-stream' })).status, 406)
    assert.equal((await s.request('POST /tasks/-/events', {}, {})).status, 405)
  })

  test('refuses what has no effect on it with 400', async () => {
    await using s = await serve(definition)
    for (const name of ['embed', 'sort', 'after', 'before', 'last-event-id', 'limit', 'nothing']) {
      assert.equal((await s.request(`GET /tasks/-/events?${name}=-`)).status, 400, name)
    }
  })

  test('has the rights of the list, and below an item those of the item', async () => {
    const owned = service({
      title: 'Tasks',
      log: '1 day',
      resources: {
        projects: resource(
          { name: text(), open: boolean() },
          { access: { ...open, read: where({ open: true }) } },
        ),
        tasks: resource({ title: text(), project: ref('projects', { inverse: 'tasks' }) }, { access: open }),
        drafts: resource({ title: text() }, { access: { ...open, read: nobody } }),
      },
    })
    await using s = await serve(owned)
    const made = (await s.request('POST /projects', {}, { name: 'P', open: true })).json.id
    const hidden = await s.request('POST /projects', {}, { name: 'H', open: false })
    await s.request('POST /tasks', {}, { title: 'A', project: made })
    assert.deepEqual(titlesOf(await s.request(`GET /projects/${made}/tasks/-/events`)), ['A'])
    assert.equal((await s.request(`GET ${hidden.fields.location}/tasks/-/events`)).status, 404)
    assert.equal((await s.request('GET /projects/-/events')).json.length, 1)
    assert.equal((await s.request('GET /drafts/-/events')).status, (await s.request('GET /drafts')).status)
  })
})

describe('sets of references', () => {
  const labelled = service({
    title: 'Tasks',
    log: '1 day',
    resources: {
      labels: resource({ name: text() }, { access: open }),
      tasks: resource({ title: text(), labels: refs('labels') }, { access: open }),
    },
  })

  test('are in the events of an item, and a changed label resets a list that is filtered by it', async () => {
    await using s = await serve(labelled)
    const label = (await s.request('POST /labels', {}, { name: 'bug' })).json
    const task = (await s.request('POST /tasks', {}, { title: 'A' })).json
    await s.request(`PUT /tasks/${task.id}/labels/${label.id}`)
    const sets = async () => {
      const { json } = await s.request('GET /events')
      const items = json.map(({ item }: { item?: { labels?: string[] } }) => item?.labels)
      return items.filter((one: unknown) => one !== undefined)
    }
    assert.deepEqual(await sets(), [[], [label.id]])
    await using empty = await follow(s.port, '/tasks?labels[missing]=true')
    await using stream = await follow(s.port, '/tasks?labels.name=bug')
    await s.request(`PATCH /labels/${label.id}`, {}, { name: 'idea' })
    assert.equal((await stream.next())?.event, 'reset')
    await s.request(`DELETE /labels/${label.id}`)
    assert.deepEqual(await sets(), [[], [label.id], []])
    assert.deepEqual((await empty.next())?.data.item.labels, [])
  })
})
