/** Items that many requests change at once: each waits for its turn (docs/reference/http/writing.md, "Writing"). */

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { action, anyone, integer, list, nobody, refs, resource, service, state, text } from 'restwell'
import { freshDatabase, onPostgres } from '../database.ts'
import { eventually } from '../eventually.ts'
import { type Reply, type SendRequest, serve, type TestService } from '../service.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }

const definition = service(
  {
    title: 'Hot items',
    resources: {
      labels: resource({ name: text() }, { access }),
      logs: resource(
        {
          name: text().unique().optional(),
          entries: list(text(), { max: 1000 }).default([]),
          status: state({ initial: 'open', transitions: { end: { from: 'open', to: 'ended' } } }),
        },
        { access, tombstones: true },
      ),
      boxes: resource({ labels: refs('labels', { max: 100 }) }, { access }),
      counters: resource({ slug: text(), count: integer().default(0) }, { access, key: 'slug' }),
      tallies: resource(
        { count: integer().default(0), secret: text().optional().visibleTo(nobody) },
        { access },
      ),
    },
  },
  {
    tallies: {
      actions: {
        add: action({
          by: anyone,
          run: ({ id, count }, _input, { tallies }) => tallies.patch(id, { count: count + 1 }),
        }),
      },
    },
  },
)

const clients = 64

/** The replies to that many requests at once. */
function together(send: (client: number) => Promise<Reply>, count = clients): Promise<readonly Reply[]> {
  return Promise.all(Array.from({ length: count }, (_, client) => send(client)))
}

async function create(request: SendRequest, collection = 'logs', body: unknown = {}): Promise<string> {
  const created = await request(`POST /${collection}`, {}, body)
  assert.equal(created.status, 201, created.text)
  return String(created.fields.location)
}

const jsonPatch = { 'content-type': 'application/json-patch+json' }

/** Adds an entry: whether the change is made to the present item shows in the list. */
function append(request: SendRequest, path: string, entry: string): Promise<Reply> {
  return request(
    `PATCH ${path}`,
    jsonPatch,
    JSON.stringify([{ op: 'add', path: '/entries/-', value: entry }]),
  )
}

const statusesOf = (replies: readonly Reply[]) =>
  Object.fromEntries(
    [...Map.groupBy(replies, ({ status }) => status)].map(([status, { length }]) => [status, length]),
  )

async function entriesOf(request: SendRequest, path: string): Promise<readonly string[]> {
  return (await request(`GET ${path}`)).json.entries
}

/** Each response shows the entries up to its own, and none is lost. */
async function assertAllAppended(request: SendRequest, path: string, replies: readonly Reply[]) {
  assert.deepEqual(statusesOf(replies), { 200: replies.length })
  const all = await entriesOf(request, path)
  assert.equal(all.length, replies.length)
  const shown = replies.map(({ json }) => json.entries.length).sort((a, b) => a - b)
  assert.deepEqual(
    shown,
    replies.map((_, index) => index + 1),
  )
  for (const { json } of replies) assert.deepEqual(json.entries, all.slice(0, json.entries.length))
}

