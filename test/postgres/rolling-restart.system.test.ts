/**
 * A rolling restart behind the balancer: clients without retries lose no request. Requests refused
 * as overloaded are reported and not counted, because the machine may be busy.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cases } from '../cases.ts'
import { balanced, whyNoBalancer } from './balanced.ts'
import { assertStored, Load } from './load.ts'

const rounds = cases(10)
const skip = whyNoBalancer() ?? false

test(`${rounds} rolling restarts of three nodes lose no request`, { skip }, async (t) => {
  await using setting = await balanced()
  const { cluster, ports } = setting
  // These clients send each request once, without a key.
  const load = new Load(ports, 10).plain(6).readers(4)
  for (let round = 1; round <= rounds; round += 1) {
    for (const node of cluster.nodes) {
      await load.more(50)
      await node.stop()
      await node.start()
    }
  }
  await load.more(50)
  await load.stop()
  const stored = await assertStored(cluster.nodes[0]!.port, load)
  assert.deepEqual(load.broken, [])
  assert.equal(stored, load.acknowledged.size, 'no write succeeded without a response')
  const summary = `${load.requests} requests, ${stored} of them writes`
  t.diagnostic(`${3 * rounds} restarts, ${summary}, ${load.failures.length} refused by overload`)
})
