/**
 * The primary is killed under load and its synchronous standby promoted: nothing acknowledged is
 * lost, each key has one effect, and writes are back in seconds.
 */

import { test } from 'node:test'
import { cases } from '../cases.ts'
import { balanced } from './balanced.ts'
import { assertStored, Load } from './load.ts'

const failovers = cases(10)

for (let failover = 1; failover <= failovers; failover += 1) {
  test(`losing the primary loses no acknowledged write, ${failover} of ${failovers}`, async (t) => {
    await using setting = await balanced()
    const { cluster, ports } = setting
    const load = new Load(ports).keyed(6).plain(2)
    await load.more(100 + 37 * failover)
    await cluster.database.primary.kill()
    const killed = performance.now()
    await cluster.database.promote()
    const promoted = performance.now()
    // A new write: earlier ones may have been acknowledged before the promotion.
    await load.write()
    const back = performance.now()
    await load.more(200)
    await load.stop()
    const stored = await assertStored(cluster.nodes[0]!.port, load)
    const summary = `${load.acknowledged.size} writes acknowledged, ${stored} stored`
    const times = [promoted - killed, back - killed].map((time) => time.toFixed(0))
    t.diagnostic(`${summary}; promoted after ${times[0]} ms, written again after ${times[1]} ms`)
  })
}