describe(`${clients} requests that change one item at once`, () => {
  it('are all applied, each to the result of the one before it', async () => {
    await using s = await serve(definition)
    const path = await create(s.request)
    const replies = await together((client) => append(s.request, path, `${client}`))
    await assertAllAppended(s.request, path, replies)
  })

  it('are attributed each to its own request in the change log, with the values before and after it', async () => {
    await using s = await serve(definition)
    const path = await create(s.request)
    const replies = await together((client) => append(s.request, path, `${client}`))
    const { store } = s.service
    const changes = await eventually(async () => {
      const read = await store.readChanges(0, 1000)
      return read.length === clients + 1 && read.slice(1)
    })
    const requestOf = new Map(replies.map(({ json, fields }) => [json.entries.length, fields['request-id']]))
    for (const [index, change] of changes.entries()) {
      assert.equal(change.version, index + 2)
      assert.equal(change.request, requestOf.get(index + 1))
      assert.deepEqual(change.actor, {})
      if (index > 0) assert.deepEqual(change.before, changes[index - 1]?.after)
    }
  })

  it('are all applied where each client sends one after the other', async () => {
    await using s = await serve(definition)
    const path = await create(s.request)
    const all: Reply[] = []
    const converse = async (client: number) => {
      for (let n = 0; n < 8; n += 1) all.push(await append(s.request, path, `${client}/${n}`))
    }
    await Promise.all(Array.from({ length: clients }, (_, client) => converse(client)))
    await assertAllAppended(s.request, path, all)
  })

  it('with the same entity tag are one 200, and 412 for all others (RFC 9110 §13.1.1)', async () => {
    await using s = await serve(definition)
    const path = await create(s.request)
    for (const round of [1, 2, 3]) {
      const match = { 'if-match': String((await s.request(`GET ${path}`)).fields.etag) }
      const send = (client: number) => s.request(`PATCH ${path}`, match, { entries: [`${round}/${client}`] })
      assert.deepEqual(statusesOf(await together(send)), { 200: 1, 412: clients - 1 })
    }
  })

  it('with a tag that is read again after each 412 are all applied in the end', async () => {
    await using s = await serve(definition)
    const path = await create(s.request)
    await together(async (client) => {
      for (;;) {
        const { json, fields } = await s.request(`GET ${path}`)
        const entries = [...json.entries, `${client}`]
        const reply = await s.request(`PATCH ${path}`, { 'if-match': String(fields.etag) }, { entries })
        if (reply.status === 200) return reply
        assert.equal(reply.status, 412, reply.text)
      }
    }, 16)
    assert.equal((await entriesOf(s.request, path)).length, 16)
  })

  it('and one that deletes it are 200 before the deletion and 410 after it', async () => {
    await using s = await serve(definition)
    const path = await create(s.request)
    const replies = await together((client) =>
      client === 40 ? s.request(`DELETE ${path}`) : append(s.request, path, `${client}`),
    )
    const statuses = statusesOf(replies)
    assert.equal(statuses[204], 1)
    assert.equal((statuses[200] ?? 0) + (statuses[410] ?? 0), clients - 1)
    const shown = replies.flatMap((reply) => (reply.status === 200 ? [reply.json.entries.length] : []))
    assert.deepEqual(
      shown.sort((a, b) => a - b),
      shown.map((_, index) => index + 1),
    )
    assert.equal((await s.request(`GET ${path}`)).status, 410)
  })

  it('and take its one transition are one 200, and 409 for all others', async () => {
    await using s = await serve(definition)
    const path = await create(s.request)
    const replies = await together(() => s.request(`PATCH ${path}`, {}, { status: 'ended' }))
    const { 200: taken = 0, 409: refused = 0 } = statusesOf(replies)
    // A request that finds the state it asks for changes nothing: 200.
    assert.equal(taken + refused, clients)
    assert.equal((await s.request(`GET ${path}`)).json.status, 'ended')
    const log = await s.service.store.readChanges(0, 1000)
    assert.equal(log.filter((entry) => entry.action === 'end').length, 1)
  })

  it('are refused alone where a value is taken: 409, and the others are applied', async () => {
    await using s = await serve(definition)
    await create(s.request, 'logs', { name: 'taken' })
    const path = await create(s.request)
    const replies = await together((client) =>
      client % 4 === 0
        ? s.request(`PATCH ${path}`, {}, { name: 'taken' })
        : append(s.request, path, `${client}`),
    )
    assert.deepEqual(statusesOf(replies), { 200: (clients * 3) / 4, 409: clients / 4 })
    assert.equal((await entriesOf(s.request, path)).length, (clients * 3) / 4)
  })

  it('with idempotency keys have their effect once', async () => {
    await using s = await serve(definition)
    const path = await create(s.request)
    const send = (client: number) => {
      const change = [{ op: 'add', path: '/entries/-', value: `${client}` }]
      return s.request(
        `PATCH ${path}`,
        { ...jsonPatch, 'idempotency-key': `k${client}` },
        JSON.stringify(change),
      )
    }
    const first = await together(send)
    await assertAllAppended(s.request, path, first)
    const again = await together(send)
    assert.deepEqual(
      again.map(({ json }) => json),
      first.map(({ json }) => json),
    )
    assert.equal((await entriesOf(s.request, path)).length, clients)
  })

  it('and add elements to a set of it are all applied', async () => {
    await using s = await serve(definition)
    const path = await create(s.request, 'boxes')
    const labels: string[] = []
    for (let n = 0; n < 32; n += 1)
      labels.push((await create(s.request, 'labels', { name: `${n}` })).slice(8))
    const replies = await together((client) => s.request(`PUT ${path}/labels/${labels[client]}`), 32)
    assert.deepEqual(statusesOf(replies), { 204: 32 })
    assert.deepEqual((await s.request(`GET ${path}`)).json.labels.toSorted(), labels.toSorted())
  })

  it('and give it another key are applied under the old one or moved to the new one', async () => {
    await using s = await serve(definition)
    await create(s.request, 'counters', { slug: 'old' })
    const replies = await together((client) =>
      s.request('PATCH /counters/old', {}, client === 30 ? { slug: 'new' } : { count: client + 1 }),
    )
    const { 200: applied = 0, 301: moved = 0, 308: kept = 0 } = statusesOf(replies)
    assert.equal(applied + moved + kept, clients)
    assert.equal((await s.request('GET /counters/new')).status, 200)
  })

  it('by actions of the definition are all applied', async () => {
    await using s = await serve(definition)
    const path = await create(s.request, 'tallies')
    const replies = await together(() => s.request(`POST ${path}/add`), 32)
    assert.deepEqual(statusesOf(replies), { 200: 32 })
    assert.equal((await s.request(`GET ${path}`)).json.count, 32)
  })

  it('and batches that change it with another item are all applied', async () => {
    await using s = await serve(definition)
    const [one, other] = [await create(s.request), await create(s.request)]
    const entry = (path: string, client: number) => ({
      method: 'PATCH',
      path,
      headers: jsonPatch,
      body: [{ op: 'add', path: '/entries/-', value: `batch ${client}` }],
    })
    const replies = await together((client) => {
      if (client % 4 !== 0) return append(s.request, client % 2 === 0 ? one : other, `${client}`)
      // In crossing orders.
      const paths = client % 8 === 0 ? [one, other] : [other, one]
      return s.request('POST /batch', {}, { requests: paths.map((path) => entry(path, client)) })
    })
    assert.deepEqual(statusesOf(replies), { 200: clients })
    const counts = [await entriesOf(s.request, one), await entriesOf(s.request, other)].map(
      ({ length }) => length,
    )
    assert.deepEqual(counts, [clients / 4 + clients / 4, clients / 2 + clients / 4])
  })

  it('and dry runs of such changes are all 200, and only the former are applied', async () => {
    await using s = await serve(definition)
    const path = await create(s.request)
    const dry = `${path}?dry-run=true`
    const replies = await together((client) => append(s.request, client % 2 === 0 ? path : dry, `${client}`))
    assert.deepEqual(statusesOf(replies), { 200: clients })
    assert.equal((await entriesOf(s.request, path)).length, clients / 2)
  })
})

