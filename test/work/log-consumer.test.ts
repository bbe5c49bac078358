/** Work for entries of the change log: at least once, in order for each item, by one node at a time. */

import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Model } from '../../src/definition/model.ts'
import { choice, email, password, resource, service, text } from '../../src/index.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { always } from '../../src/store/condition.ts'
import { schemaOf } from '../../src/store/schema/model-schema.ts'
import type { Store } from '../../src/store/store.ts'
import type { AttemptOutcome, Consumer } from '../../src/work/change-consumer.ts'
import { LogConsumer } from '../../src/work/log-consumer.ts'
import { countParked, type QueuedWork } from '../../src/work/queued-work.ts'
import { retryDelay } from '../../src/work/retry-delay.ts'
import { openTestStore } from '../database.ts'
import { eventually } from '../eventually.ts'
import { lookedForWork } from './looked-for-work.ts'

const definition = service({
  title: 'Queue',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users: resource({ email: email().unique(), password: password(), role: choice(['admin']).optional() }),
    notes: resource({ title: text() }),
  },
})

test('two nodes do the work of each entry once, in order for each item', async () => {
  await using bench = await openBench()
  const done: string[] = []
  const attempt = async (work: QueuedWork) => {
    await pause(Math.random() * 5)
    done.push(work.payload)
    return ended
  }
  bench.startNode(attempt)
  bench.startNode(attempt)
  for (let number = 0; number < 40; number += 1) await bench.write(`item-${number % 4}`, String(number))
  await eventually(() => done.length >= 40)
  assert.equal(new Set(done).size, 40)
  assert.equal(done.length, 40)
  for (const item of ['item-0', 'item-1', 'item-2', 'item-3']) {
    const numbers = done.filter((one) => one.startsWith(`${item} `)).map((one) => Number(one.split(' ')[1]))
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    )
    assert.equal(numbers.length, 10)
  }
})

test('failed work holds up its own item only, and is repeated after a delay', async () => {
  await using bench = await openBench()
  const attempts: string[] = []
  let fails = true
  bench.startNode(async ({ payload }) => {
    attempts.push(payload)
    return fails && payload === 'a 1' ? failed : ended
  })
  await bench.write('a', '1')
  await eventually(() => attempts.length === 1)
  await bench.write('a', '2')
  await bench.write('b', '3')
  await eventually(() => attempts.length === 2)
  assert.deepEqual(attempts, ['a 1', 'b 3'])
  fails = false
  bench.advance(6000)
  await eventually(() => attempts.length === 4)
  assert.deepEqual(attempts.slice(2), ['a 1', 'a 2'])
})

test('work is parked after its last attempt, keeps its payload and lets the next work of the item pass', async () => {
  await using bench = await openBench()
  const attempts: string[] = []
  const recorded: (string | undefined)[] = []
  bench.startNode(async ({ payload }) => {
    attempts.push(payload)
    if (payload !== 'a 1') return ended
    const record = async (nextAt: string | undefined) => {
      recorded.push(nextAt)
      return []
    }
    return { kind: 'failed', record }
  })
  await bench.write('a', '1')
  await bench.write('a', '2')
  for (let attempt = 1; attempt <= 11; attempt += 1) {
    await eventually(() => recorded.length === attempt)
    bench.advance(25 * 3_600_000)
  }
  await eventually(() => attempts.includes('a 2'))
  assert.equal(attempts.filter((one) => one === 'a 1').length, 11)
  assert.equal(recorded.at(-1), undefined)
  assert.equal(await bench.countParked(), 1)
})

test('another node takes over the work of a node that is gone', async () => {
  await using bench = await openBench()
  let begun = 0
  const gone = bench.startNode(async (_, signal) => {
    begun += 1
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('gone'))))
    return ended
  })
  await bench.write('a', '1')
  await eventually(() => begun === 1)
  await gone.close()
  const done: QueuedWork[] = []
  bench.startNode(async (work) => {
    done.push(work)
    return ended
  })
  await lookedForWork(bench.store)
  assert.equal(done.length, 0)
  bench.advance(7000)
  await eventually(() => done.length === 1)
  assert.equal(done[0]?.attempts, 1)
})

