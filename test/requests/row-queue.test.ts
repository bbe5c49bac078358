/** The queue of a row: requests that lost a race are repeated one after the other, in order of arrival. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as endOfTurn } from 'node:timers/promises'
import { Refusal } from '../../src/refusal.ts'
import { LostRace } from '../../src/requests/write/lost-race.ts'
import {
  giveWay,
  performInTurn,
  type QueuedRequest,
  requestTime,
  type Turn,
} from '../../src/requests/write/row-queue.ts'
import { always } from '../../src/store/condition.ts'
import type { Store } from '../../src/store/store.ts'
import { openTestStore } from '../database.ts'
import { schema, table } from '../store/tables.ts'

const things = schema(table('things', []))
const one = { table: 'things', identity: 't1' }
const other = { table: 'things', identity: 't2' }

const deletion = (row: typeof one) =>
  ({ kind: 'delete', ...row, version: 1, conditionBefore: always, at: '' }) as const

async function withStore(work: (store: Store) => Promise<void>): Promise<void> {
  const store = await openTestStore(things)
  try {
    await work(store)
  } finally {
    await store.close()
  }
}

/** A request that loses its first race for the row, and then does this in its turn. */
function loser<Result>(
  inTurn: (turn: Turn) => Promise<Result>,
  { row = one, ...options }: Partial<QueuedRequest<Result>> & { readonly row?: typeof one } = {},
): QueuedRequest<Result> {
  return {
    mode: () => 'alone',
    attempt: async (turn) => {
      if (!turn) throw new LostRace(row)
      return inTurn(turn)
    },
    ...options,
  }
}

/** Starts a request that keeps its turn until it is released. */
function hold(store: Store) {
  const released = Promise.withResolvers<void>()
  const done = performInTurn(
    store,
    loser(() => released.promise),
  )
  return { release: released.resolve, done }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof Refusal && error.status === 503
}

describe('requests that lost a race for a row', () => {
  it('are attempted once more each, one at a time, in order of arrival', () =>
    withStore(async (store) => {
      const order: number[] = []
      let running = 0
      const requests = Array.from({ length: 64 }, (_, n) =>
        performInTurn(
          store,
          loser(async () => {
            running += 1
            assert.equal(running, 1)
            order.push(n)
            await endOfTurn()
            running -= 1
            return n
          }),
        ),
      )
      const numbers = Array.from({ length: 64 }, (_, n) => n)
      assert.deepEqual(await Promise.all(requests), numbers)
      assert.deepEqual(order, numbers)
    }))

  it('keep their turn where they lose again, to a writer of another process', () =>
    withStore(async (store) => {
      const order: string[] = []
      const first = loser(async () => {
        order.push('first')
        if (order.length < 3) throw new LostRace(one)
      })
      const second = loser(async () => void order.push('second'))
      await Promise.all([performInTurn(store, first), performInTurn(store, second)])
      assert.deepEqual(order, ['first', 'first', 'first', 'second'])
    }))

  it('go on where one of them fails', () =>
    withStore(async (store) => {
      const fails = loser(() => Promise.reject(new Error('It failed')))
      const results = await Promise.allSettled([
        performInTurn(store, fails),
        performInTurn(
          store,
          loser(async () => 'done'),
        ),
      ])
      assert.deepEqual(
        results.map(({ status }) => status),
        ['rejected', 'fulfilled'],
      )
    }))

  it('for two rows in crossing orders do not wait for each other in a circle', () =>
    withStore(async (store) => {
      const loseBoth = (rows: readonly (typeof one)[]) => {
        let attempts = 0
        return performInTurn<string>(store, {
          mode: () => 'alone',
          attempt: async () => {
            const row = rows[attempts]
            attempts += 1
            await endOfTurn()
            if (row) throw new LostRace(row)
            return 'done'
          },
        })
      }
      const requests = Array.from({ length: 16 }, (_, n) =>
        loseBoth(n % 2 === 0 ? [one, other] : [other, one]),
      )
      assert.deepEqual(new Set(await Promise.all(requests)), new Set(['done']))
    }))

  it('do not wait for those for another row', () =>
    withStore(async (store) => {
      const holder = hold(store)
      const free = loser(async () => 'done', { row: other })
      assert.equal(await performInTurn(store, free), 'done')
      holder.release()
      await holder.done
    }))

  it('are repeated at once where no row is known, and are 503 after 100 attempts', () =>
    withStore(async (store) => {
      let attempts = 0
      const attempt = async () => {
        attempts += 1
        throw new LostRace()
      }
      await assert.rejects(performInTurn(store, { mode: () => 'alone', attempt }), isUnavailable)
      assert.equal(attempts, 100)
    }))
})

describe('a waiting request', () => {
  it('leaves the queue when its time is over: 503', (t) =>
    withStore(async (store) => {
      t.mock.timers.enable({ apis: ['setTimeout'] })
      const holder = hold(store)
      const attempted: string[] = []
      const late = performInTurn(
        store,
        loser(async () => void attempted.push('late')),
      )
      const refused = assert.rejects(late, isUnavailable)
      await endOfTurn()
      t.mock.timers.tick(requestTime)
      await refused
      holder.release()
      await holder.done
      assert.deepEqual(attempted, [])
    }))

  it('is not attempted when its client has gone', () =>
    withStore(async (store) => {
      const holder = hold(store)
      const attempted: string[] = []
      const gone = loser(async () => void attempted.push('gone'), { isAbandoned: () => true })
      const refused = assert.rejects(performInTurn(store, gone), isUnavailable)
      const next = performInTurn(
        store,
        loser(async () => 'done'),
      )
      holder.release()
      await refused
      assert.equal(await next, 'done')
      assert.deepEqual(attempted, [])
    }))

  it('is not overtaken by a new write of the row; the queue ends with its last request', () =>
    withStore(async (store) => {
      const holder = hold(store)
      await endOfTurn()
      assert.throws(() => giveWay(store, [deletion(one)]), LostRace)
      giveWay(store, [deletion(other)])
      holder.release()
      await holder.done
      await endOfTurn()
      giveWay(store, [deletion(one)])
    }))
})