describe('a waiting request', () => {
  it('whose content arrives slowly holds up no other', async () => {
    await using s = await serve(definition)
    const path = await create(s.request)
    const slow = connect(s.port, '127.0.0.1')
    slow.write(
      `PATCH ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{"en`,
    )
    const replies = await together((client) => append(s.request, path, `${client}`))
    assert.deepEqual(statusesOf(replies), { 200: clients })
    slow.destroy()
  })
})

describe('two nodes on one PostgreSQL database', () => {
  const onSeveralNodes = onPostgres ? it : () => undefined

  async function openNodes(): Promise<
    AsyncDisposable & { readonly nodes: readonly [TestService, TestService] }
  > {
    const database = await freshDatabase()
    const nodes = [await serve(definition, { database }), await serve(definition, { database })] as const
    return {
      nodes,
      async [Symbol.asyncDispose]() {
        for (const node of nodes) await node[Symbol.asyncDispose]()
      },
    }
  }

  onSeveralNodes('apply all changes of one item', async () => {
    await using both = await openNodes()
    const [one, other] = both.nodes
    const path = await create(one.request)
    for (const round of [1, 2, 3]) {
      const replies = await together((client) =>
        append((client % 2 === 0 ? one : other).request, path, `${round}/${client}`),
      )
      assert.deepEqual(statusesOf(replies), { 200: clients })
    }
    const entries = await entriesOf(one.request, path)
    assert.equal(new Set(entries).size, 3 * clients)
    assert.equal(entries.length, 3 * clients)
  })

  onSeveralNodes('are 200 before a deletion and 410 after it', async () => {
    await using both = await openNodes()
    const [one, other] = both.nodes
    const path = await create(one.request)
    const replies = await together((client) => {
      const { request } = client % 2 === 0 ? one : other
      return client === 40 ? request(`DELETE ${path}`) : append(request, path, `${client}`)
    })
    const statuses = statusesOf(replies)
    assert.equal(statuses[204], 1)
    assert.equal((statuses[200] ?? 0) + (statuses[410] ?? 0), clients - 1)
  })
})
