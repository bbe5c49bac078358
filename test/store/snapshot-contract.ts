/** What the Store interface promises on snapshots: reads of one moment, no writes, an end. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { always, equals } from '../../src/store/condition.ts'
import type { Store } from '../../src/store/store.ts'
import { byIdentity, insert, letters, type OpenStore, storeUsers } from './library.ts'
import { row } from './tables.ts'

const all = {
  table: 'letters',
  condition: always,
  order: byIdentity,
  after: undefined,
  limit: 10,
  evaluated: [],
}
const late = { name: 'StoreUnavailable', reason: 'slow' }

export function snapshotContract(name: string, open: OpenStore): void {
  const { usingSchema } = storeUsers(open)

  const usingLetters = (work: (store: Store) => Promise<void>) =>
    usingSchema(letters, async (store) => {
      await store.write([insert('letters', row('a1', 'first', null))])
      await work(store)
    })

  describe(`${name}: snapshots`, () => {
    it('all reads show the moment of the first one', () =>
      usingLetters(async (store) => {
        const seen = await store.withSnapshot(5000, async (snapshot) => {
          const before = (await snapshot.list(all)).length
          await store.write([insert('letters', row('a2', 'second', null))])
          const find = { table: 'letters', column: '_identity', value: 'a2', evaluated: [] }
          return {
            before,
            outside: await store.count('letters', always),
            list: (await snapshot.list(all)).length,
            count: await snapshot.count('letters', always),
            found: await snapshot.find(find),
            satisfies: await snapshot.satisfies('letters', row('a9', 'x', null), equals(['_identity'], 'a9')),
          }
        })
        assert.deepEqual(seen, {
          before: 1,
          outside: 2,
          list: 1,
          count: 1,
          found: undefined,
          satisfies: true,
        })
        assert.equal(await store.withSnapshot(5000, async (next) => next.count('letters', always)), 2)
      }))

    it('a read after its end, or after its time, is refused as slow', () =>
      usingLetters(async (store) => {
        const ended = await store.withSnapshot(5000, async (snapshot) => snapshot)
        await assert.rejects(async () => ended.count('letters', always), late)
        const none = store.withSnapshot(0, async (snapshot) => snapshot.count('letters', always))
        await assert.rejects(none, late)
      }))

    it('it writes nothing, also where the work fails', () =>
      usingLetters(async (store) => {
        const write = store.withSnapshot(5000, (snapshot) =>
          snapshot.write([insert('letters', row('a2', 'second', null))]),
        )
        await assert.rejects(write, /cannot write/)
        assert.equal(await store.count('letters', always), 1)
      }))

    it('more snapshots than can be open at once wait for their turn', () =>
      usingLetters(async (store) => {
        const work = (snapshot: Store) => snapshot.count('letters', always)
        const counts = Array.from({ length: 12 }, () => store.withSnapshot(5000, async (one) => work(one)))
        assert.deepEqual(await Promise.all(counts), new Array(12).fill(1))
      }))

    it('a closed store refuses them', () =>
      usingLetters(async (store) => {
        await store.withSnapshot(5000, async (snapshot) => snapshot.count('letters', always))
        await store.close()
        const closed = store.withSnapshot(5000, async (snapshot) => snapshot.count('letters', always))
        await assert.rejects(closed, { name: 'StoreUnavailable', reason: 'unreachable' })
      }))
  })
}
