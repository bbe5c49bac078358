/** A full disk: writes are 507, reads continue, and writes succeed again when there is space. */

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { cases } from '../cases.ts'
import { type RunningCommand, root, running, type Settings } from '../commands/command.ts'
import { onSmallDisk } from '../commands/small-disk.ts'
import { basic, createRequester, type SendRequest } from '../service.ts'

const admin = basic('admin@example.org', 'correct horse battery')
const rounds = cases(20)

const title = `a disk that fills up ${rounds} times: 507, reads go on, acknowledged is stored`

test(title, (t) =>
  onSmallDisk(t, '8m', async (folder) => {
    const acknowledged = new Set<string>()
    const node = await startNode(folder)
    const request = createRequester(node.port)
    assert.equal(await create(request, 'FIRST'), 201)
    acknowledged.add('FIRST')
    for (let round = 1; round <= rounds; round += 1) {
      const ballast = join(folder, 'ballast')
      await writeFile(ballast, Buffer.alloc((await roomIn(folder)) - 300_000))
      assert.equal(await fill(request, `R${round}`, acknowledged), 507)
      assert.equal((await request('GET /products/FIRST')).status, 200, 'reads go on')
      await rm(ballast)
      assert.equal(await create(request, `HEALED-${round}`), 201, 'writes heal')
      acknowledged.add(`HEALED-${round}`)
    }
    assert.deepEqual(await stored(request), acknowledged)
    assert.equal(await node.stop(), 0)
    const again = await startNode(folder)
    assert.deepEqual(await stored(createRequester(again.port)), acknowledged, 'after a restart too')
    assert.equal(await again.stop(), 0)
    t.diagnostic(`${acknowledged.size} writes acknowledged, all stored`)
  }),
)

test('/health/ready is 503 while the disk is full, for a load balancer does not expect 507', (t) =>
  onSmallDisk(t, '8m', async (folder) => {
    // After a second start the log is empty, so that a probe needs room for the first of it.
    assert.equal(await (await startNode(folder)).stop(), 0)
    const node = await startNode(folder)
    const request = createRequester(node.port)
    const filler = join(folder, 'filler')
    await assert.rejects(writeFile(filler, Buffer.alloc(2 ** 24)), { code: 'ENOSPC' })
    assert.equal((await request('GET /health/ready')).status, 503)
    await rm(filler)
    assert.equal((await request('GET /health/ready')).status, 200, 'and 200 when there is space')
  }))

for (const end of ['SIGTERM', 'SIGKILL'] as const) {
  test(`a start on a full disk after ${end} serves reads, and writes when there is room`, (t) =>
    onSmallDisk(t, '8m', async (folder) => {
      const first = await startNode(folder)
      assert.equal(await create(createRequester(first.port), 'FIRST'), 201)
      const ended = once(first.process, 'exit')
      first.process.kill(end)
      await ended
      const ballast = join(folder, 'ballast')
      await assert.rejects(writeFile(ballast, Buffer.alloc(2 ** 24)), { code: 'ENOSPC' })
      // Its secrets, which are to be encrypted now, are so at a later start.
      const node = await startNode(folder, { RESTWELL_SECRET_KEY: randomBytes(32).toString('hex') })
      const request = createRequester(node.port)
      assert.deepEqual(await stored(request), new Set(['FIRST']))
      await rm(ballast)
      assert.equal(await create(request, 'SECOND'), 201)
      assert.equal(await node.stop(), 0)
    }))
}

function startNode(folder: string, more: Settings['environment'] = {}): Promise<RunningCommand> {
  return running(['serve', join(root, 'examples/shop.ts'), '--port', '0'], {
    environment: {
      DATABASE_URL: `file:${join(folder, 'shop.db')}`,
      RESTWELL_ADMIN: 'admin@example.org:correct horse battery',
      RESTWELL_SAMPLE: 'off',
      RESTWELL_RATE: 'off',
      LOG_LEVEL: 'silent',
      ...more,
    },
  })
}

async function roomIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** Eight writers until one of them is refused, other than as overloaded; the status that refused. */
async function fill(request: SendRequest, prefix: string, acknowledged: Set<string>): Promise<number> {
  let refused: number | undefined
  const writer = async (name: string) => {
    for (let count = 1; refused === undefined; count += 1) {
      const sku = `${name}-${count}`
      const status = await create(request, sku)
      if (status === 201) acknowledged.add(sku)
      else if (status !== 503) refused = status
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_, at) => writer(`${prefix}-W${at}`)))
  return refused ?? 0
}

async function create(request: SendRequest, sku: string): Promise<number> {
  const content = { sku, name: 'x'.repeat(200), price: '1.00' }
  const { status } = await request('POST /products', admin, content)
  return status
}

async function stored(request: SendRequest): Promise<Set<string>> {
  const found = new Set<string>()
  let next: string | undefined = '/products?limit=1000'
  while (next !== undefined) {
    const page = await request(`GET ${next}`)
    assert.equal(page.status, 200, page.text)
    for (const { id } of page.json) found.add(id)
    next = /<([^>]*)>; rel="next"/.exec(page.fields.link as string)?.[1]
  }
  return found
}
