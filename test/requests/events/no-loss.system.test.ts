/**
 * Subscribers that disconnect at random, while processes are killed with -9, get every change once and
 * in order.
 */

import { once } from 'node:events'
import { test } from 'node:test'
import { cases } from '../../cases.ts'
import { lastingDatabase } from '../../database.ts'
import { startNode } from '../../reliability/node.ts'
import { replacedWorkers, startWorkers, workersOf } from '../../reliability/worker-service.ts'
import { checkSequences, reached } from './subscribers.ts'

const subscribers = cases(1000, 20)
const kills = cases(20)
const definition = 'examples/shop.ts'

test(`${subscribers} subscribers lose nothing by ${kills} kills of the service`, async (t) => {
  const database = await lastingDatabase(t)
  let node = await startNode({ definition, database })
  const { port } = node
  await checkSequences({ ports: [port], subscribers }, async (written) => {
    for (let kill = 0; kill < kills; kill += 1) {
      await reached(written, 20)
      const died = once(node.process, 'exit')
      node.process.kill('SIGKILL')
      await died
      node = await startNode({ definition, database, port })
    }
  })
})

test(`${subscribers} subscribers lose nothing by ${kills} kills of workers`, async (t) => {
  const service = await startWorkers(t, { database: await lastingDatabase(t) })
  await checkSequences({ ports: [service.port], subscribers }, async (written) => {
    for (let kill = 0; kill < kills; kill += 1) {
      await reached(written, 20)
      const before = workersOf(service)
      const victim = before[kill % before.length] as number
      process.kill(victim, 'SIGKILL')
      await replacedWorkers(service, before, victim)
    }
  })
})
