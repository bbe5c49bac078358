/**
 * Subscribers of a cluster whose primary database is killed, whose standby is promoted, and whose nodes
 * leave and join get every change once and in order.
 */

import { test } from 'node:test'
import { cases } from '../cases.ts'
import { checkSequences, reached } from '../requests/events/subscribers.ts'
import { balanced } from './balanced.ts'

const subscribers = cases(1000, 50)

test(`${subscribers} subscribers lose nothing by a failover of PostgreSQL and nodes that join`, async () => {
  await using setting = await balanced({
    definition: 'examples/shop.ts',
    environment: { RESTWELL_ADMIN: 'admin@example.org:correct horse battery', RESTWELL_SAMPLE: 'off' },
  })
  const { cluster, ports } = setting
  const [first, , third] = cluster.nodes
  await third?.kill()
  await checkSequences({ ports, subscribers }, async (written) => {
    await reached(written, 20)
    await third?.start()
    await reached(written, 20)
    await cluster.database.primary.kill()
    await cluster.database.promote()
    await reached(written, 20)
    await first?.kill()
    await reached(written, 20)
    await first?.start()
    await reached(written, 20)
  })
})