test('the log is not read while nothing needs its entries, and queued work leaves no entry in it', async () => {
  await using bench = await openBench()
  let reads = 0
  const counted = new Proxy(bench.store, {
    get: (store, name) => {
      if (name === 'readChanges') reads += 1
      const value = Reflect.get(store, name)
      return typeof value === 'function' ? value.bind(store) : value
    },
  })
  let asked = 0
  const findStart = async () => {
    asked += 1
    return undefined
  }
  const idle: Consumer = { ...consumerOf(bench.model, async () => ended), findStart }
  const node = new LogConsumer({ ...bench.options, store: counted }, idle)
  node.start()
  await bench.write('a', '1')
  const before = asked
  node.wake()
  await eventually(() => asked > before)
  await node.close()
  assert.equal(reads, 0)
  const done: string[] = []
  bench.startNode(async ({ payload }) => {
    done.push(payload)
    return ended
  })
  await eventually(() => done.length === 1)
  await eventually(async () => (await bench.store.count('log_queue', always)) === 0)
  assert.deepEqual(
    (await bench.store.readChanges(0, 100)).map(({ table }) => table),
    ['notes'],
  )
})

test('delays grow over three days; a receiver can ask for longer ones', () => {
  const delays = Array.from({ length: 11 }, (_, at) =>
    retryDelay({ attempts: at + 1, askedDelay: undefined, random: 0 }),
  )
  assert.equal(delays.at(-1), undefined)
  const total = delays.reduce<number>((sum, delay) => sum + (delay ?? 0), 0)
  assert.ok(total > 71 * 3_600_000 && total < 72 * 3_600_000, String(total))
  assert.equal(retryDelay({ attempts: 1, askedDelay: undefined, random: 1 }), 4000)
  assert.equal(retryDelay({ attempts: 1, askedDelay: 60_000, random: 1 }), 60_000)
  assert.equal(retryDelay({ attempts: 1, askedDelay: 1e12, random: 0 }), 86_400_000)
})

const ended: AttemptOutcome = { kind: 'ended', record: async () => [] }
const failed: AttemptOutcome = { kind: 'failed', record: async () => [] }

type Run = (work: QueuedWork, signal: AbortSignal) => Promise<AttemptOutcome>

/** Makes work of each note: the payload is its identity and its title. */
function consumerOf(model: Model, run: Run): Consumer {
  const title = model.resources.get('notes')?.fieldByName.get('title')?.index ?? 0
  return {
    name: 'webhooks',
    findStart: async () => 0,
    selectWork: async (entries) =>
      entries.map(({ identity, position, after }) => {
        const [item = ''] = identity.split(' ')
        return { subscriber: 'only', item, position, payload: `${item} ${after?.[title]}` }
      }),
    prepareAttempt: async (work) => ({ writes: [], run: (signal) => run(work, signal) }),
  }
}

async function openBench() {
  const model = checkDefinition(definition)
  const store: Store = await openTestStore(schemaOf(model))
  let offset = 0
  const nodes: LogConsumer[] = []
  const options = { model, store, observe: () => undefined, now: () => Date.now() + offset }
  return {
    model,
    store,
    options,
    startNode(run: Run): LogConsumer {
      const node = new LogConsumer(options, consumerOf(model, run))
      nodes.push(node)
      node.start()
      return node
    },
    async write(item: string, title: string): Promise<void> {
      const at = new Date().toISOString()
      const values = [`${item} ${randomUUIDv7()}`, 1, at, at, title]
      await store.write([{ kind: 'insert', table: 'notes', values, conditionAfter: always }])
    },
    advance(milliseconds: number): void {
      offset += milliseconds
    },
    countParked: () => countParked(store, { queue: model.ownTables.get('log_queue')!, consumer: 'webhooks' }),
    async [Symbol.asyncDispose]() {
      for (const node of nodes) await node.close()
      await store.close()
    },
  }
}
