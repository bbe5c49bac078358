/**
 * Three nodes killed one after another under load: nothing acknowledged is lost, each key has one
 * effect. Behind HAProxy where the machine has it; else clients go from node to node.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cases } from '../cases.ts'
import { balanced } from './balanced.ts'
import { assertStored, Load } from './load.ts'

const kills = cases(20)

test(`${kills} kills of a node under load lose nothing, and each key has one effect`, async (t) => {
  await using setting = await balanced()
  const { cluster, ports } = setting
  const load = new Load(ports).keyed(6).plain(2).readers(2)
  for (let kill = 0; kill < kills; kill += 1) {
    await load.more(50)
    // There are three, always.
    const node = cluster.nodes[kill % 3]!
    await node.kill()
    await load.more(50)
    await node.start()
  }
  await load.more(50)
  await load.stop()
  const stored = await assertStored(cluster.nodes[0]!.port, load)
  const { requests, acknowledged, failures } = load
  const summary = `${requests} requests, ${acknowledged.size} writes acknowledged, ${stored} stored`
  t.diagnostic(`${kills} kills, ${summary}, ${failures.length} requests failed`)
  const kinds = Object.groupBy(failures, ({ line, outcome }) => `${line}: ${outcome}`)
  for (const [kind, of = []] of Object.entries(kinds)) t.diagnostic(`${of.length} ${kind}`)
  if (cluster.balancer === undefined) return
  const reads = load.broken.filter(({ line }) => line.startsWith('GET'))
  assert.deepEqual(reads, [], 'a read that was lost is sent to another node')
})
