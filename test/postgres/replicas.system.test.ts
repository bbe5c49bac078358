/** Reading from a standby: only what may be old, only while it is no older, and never to anyone's harm. */

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { anyone, choice, email, password, resource, role, service, text } from '../../src/index.ts'
import { type Cluster, type Standby, startCluster } from '../cluster.ts'
import { eventually } from '../eventually.ts'
import { faultProxy } from '../fault-proxy.ts'
import { admin, type SendRequest, serve, type TestService } from '../service.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
const definition = (maxAge: number) =>
  service({
    title: 'News',
    accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
    resources: {
      users: resource(
        {
          email: email().unique(),
          password: password(),
          role: choice(['admin']).writableBy(role('admin')),
        },
        { access },
      ),
      news: resource({ title: text() }, { access, key: 'title', cache: { maxAge } }),
      stock: resource({ title: text() }, { access, key: 'title' }),
    },
  })

const patch = { 'content-type': 'application/merge-patch+json' }
let cluster: Cluster
let standby: Standby

before(async () => {
  cluster = await startCluster()
  standby = await cluster.standby()
})
after(() => cluster.end())

/** A word to the standby itself. */
async function tell(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: standby.urlOf(cluster.freshUrl()) })
  await client.connect()
  await client.query(sql).finally(() => client.end())
}

interface World {
  readonly request: SendRequest
  readonly node: TestService
}

/** Replay on the standby is paused at one item of each kind, titled `old`; the primary has newer ones. */
async function divided(maxAge: number, work: (world: World) => Promise<void>): Promise<void> {
  const database = cluster.freshUrl()
  await using node = await serve(definition(maxAge), {
    database,
    replicas: [standby.urlOf(database)],
  })
  const { request } = node
  for (const name of ['news', 'stock']) await request(`POST /${name}`, {}, { title: 'old' })
  // The standby is used once its position is known.
  await eventually(async () => node.service.store.replica?.(maxAge) !== undefined)
  const lagging = () => node.service.store.replica?.(maxAge)?.list(oldOnes) ?? []
  await eventually(async () => (await lagging()).length === 1)
  await tell('select pg_wal_replay_pause()')
  try {
    await eventually(async () => (await paused()) === 'paused')
    for (const name of ['news', 'stock']) {
      const reply = await request(`POST /${name}`, {}, { title: 'new' })
      assert.equal(reply.status, 201, reply.text)
    }
    await work({ request, node })
  } finally {
    await tell('select pg_wal_replay_resume()')
  }
}

const oldOnes = {
  table: 'news',
  condition: { kind: 'always' },
  order: [{ column: '_identity', descending: false }],
  after: undefined,
  limit: 10,
  evaluated: [],
} as const

async function paused(): Promise<string> {
  const client = new pg.Client({ connectionString: standby.urlOf(cluster.freshUrl()) })
  await client.connect()
  const { rows } = await client.query('select pg_get_wal_replay_pause_state() as state')
  await client.end()
  return rows[0].state
}

const titles = async (request: SendRequest, line: string, fields = {}) => {
  const reply = await request(line, fields)
  assert.equal(reply.status, 200, reply.text)
  return reply.json.map(({ title }: { title: string }) => title)
}

