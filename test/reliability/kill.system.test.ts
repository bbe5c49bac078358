/** Kill -9 under load: no acknowledged write is lost, no write is partial, and the next start is quick. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { cases } from '../cases.ts'
import { eventually } from '../eventually.ts'
import { basic, createRequester, type SendRequest } from '../service.ts'
import { startNode } from './node.ts'

const writers = 64
const rounds = cases(50, 17)
const admin = basic('admin@example.org', 'correct horse battery')

test(`kill -9 under ${writers} writers loses no acknowledged write, ${rounds} times`, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'restwell-kill-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const acknowledged = new Map<string, string>()
  const sent = new Map<string, string>()
  for (let round = 1; round <= rounds; round += 1) {
    const node = await startNode({ definition: 'examples/shop.ts', folder })
    const agent = new Agent({ keepAlive: true, maxSockets: writers })
    const request = createRequester(node.port, agent)
    await checkAll(request, acknowledged, sent)
    const died = once(node.process, 'exit')
    const writing = Array.from({ length: writers }, (_, writer) =>
      write(request, `R${round}-W${writer}`, acknowledged, sent),
    )
    const before = acknowledged.size
    const enough = before + writers * (1 + ((round * 7) % 20))
    await eventually(() => acknowledged.size >= enough)
    node.process.kill('SIGKILL')
    await Promise.all([died, ...writing])
    agent.destroy()
  }
  const node = await startNode({ definition: 'examples/shop.ts', folder })
  await checkAll(createRequester(node.port), acknowledged, sent)
  node.process.kill('SIGTERM')
  assert.deepEqual(await once(node.process, 'exit'), [0, null])
  t.diagnostic(`${acknowledged.size} writes acknowledged, ${sent.size} sent, none lost`)
})

/** Creates one product after another until the connection breaks. */
async function write(
  request: SendRequest,
  prefix: string,
  acknowledged: Map<string, string>,
  sent: Map<string, string>,
): Promise<void> {
  for (let count = 1; ; count += 1) {
    const sku = `${prefix}-${count}`
    const name = `Product ${sku} `.repeat(5).trim()
    sent.set(sku, name)
    try {
      const response = await request('POST /products', admin, { sku, name, price: '1.00' })
      if (response.status === 201) acknowledged.set(sku, name)
      else assert.equal(response.status, 503, response.text)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error
      return
    }
  }
}

/** Checks that each acknowledged item is stored, and that each stored item was sent and is complete. */
async function checkAll(
  request: SendRequest,
  acknowledged: ReadonlyMap<string, string>,
  sent: ReadonlyMap<string, string>,
): Promise<void> {
  const found = new Map<string, string>()
  let next: string | undefined = '/products?limit=1000'
  while (next !== undefined) {
    const response = await request(`GET ${next}`)
    assert.equal(response.status, 200, response.text)
    for (const { id, name } of response.json) found.set(id, name)
    next = /<([^>]*)>; rel="next"/.exec(response.fields.link as string)?.[1]
  }
  for (const [sku, name] of acknowledged) assert.equal(found.get(sku), name, `${sku} was lost`)
  for (const [sku, name] of found) assert.equal(sent.get(sku), name, `${sku} is not what was sent`)
}
