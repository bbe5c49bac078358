/** Several workers behave like one process (docs/reference/http/limits.md, Operation). */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { cases } from '../cases.ts'
import { folderOf, outcomeOf, root } from '../commands/command.ts'
import { eventually } from '../eventually.ts'
import {
  admin,
  clientOf,
  clientsOf,
  replacedWorkers,
  startWorkers,
  waitForExit,
  workersOf,
} from '../reliability/worker-service.ts'
import { basic } from '../service.ts'

const shop = join(root, 'examples/shop.ts')
const product = (sku: string) => ({ sku, name: 'Product', price: '1.00' })

test('one service with two workers', async (t) => {
  const service = await startWorkers(t)

  await t.test('a write acknowledged by one worker is read by another at once', async (t) => {
    const [one, other] = await clientsOf(t, service.port)
    for (let n = 0; n < cases(500); n += 1) {
      const [writer, reader] = n % 2 === 0 ? [one, other] : [other, one]
      assert.equal((await writer('POST /products', admin, product(`P${n}`))).status, 201)
      assert.equal((await reader(`GET /products/P${n}`)).status, 200)
      const changed = await writer(`PATCH /products/P${n}`, { ...admin, 'if-match': '*' }, { stock: n + 1 })
      assert.equal(changed.status, 200, changed.text)
      const seen = await reader(`GET /products/P${n}`)
      assert.deepEqual([seen.json.stock, seen.fields.etag], [n + 1, changed.fields.etag])
    }
  })

  await t.test(
    'one of 20 writers with the same If-Match succeeds across workers (RFC 9110 §13.1.1)',
    async (t) => {
      const clients = await Promise.all(Array.from({ length: 20 }, () => clientOf(t, service.port)))
      const reader = await clientOf(t, service.port)
      await reader('POST /products', admin, product('RACE'))
      for (let round = 1; round <= cases(50); round += 1) {
        const { fields } = await reader('GET /products/RACE')
        const statuses = await Promise.all(
          clients.map(async (request, n) => {
            const condition = { ...admin, 'if-match': String(fields.etag) }
            return (await request('PATCH /products/RACE', condition, { name: `${round} ${n}` })).status
          }),
        )
        assert.deepEqual(statuses.toSorted(), [200, ...Array(19).fill(412)])
      }
    },
  )

  await t.test(
    'connections go to the workers in turn; when a worker ends, only its own connections break',
    async (t) => {
      const sockets = Array.from({ length: 6 }, () => connect(service.port, '127.0.0.1'))
      t.after(() => sockets.map((socket) => socket.destroy()))
      const asked = async (socket: Socket) => {
        socket.write('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n')
        await once(socket, 'data')
      }
      for (const socket of sockets) {
        await asked(socket)
        socket.on('error', () => undefined)
      }
      process.kill(workersOf(service)[0] as number, 'SIGKILL')
      const isOpen = (socket: Socket) => !socket.destroyed
      await eventually(() => sockets.filter(isOpen).length <= 3)
      for (const socket of sockets.filter(isOpen)) await asked(socket)
      assert.equal(sockets.filter(isOpen).length, 3)
    },
  )

  assert.equal(await service.stop(), 0)
})

test('one Idempotency-Key has one effect across workers', async (t) => {
  const service = await startWorkers(t, { definition: 'test/reliability/fixtures/notes.ts' })
  const clients = await Promise.all(Array.from({ length: 6 }, () => clientOf(t, service.port)))
  for (let n = 0; n < cases(100); n += 1) {
    const content = { title: `note ${n}` }
    const key = { 'idempotency-key': `"key ${n}"` }
    const replies = await Promise.all(clients.map((request) => request('POST /notes', key, content)))
    const made = replies.filter(({ status }) => status === 201)
    assert.ok(made.length > 0)
    assert.equal(new Set(made.map(({ text }) => text)).size, 1)
    // On the worker that is at it: 409.
    for (const { status } of replies) assert.ok(status === 201 || status === 409, String(status))
  }
  const { json } = await (await clientOf(t, service.port))('GET /notes?limit=1000')
  assert.equal(json.length, cases(100))
  assert.equal(await service.stop(), 0)
})