describe('a standby that is behind', () => {
  it('serves anonymous reads of resources that declare a max-age, and no others', () =>
    divided(600, async ({ request }) => {
      assert.deepEqual(await titles(request, 'GET /news'), ['old'])
      assert.deepEqual(await titles(request, 'GET /stock'), ['new', 'old'], 'declares no max-age')
      assert.deepEqual(await titles(request, 'GET /news', admin), ['new', 'old'], 'signed in')
      const queried = await request('QUERY /news', {}, {})
      assert.equal(queried.json.length, 2, 'no GET')
      const counted = await request('HEAD /news', { prefer: 'count=exact' })
      assert.equal(counted.fields['total-count'], '1')
      const page = await request('GET /news?format=html')
      assert.match(page.text, /new/, 'an HTML page is not read from a replica')
      assert.equal((await request('GET /')).status, 200, 'a document has no resource')
    }))

  it('is not used for a request that accepts less than its staleness (RFC 9111 §5.2.1)', () =>
    divided(600, async ({ request }) => {
      for (const directive of ['no-cache', 'max-age=0', 'max-stale=5, No-Cache', 'max-age=x']) {
        assert.deepEqual(await titles(request, 'GET /news', { 'cache-control': directive }), ['new', 'old'])
      }
      const lenient = { 'cache-control': 'max-age=600, only-if-cached' }
      assert.deepEqual(await titles(request, 'GET /news', lenient), ['old'])
    }))

  it('causes no 404 for an item that it lacks, and is not used for writes', () =>
    divided(600, async ({ request }) => {
      const created = await request('GET /news/new')
      assert.equal(created.status, 200)
      const key = { 'idempotency-key': '"one"' }
      const first = await request('POST /news', key, { title: 'newer' })
      const again = await request('POST /news', key, { title: 'newer' })
      assert.deepEqual([again.status, again.text], [201, first.text])
      const match = { ...patch, 'if-match': created.fields.etag! }
      assert.equal((await request('PATCH /news/new', match, '{"title":"renamed"}')).status, 200)
      assert.equal((await request('PATCH /news/renamed', match, '{"title":"lost"}')).status, 412)
      assert.equal((await request('GET /news/new')).status, 301)
    }))

  it('is not used once it is further behind than the max-age', () =>
    divided(1, async ({ request }) => {
      await eventually(async () => (await titles(request, 'GET /news')).length === 2)
      assert.deepEqual(await titles(request, 'GET /news'), ['new', 'old'])
    }))
})

describe('a standby that is unreachable', () => {
  it('is done without at once, and used again when it is back', async () => {
    const database = cluster.freshUrl()
    const replicas = [standby.urlOf(database)]
    await using node = await serve(definition(600), { database, replicas })
    const { request, observations } = node
    await request('POST /news', {}, { title: 'one' })
    await eventually(async () => node.service.store.replica?.(600) !== undefined)
    await standby.stop()
    try {
      for (let n = 0; n < 20; n += 1) assert.deepEqual(await titles(request, 'GET /news'), ['one'])
      assert.equal((await request('GET /health/ready')).status, 200)
      assert.equal((await request('GET /metrics', admin)).status, 200)
      await eventually(async () => observations.some(({ kind }) => kind === 'replica-unavailable'))
      assert.ok(!observations.some(({ kind }) => kind === 'store-unavailable'))
    } finally {
      await standby.start()
    }
    await eventually(async () => node.service.store.replica?.(600) !== undefined)
    assert.deepEqual(await titles(request, 'GET /news'), ['one'])
    assert.equal(observations.filter(({ kind }) => kind === 'replica-unavailable').length, 1)
  })

  it('or silent costs one reader a second, and the others nothing', async () => {
    const database = cluster.freshUrl()
    await using proxy = await faultProxy(standby.port)
    const replicas = [standby.urlOf(database).replace(`:${standby.port}/`, `:${proxy.port}/`)]
    await using node = await serve(definition(600), { database, replicas })
    await node.request('POST /news', {}, { title: 'one' })
    await eventually(async () => node.service.store.replica?.(600) !== undefined)
    proxy.silent = true
    assert.deepEqual(await titles(node.request, 'GET /news'), ['one'])
    assert.equal(node.service.store.replica?.(600), undefined, 'it is not used again')
    assert.deepEqual(await titles(node.request, 'GET /news'), ['one'])
  })

  it('at the start does not prevent the service from starting', async () => {
    const database = cluster.freshUrl()
    const replicas = ['postgres://nobody@127.0.0.1:1/nothing']
    await using node = await serve(definition(600), { database, replicas })
    await node.request('POST /news', {}, { title: 'one' })
    assert.deepEqual(await titles(node.request, 'GET /news'), ['one'])
  })
})

describe('a server that is not used', () => {
  const reasons = {
    'is the primary itself': [(url: string) => url, /is not a standby/],
    'follows another database': [
      (url: string) => standby.urlOf(url).replace('/postgres?', '/template1?'),
      /is a standby of another database/,
    ],
  } as const

  for (const [reason, [urlOf, expected]] of Object.entries(reasons)) {
    it(`${reason}, and this is logged`, async () => {
      const database = cluster.freshUrl()
      const replicas = [urlOf(database)]
      await using node = await serve(definition(600), { database, replicas })
      const causes = () =>
        node.observations.flatMap((one) => (one.kind === 'replica-unavailable' ? [String(one.cause)] : []))
      await eventually(async () => causes().length > 0)
      assert.match(causes()[0]!, expected)
      assert.equal(node.service.store.replica?.(600), undefined)
    })
  }
})
