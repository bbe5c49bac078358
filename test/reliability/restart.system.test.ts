/** Restarts under load: a client that reconnects and honours Retry-After loses no request. */

import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { cases, someOf } from '../cases.ts'
import { folderOf, type RunningCommand, root, running } from '../commands/command.ts'
import { eventually } from '../eventually.ts'
import { basic, createRequester, type Reply } from '../service.ts'

const clients = 16
const restarts = cases(20)
const admin = basic('admin@example.org', 'correct horse battery')
const shop = join(root, 'examples/shop.ts')

for (const workers of someOf([1, 2], 1)) {
  const title = `${restarts} restarts under ${clients} clients fail no request (docs/reference/http/limits.md, Operation)`
  test(`${title}, with ${workers} workers`, (t) => restart(t, workers))
}

async function restart(t: TestContext, workers: number): Promise<void> {
  const folder = await folderOf(t)
  let node = await startNode(folder, 0, workers)
  const load = new Load(node.port)
  const working = Array.from({ length: clients }, (_, client) => load.work(client))
  for (let time = 1; time <= restarts; time += 1) {
    await load.untilCount(load.count + 200)
    assert.equal(await node.stop(), 0)
    node = await startNode(folder, node.port, workers)
  }
  await load.untilCount(load.count + 200)
  load.stop()
  await Promise.all(working)
  assert.deepEqual(load.failures, [])
  await assertStored(node.port, load.created)
  assert.equal(await node.stop(), 0)
  t.diagnostic(`${load.count} responses, ${load.created.size} of them creations`)
}

function startNode(folder: string, port: number, workers: number): Promise<RunningCommand> {
  const database = `file:${join(folder, 'shop.db')}`
  const address = ['--port', `${port}`, '--host', '127.0.0.1']
  return running(['serve', shop, ...address, '--workers', `${workers}`], {
    environment: {
      DATABASE_URL: database,
      RESTWELL_ADMIN: 'admin@example.org:correct horse battery',
      RESTWELL_SAMPLE: 'off',
      RESTWELL_RATE: 'off',
    },
  })
}

class Load {
  readonly failures: string[] = []
  /** The skus that were acknowledged. */
  readonly created = new Set<string>()
  count = 0
  readonly #port: number
  #stopped = false

  constructor(port: number) {
    this.#port = port
  }

  /** Creates and reads in turn, each client on a connection of its own. */
  async work(client: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const request = createRequester(this.#port, agent)
    for (let count = 1; !this.#stopped; count += 1) {
      const sku = `C${client}-${count}`
      const content = { sku, name: 'Product', price: '1.00' }
      const creation = await this.#persist(() => request('POST /products', admin, content))
      if (creation?.status === 201) this.created.add(sku)
      const read = await this.#persist(() => request(`GET /products/${sku}`))
      if (read?.status !== 200) this.failures.push(`GET ${sku}: ${read?.status}`)
    }
    agent.destroy()
  }

  /** Repeats the request after a closed port or Retry-After, when it had no effect. */
  async #persist(send: () => Promise<Reply>): Promise<Reply | undefined> {
    const outcome = await eventually(async () => {
      try {
        const reply = await send()
        this.count += 1
        if (reply.status !== 503) return reply
        await pause(1000 * Number(reply.fields['retry-after']))
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        if (code !== 'ECONNREFUSED') return String(error)
      }
      return undefined
    })
    if (typeof outcome !== 'string') return outcome
    this.failures.push(outcome)
    return undefined
  }

  async untilCount(count: number): Promise<void> {
    await eventually(() => this.count >= count)
  }

  stop(): void {
    this.#stopped = true
  }
}

/** Checks that exactly the acknowledged items are stored: no create succeeded without a response. */
async function assertStored(port: number, created: ReadonlySet<string>): Promise<void> {
  const request = createRequester(port)
  const found = new Set<string>()
  let next: string | undefined = '/products?limit=1000'
  while (next !== undefined) {
    const page: Reply = await request(`GET ${next}`)
    assert.equal(page.status, 200, page.text)
    for (const { id } of page.json) found.add(id)
    next = /<([^>]*)>; rel="next"/.exec(page.fields.link as string)?.[1]
  }
  assert.deepEqual(found, created)
}
