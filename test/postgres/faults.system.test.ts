/** A database that is unreachable, slow, or lost during a commit never causes a false acknowledgement. */

import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { anyone, resource, service, text } from '../../src/index.ts'
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { type Cluster, startCluster } from '../cluster.ts'
import { eventually } from '../eventually.ts'
import { type Fate, type FaultProxy, faultProxy } from '../fault-proxy.ts'
import { serve, type TestService } from '../service.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
const books = service({
  title: 'Books',
  resources: { books: resource({ title: text({ max: 50 }) }, { access: open }) },
})

// One test changes the settings of the server, so no other file may use it.
const cluster = await startCluster()
after(cluster.end)

interface Setting {
  readonly cluster: Cluster
  readonly proxy: FaultProxy
  readonly node: TestService
}

/** A node that reaches its database through a proxy, with statements of at most 300 ms. */
async function withNode(work: (setting: Setting) => Promise<void>): Promise<void> {
  await using proxy = await faultProxy(cluster.port)
  const direct = cluster.freshUrl()
  const database = `${direct.replace(`:${cluster.port}/`, `:${proxy.port}/`)}&statement_timeout=300`
  await using node = await serve(books, { database })
  await work({ cluster, proxy, node })
}

const statusOf = async (node: TestService, line: string, body?: unknown) =>
  (await node.request(line, {}, body)).status

describe('an unreachable database', () => {
  it('is 503 with Retry-After, at once when known, and over when it returns', () =>
    withNode(async ({ proxy, node }) => {
      await node.request('POST /books', {}, { title: 'One' })
      await proxy.cut()
      const away = await node.request('GET /books')
      assert.equal(away.status, 503)
      assert.match(away.fields['retry-after'] ?? '', /^\d+$/)
      assert.equal(await statusOf(node, 'POST /books', { title: 'Two' }), 503)
      assert.equal(await statusOf(node, 'GET /health/ready'), 503)
      assert.equal(await statusOf(node, 'GET /health/live'), 200)
      assert.equal(await statusOf(node, 'GET /'), 200)
      assert.equal(await statusOf(node, 'POST /books/x', {}), 405)
      await proxy.mend()
      await eventually(async () => (await statusOf(node, 'GET /books')) === 200)
      assert.deepEqual(
        (await node.request('GET /books')).json.map(({ title }: { title: string }) => title),
        ['One'],
      )
    }))

  it('leaves no connection open, however often it becomes unreachable', () =>
    withNode(async ({ proxy, node }) => {
      const { store } = node.service
      assert.ok(store instanceof PostgresStore)
      for (let round = 0; round < 5; round += 1) {
        const replies = Array.from({ length: 30 }, () => statusOf(node, 'GET /books'))
        await proxy.cut()
        const statuses = await Promise.all(replies)
        assert.ok(statuses.every((status) => status === 200 || status === 503))
        await proxy.mend()
        await eventually(async () => (await statusOf(node, 'GET /books')) === 200)
        assert.ok(store.pool.size <= 10)
      }
    }))

  it('that does not respond is 503 after the timeout', () =>
    withNode(async ({ proxy, node }) => {
      assert.equal(await statusOf(node, 'GET /books'), 200)
      proxy.silent = true
      assert.equal(await statusOf(node, 'GET /books'), 503)
      assert.equal(await statusOf(node, 'GET /books'), 503)
      proxy.silent = false
      await eventually(async () => (await statusOf(node, 'GET /books')) === 200)
    }))

  it('slower than usual is only slower', () =>
    withNode(async ({ proxy, node }) => {
      proxy.delay = 50
      assert.equal(await statusOf(node, 'POST /books', { title: 'Late' }), 201)
    }))
})