test('failed sign-ins are counted across workers (docs/reference/http/limits.md, Limits)', async (t) => {
  const service = await startWorkers(t)
  const [one, other] = await clientsOf(t, service.port)
  const wrong = basic('admin@example.org', 'wrong')
  for (let n = 0; n < 10; n += 1) {
    const request = n % 2 === 0 ? one : other
    assert.equal((await request('GET /products', wrong)).status, 401)
  }
  for (const request of [one, other]) {
    const refused = await request('GET /products', wrong)
    assert.equal(refused.status, 429)
    assert.match(String(refused.fields['retry-after']), /^[1-9]\d?$/)
  }
  assert.equal(await service.stop(), 0)
})

test('the rate limit of a caller counts requests to all workers', async (t) => {
  const service = await startWorkers(t, { environment: { RESTWELL_RATE: '20' } })
  const [one, other] = await clientsOf(t, service.port)
  const statuses: number[] = []
  for (let n = 0; n < 21; n += 1) statuses.push((await one('GET /products')).status)
  assert.deepEqual(statuses, [...Array(20).fill(200), 429])
  let taken = 0
  await eventually(async () => {
    if ((await other('GET /products')).status !== 200) return true
    taken += 1
    return false
  })
  assert.ok(taken < 20, `${taken} more were given`)
  assert.equal(await service.stop(), 0)
})

test('/metrics and /status are sums over all workers, including ended ones', async (t) => {
  const begun = Date.now()
  const service = await startWorkers(t)
  for (let n = 0; n < 4; n += 1) await (await clientOf(t, service.port))('GET /products')
  const counted = async () => {
    const { text } = await (await clientOf(t, service.port))('GET /metrics', admin)
    const line = /^http_requests_total\{method="GET",route="\/products",status="2xx"\} (\d+)$/m
    return Number(line.exec(text)?.[1])
  }
  assert.equal(await counted(), 4)
  const before = workersOf(service)
  process.kill(before[0] as number, 'SIGKILL')
  await replacedWorkers(service, before, before[0] as number)
  assert.equal(await counted(), 4)
  const status = await (await clientOf(t, service.port))('GET /status', admin)
  assert.equal(status.status, 200)
  assert.ok(status.json.memory > 0)
  assert.ok(Date.parse(status.json.started) >= begun - 1000, `started ${status.json.started}`)
  assert.ok(status.json.uptime <= (Date.now() - begun) / 1000 + 1, `up for ${status.json.uptime} s`)
  const routes: readonly { method: string; route: string; requests: number }[] = status.json.routes
  assert.equal(routes.find(({ method, route }) => method === 'GET' && route === '/products')?.requests, 4)
  assert.equal(await service.stop(), 0)
})

test('an error at the start is printed once', async (t) => {
  const other = createServer().listen(0, '127.0.0.1')
  t.after(() => other.close())
  await new Promise((resolve) => other.once('listening', resolve))
  const { port } = other.address() as { port: number }
  const file = join(await folderOf(t), 'shop.db')
  const service = await startWorkers(t, { database: `file:${file}` })
  const args = ['serve', shop, '--host', '127.0.0.1', '--workers', '2']
  const cases: readonly (readonly [string[], RegExp])[] = [
    [['--database', 'file::memory:', '--port', `${port}`], /^Port \d+ on 127\.0\.0\.1 is in use/],
    [['--database', `file:${file}`, '--port', '0'], /is in use by another process\. Stop that one/],
    [['--database', 'file::memory:', '--workers', '0'], /^The number of workers must be 'auto' or a number/],
    [['--database', 'file::memory:', '--workers', '257'], /^The number of workers must be 'auto' or a num/],
  ]
  for (const [more, expected] of cases) {
    const { code, stdout, stderr } = await outcomeOf([...args, ...more])
    assert.equal(code, 1)
    assert.doesNotMatch(stdout, /Listening/)
    assert.match(stderr, expected)
    assert.equal(stderr.trimEnd().split('\n').length, 1, stderr)
  }
  assert.equal(await service.stop(), 0)
})

test('workers end with the primary, and the service can start again', async (t) => {
  const database = `file:${join(await folderOf(t), 'shop.db')}`
  const service = await startWorkers(t, { database })
  const request = await clientOf(t, service.port)
  assert.equal((await request('POST /products', admin, product('KEPT'))).status, 201)
  const workers = workersOf(service)
  assert.equal(workers.length, 2)
  service.process.kill('SIGKILL')
  await waitForExit(workers)
  const next = await startWorkers(t, { database, port: service.port })
  const again = await clientOf(t, next.port)
  assert.equal((await again('GET /products/KEPT')).status, 200)
  assert.equal(await next.stop(), 0)
})
