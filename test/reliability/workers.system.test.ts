/** Kill -9 of one worker under load: another replaces it, and no acknowledged write is lost. */

import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { test } from 'node:test'
import { cases } from '../cases.ts'
import { eventually } from '../eventually.ts'
import { createRequester, type Reply, type SendRequest } from '../service.ts'
import { admin, replacedWorkers, startWorkers, workersOf } from './worker-service.ts'

const kills = cases(20)
const clients = 16

test(`${kills} kills of a worker under ${clients} writers lose no acknowledged write`, async (t) => {
  const service = await startWorkers(t)
  const acknowledged = new Set<string>()
  const sent = new Set<string>()
  let over = false
  const client = async (number: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const request = createRequester(service.port, agent)
    for (let count = 0; !over; count += 1) {
      const sku = `C${number}-${count}`
      sent.add(sku)
      if (await isAcknowledged(request, sku)) acknowledged.add(sku)
    }
    agent.destroy()
  }
  const writing = Array.from({ length: clients }, (_, number) => client(number))
  for (let kill = 0; kill < kills; kill += 1) {
    const enough = acknowledged.size + 100
    await eventually(() => acknowledged.size >= enough)
    const before = workersOf(service)
    const victim = before[kill % before.length] as number
    process.kill(victim, 'SIGKILL')
    await replacedWorkers(service, before, victim)
  }
  over = true
  await Promise.all(writing)
  const stored = await storedIn(createRequester(service.port))
  assert.ok(acknowledged.isSubsetOf(stored), 'what was acknowledged is stored')
  assert.ok(stored.isSubsetOf(sent), 'what is stored was sent')
  assert.equal(await service.stop(), 0)
  const restarts = (await service.stderr).match(/"event":"worker-restarted"/g)
  assert.equal(restarts?.length, kills)
  t.diagnostic(`${acknowledged.size} acknowledged, ${stored.size} stored, ${kills} kills`)
})

/** The result is unknown when the connection breaks. */
async function isAcknowledged(request: SendRequest, sku: string): Promise<boolean> {
  try {
    const reply = await request('POST /products', admin, { sku, name: 'Product', price: '1.00' })
    assert.ok(reply.status === 201 || reply.status === 503, reply.text)
    return reply.status === 201
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
    return false
  }
}

async function storedIn(request: SendRequest): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  let next: string | undefined = '/products?limit=1000'
  while (next !== undefined) {
    const page: Reply = await request(`GET ${next}`)
    assert.equal(page.status, 200, page.text)
    for (const { id } of page.json) found.add(id)
    next = /<([^>]*)>; rel="next"/.exec(page.fields.link as string)?.[1]
  }
  return found
}