describe('a connection lost in the middle of a write', () => {
  /** For each statement of a write: the statement or its result is lost. */
  const fates = (word: string, fate: Fate) => (chunk: Buffer) =>
    chunk.includes(word) ? fate : ('pass' as const)

  it('a COMMIT that did not arrive is 503, and nothing was written', () =>
    withNode(async ({ proxy, node }) => {
      const { fields } = await node.request('POST /books', {}, { title: 'One' })
      const item = String(fields.location)
      proxy.fateOf = fates('commit\0', 'lose')
      assert.equal(await statusOf(node, `DELETE ${item}`), 503)
      proxy.fateOf = () => 'pass'
      await eventually(async () => (await statusOf(node, 'GET /books')) === 200)
      assert.equal((await node.request(`GET ${item}`)).json.title, 'One')
    }))

  it('a COMMIT whose result was lost is 503, whether or not it succeeded', () =>
    withNode(async ({ proxy, node }) => {
      const { fields } = await node.request('POST /books', {}, { title: 'One' })
      const item = String(fields.location)
      proxy.fateOf = fates('commit\0', 'lose-response')
      assert.equal(await statusOf(node, `DELETE ${item}`), 503)
      proxy.fateOf = () => 'pass'
      await eventually(async () => (await statusOf(node, 'GET /books')) === 200)
      assert.equal(await statusOf(node, `GET ${item}`), 404)
    }))

  for (const [what, fate, title] of [
    ['that did not arrive', 'lose', 'One'],
    ['whose result was lost', 'lose-response', 'Two'],
  ] as const) {
    it(`a change ${what} is 503; it is one statement`, () =>
      withNode(async ({ proxy, node }) => {
        const { fields } = await node.request('POST /books', {}, { title: 'One' })
        const item = String(fields.location)
        proxy.fateOf = fates("'replaced'", fate)
        assert.equal(await statusOf(node, `PATCH ${item}`, { title: 'Two' }), 503)
        proxy.fateOf = () => 'pass'
        await eventually(async () => (await statusOf(node, `GET ${item}`)) === 200)
        assert.equal((await node.request(`GET ${item}`)).json.title, title)
      }))
  }

  it('the same Idempotency-Key later gives the one true result', () =>
    withNode(async ({ proxy, node }) => {
      assert.equal(await statusOf(node, 'GET /books'), 200)
      for (const [at, fate] of (['lose', 'lose-response'] as const).entries()) {
        const create = () =>
          node.request('POST /books', { 'idempotency-key': `"k${at}"` }, { title: `Title ${at}` })
        proxy.fateOf = fates(`Title ${at}`, fate)
        assert.equal((await create()).status, 503)
        proxy.fateOf = () => 'pass'
        await eventually(async () => (await statusOf(node, 'GET /books')) === 200)
        const [one, two] = [await create(), await create()]
        assert.deepEqual([one.status, two.status], [201, 201])
        assert.equal(one.fields.location, two.fields.location)
        assert.equal((await node.request('GET /books')).json.length, at + 1)
      }
    }))

  it('a lost creation, which is one statement, is 503', () =>
    withNode(async ({ proxy, node }) => {
      assert.equal(await statusOf(node, 'GET /books'), 200)
      proxy.fateOf = fates('"inserted"', 'lose-response')
      assert.equal(await statusOf(node, 'POST /books', { title: 'One' }), 503)
      proxy.fateOf = () => 'pass'
      await eventually(async () => (await statusOf(node, 'GET /books')) === 200)
      assert.equal((await node.request('GET /books')).json.length, 1)
    }))
})

describe('a synchronous standby that is unreachable', () => {
  const standby = async (cluster: Cluster, names: string) => {
    await query(cluster, `alter system set synchronous_standby_names = '${names}'`)
    await query(cluster, 'select pg_reload_conf()')
    await eventually(async () => {
      const waits = await commitWaits(cluster)
      return waits === (names !== '')
    })
  }

  /** A setting that a session shows may not have reached the server's other processes yet. */
  const commitWaits = async (cluster: Cluster): Promise<boolean> => {
    const probe = `select pid from pg_stat_activity where wait_event = 'SyncRep' and query like '%a probe%'`
    let committed = false
    const commit = query(cluster, `select pg_logical_emit_message(true, 'a probe', '')`).then(() => {
      committed = true
    })
    let waits = false
    await eventually(async () => {
      const cancelled = await query(cluster, `select pg_cancel_backend(pid) from (${probe}) w`)
      waits ||= cancelled.length > 0
      return waits || committed
    })
    await commit
    return waits
  }

  it('a write is 503 by our own timer, and its commit is not cancelled', () =>
    withNode(async ({ cluster, node }) => {
      await standby(cluster, 'nobody')
      try {
        assert.equal(await statusOf(node, 'POST /books', { title: 'One' }), 503)
        const [row] = await query(cluster, waitingSql)
        assert.equal(row?.count, '1', 'the commit still waits')
      } finally {
        await standby(cluster, '')
      }
      await eventually(async () => (await node.request('GET /books')).json.length === 1)
    }))

  it('a commit with a replication warning is not 2xx', () =>
    withNode(async ({ cluster, node }) => {
      await standby(cluster, 'nobody')
      try {
        const pending = statusOf(node, 'POST /books', { title: 'One' })
        await eventually(async () => (await query(cluster, waitingSql))[0]?.count === '1')
        await query(cluster, `select pg_cancel_backend(pid) from (${waitersSql}) w`)
        assert.equal(await pending, 503)
      } finally {
        await standby(cluster, '')
      }
    }))

  const waitersSql = `select pid from pg_stat_activity where wait_event = 'SyncRep' and application_name = 'restwell'`
  const waitingSql = `select count(*) from (${waitersSql}) w`
})

async function query(cluster: Cluster, sql: string): Promise<Record<string, string>[]> {
  const client = new pg.Client({ connectionString: cluster.freshUrl().replace(/\?.*/, '') })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
