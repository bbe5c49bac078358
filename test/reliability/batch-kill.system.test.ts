/** Kill -9 while batches are committed: each batch is stored completely or not at all. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { cases } from '../cases.ts'
import { freshDatabase, onPostgres } from '../database.ts'
import { eventually } from '../eventually.ts'
import { basic, createRequester, type SendRequest } from '../service.ts'
import { startNode } from './node.ts'

const writers = 8
const size = 25
const rounds = cases(30)
const admin = basic('admin@example.org', 'correct horse battery')

test(`kill -9 under ${writers} writers of batches leaves all or nothing of each, ${rounds} times`, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'restwell-batch-kill-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const place = onPostgres ? { database: await freshDatabase() } : { folder }
  const acknowledged = new Set<string>()
  for (let round = 1; round <= rounds; round += 1) {
    const node = await startNode({ definition: 'examples/shop.ts', ...place })
    const agent = new Agent({ keepAlive: true, maxSockets: writers })
    const request = createRequester(node.port, agent)
    await checkBatches(request, acknowledged)
    const died = once(node.process, 'exit')
    const writing = Array.from({ length: writers }, (_, writer) =>
      write(request, `R${round}-W${writer}`, acknowledged),
    )
    const enough = acknowledged.size + 1 + ((round * 5) % 13)
    await eventually(() => acknowledged.size >= enough)
    node.process.kill('SIGKILL')
    await Promise.all([died, ...writing])
    agent.destroy()
  }
  const node = await startNode({ definition: 'examples/shop.ts', ...place })
  const found = await checkBatches(createRequester(node.port), acknowledged)
  node.process.kill('SIGTERM')
  await once(node.process, 'exit')
  t.diagnostic(`${acknowledged.size} batches acknowledged, ${found} stored, none in part`)
})

/** Sends one batch after another until the connection breaks. */
async function write(request: SendRequest, prefix: string, acknowledged: Set<string>): Promise<void> {
  for (let count = 1; ; count += 1) {
    const batch = `${prefix}-${count}`
    const requests = Array.from({ length: size }, (_, at) => ({
      method: 'POST',
      path: '/products',
      body: { sku: `${batch}-${at}`, name: batch, price: '1.00' },
    }))
    try {
      const response = await request('POST /batch', admin, { requests })
      if (response.status === 200) acknowledged.add(batch)
      else assert.equal(response.status, 503, response.text)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error
      return
    }
  }
}

/** Checks that each stored batch is complete and each acknowledged one is stored; returns how many are. */
async function checkBatches(request: SendRequest, acknowledged: ReadonlySet<string>): Promise<number> {
  const sizes = new Map<string, number>()
  let next: string | undefined = '/products?limit=1000'
  while (next !== undefined) {
    const response = await request(`GET ${next}`)
    assert.equal(response.status, 200, response.text)
    for (const { name } of response.json) sizes.set(name, (sizes.get(name) ?? 0) + 1)
    next = /<([^>]*)>; rel="next"/.exec(response.fields.link as string)?.[1]
  }
  for (const [batch, found] of sizes) assert.equal(found, size, `${batch} is stored in part`)
  for (const batch of acknowledged) assert.ok(sizes.has(batch), `${batch} was lost`)
  return sizes.size
}
