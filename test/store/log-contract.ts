/** What the Store promises of its change log: attribution, values, pages, pruning. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ChangeLogEntry } from '../../src/store/change-log.ts'
import type { Store } from '../../src/store/store.ts'
import type { Write } from '../../src/store/write.ts'
import { insert, type OpenStore } from './library.ts'
import { good, remove, replace, shop, valuesOf } from './logged-rows.ts'
import { LATER, row } from './tables.ts'

export function logContract(name: string, open: OpenStore): void {
  const using = async (work: (store: Store) => Promise<void>) => {
    const store = await open(shop)
    try {
      await work(store)
    } finally {
      await store.close()
    }
  }
  const done = async (store: Store, ...writes: Write[]) =>
    assert.deepEqual(await store.write(writes), { kind: 'done' })
  const entries = (store: Store, count: number) =>
    Array.from({ length: count }, (_, n) => n).reduce<Promise<void>>(
      (before, n) =>
        before.then(() => done(store, insert('makers', row(`m${n}`, `M${n}`).with(3, timeOf(n))))),
      Promise.resolve(),
    )
  const timeOf = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString()
  const before = (n: number) => ({ before: timeOf(n), after: timeOf(1000) })
  const positions = async (store: Store) => (await store.readChanges(0, 1000)).map(({ position }) => position)

  describe(`${name}: change log`, () => {
    it('records who made a change, with which request and by which transition', () =>
      using(async (store) => {
        const alice = { account: 'a1', token: 't1' }
        await store.write([insert('goods', good)], { actor: alice, request: 'r1' })
        const renamed = { ...replace('goods', good, good.with(4, 'Torch')), action: 'rename' }
        await store.write([renamed], { actor: { name: 'restwell user' } })
        await store.write([insert('goods', good.with(0, 'g2')), insert('makers', row('m1', 'M'))], {
          actor: { issuer: 'https://i', subject: 's' },
        })
        await store.write([remove('goods', 'g1', 2)], { actor: {}, request: 'r2' })
        const changes = await store.readChanges(0, 9)
        assert.deepEqual(
          changes.map(({ actor, request, action }) => [actor, request, action]),
          [
            [alice, 'r1', undefined],
            [{ name: 'restwell user' }, undefined, 'rename'],
            [{ issuer: 'https://i', subject: 's' }, undefined, undefined],
            [{ issuer: 'https://i', subject: 's' }, undefined, undefined],
            [{}, 'r2', undefined],
          ],
        )
      }))

    it('attributes each change of a row to its own author, where several are written together', () =>
      using(async (store) => {
        await store.write([insert('goods', good)])
        const versions = ['A', 'B', 'C'].map((name, index) => good.with(4, name).with(1, index + 1))
        const changes = versions.map((values, index) => ({
          ...replace('goods', (versions[index - 1] ?? good).with(1, index + 1), values),
          attribution: index === 1 ? undefined : { actor: { account: `a${index}` }, request: `r${index}` },
        }))
        assert.deepEqual(await store.write(changes, { actor: {}, request: 'shared' }), { kind: 'done' })
        const logged = (await store.readChanges(0, 9)).slice(1)
        assert.deepEqual(
          logged.map(({ actor, request, version, before }) => [actor, request, version, before?.[4]]),
          [
            [{ account: 'a0' }, 'r0', 2, good[4]],
            [{}, 'shared', 3, 'A'],
            [{ account: 'a2' }, 'r2', 4, 'B'],
          ],
        )
      }))

    it('is as it was where one of several changes of a row is stale', () =>
      using(async (store) => {
        await store.write([insert('goods', good)])
        const first = replace('goods', good, good.with(4, 'A'))
        const stale = replace('goods', good, good.with(4, 'B'))
        const refused = { kind: 'refused', index: 1, reason: { kind: 'stale' } }
        assert.deepEqual(await store.write([first, stale]), refused)
        assert.equal((await store.readChanges(0, 9)).length, 1)
        assert.deepEqual(await store.write([first]), { kind: 'done' })
      }))

    it('records the row before and after each change, without secrets', () =>
      using(async (store) => {
        const logged = good.with(5, null).with(6, '-5')
        const changed = good.with(4, null).with(5, 'other').with(6, 123456n).with(7, 8)
        const after = changed.with(1, 2).with(3, LATER).with(5, null).with(6, '123456')
        await done(store, insert('goods', good))
        await done(store, replace('goods', good, changed))
        await done(store, remove('goods', 'g1', 2))
        assert.deepEqual((await store.readChanges(0, 9)).map(valuesOf), [
          { id: 'g1', kind: 'created', version: 1, before: undefined, after: logged },
          { id: 'g1', kind: 'updated', version: 2, before: logged, after },
          { id: 'g1', kind: 'deleted', version: 2, before: after, after: undefined },
        ])
      }))

    it('records each row that is created in bulk', () =>
      using(async (store) => {
        const goods = ['g1', 'g2', 'g3'].map((id) => good.with(0, id).with(4, `Lamp ${id}`))
        await store.write(
          goods.map((one) => insert('goods', one)),
          { actor: { account: 'a' } },
        )
        const changes = await store.readChanges(0, 9)
        assert.deepEqual(
          changes.map(({ actor, after }) => [actor, after]),
          goods.map((one) => [{ account: 'a' }, one.with(5, null).with(6, '-5')]),
        )
      }))

    it('records each row of a cascade and each cleared reference', () =>
      using(async (store) => {
        const makers = [insert('makers', row('m1', 'M1')), insert('makers', row('m2', 'M2'))]
        const sold = good.with(6, -1250n).with(9, 'm1').with(10, 'm2')
        await done(store, ...makers, insert('goods', sold), insert('parts', row('p1', 'g1', 0n)))
        const [position] = (await positions(store)).slice(-1)
        const attribution = { actor: { account: 'a1' }, request: 'r' }
        await store.write([remove('makers', 'm1')], attribution)
        await store.write([remove('goods', 'g1', 2)], attribution)
        const changes = await store.readChanges(position ?? 0, 9)
        const before = sold.with(5, null).with(6, '-1250')
        const after = before.with(1, 2).with(3, LATER).with(9, null)
        assert.deepEqual(changes.map(valuesOf), [
          { id: 'g1', kind: 'updated', version: 2, before, after },
          { id: 'M1', kind: 'deleted', version: 1, before: row('m1', 'M1'), after: undefined },
          { id: 'p1', kind: 'deleted', version: 1, before: row('p1', 'g1', '0'), after: undefined },
          { id: 'g1', kind: 'deleted', version: 2, before: after, after: undefined },
        ])
        for (const { actor, request } of changes) {
          assert.deepEqual([actor, request], [{ account: 'a1' }, 'r'])
        }
      }))

    it('records rows of many columns, deleted ones too', () =>
      using(async (store) => {
        const wide = row('w1', ...Array.from({ length: 70 }, (_, n) => `value ${n}`))
        await done(store, insert('wide', wide))
        await done(store, remove('wide', 'w1'))
        const [created, deleted] = await store.readChanges(0, 9)
        assert.deepEqual([created?.after, deleted?.before], [wide, wide])
        assert.deepEqual((await store.findTombstone('wide', 'w1'))?.values, wide)
      }))

    it('has no entry for a write that was refused', () =>
      using(async (store) => {
        await done(store, insert('goods', good))
        const twice = await store.write([insert('makers', row('m1', 'M')), insert('goods', good)])
        assert.equal(twice.kind, 'refused')
        assert.equal((await store.write([replace('goods', good.with(1, 5), good)])).kind, 'refused')
        assert.equal((await store.readChanges(0, 9)).length, 1)
      }))

    it('is read in pages that end early where values are large, and without gaps', () =>
      using(async (store) => {
        for (let n = 0; n < 6; n += 1) {
          await done(store, insert('goods', good.with(0, `g${n}`).with(4, 'x'.repeat(1_500_000))))
        }
        const ids: string[] = []
        const sizes: number[] = []
        for (let after = 0; ; ) {
          const page = await store.readChanges(after, 100)
          if (page.length === 0) break
          sizes.push(page.length)
          ids.push(...page.map(({ id }) => id))
          after = page.at(-1)?.position ?? 0
        }
        assert.deepEqual(ids, ['g0', 'g1', 'g2', 'g3', 'g4', 'g5'])
        assert.ok(sizes.length > 1 && Math.max(...sizes) < 6, String(sizes))
      }))

    it('reports its size and span', () =>
      using(async (store) => {
        const empty = { entries: 0, first: 1, last: 0, oldest: undefined, newest: undefined, lost: [] }
        assert.deepEqual(await store.logExtent(), empty)
        await entries(store, 3)
        const [first = 0, , last = 0] = await positions(store)
        const span = { oldest: timeOf(0), newest: timeOf(2) }
        assert.deepEqual(await store.logExtent(), { entries: 3, first, last, lost: [], ...span })
      }))

    it('is pruned from its oldest entry on, in steps of at most the limit', () =>
      using(async (store) => {
        await entries(store, 5)
        const [, , third = 0] = await positions(store)
        assert.equal(await store.pruneLog(before(0), 2), 0)
        assert.equal(await store.pruneLog(before(3), 2), 2)
        assert.equal((await store.readChanges(0, 9))[0]?.position, third)
        assert.equal(await store.pruneLog(before(3), 2), 1)
        assert.equal(await store.pruneLog(before(3), 2), 0)
        assert.equal((await store.logExtent()).entries, 2)
      }))

    it('keeps its positions when all entries are pruned', () =>
      using(async (store) => {
        await entries(store, 2)
        const [, last = 0] = await positions(store)
        assert.equal(await store.pruneLog(before(9), 100), 2)
        const { entries: size, first, last: end } = await store.logExtent()
        assert.deepEqual([size, first, end], [0, last + 1, last])
        await done(store, insert('goods', good))
        assert.deepEqual(await positions(store), [last + 1])
      }))

    it('has the entries of one row, older or newer than a version, without its deletion', () =>
      using(async (store) => {
        await done(store, insert('goods', good))
        const second = good.with(4, 'Torch').with(1, 2)
        await done(store, replace('goods', good, second))
        await done(store, replace('goods', second, second.with(4, 'Lantern')))
        await done(store, insert('goods', good.with(0, 'g2')))
        const read = async (direction: 'older' | 'newer', version: number, limit = 9) => {
          const query = { table: 'goods', identity: 'g1', direction, version, limit }
          return (await store.rowHistory(query)).map((entry) => entry.version)
        }
        assert.deepEqual(await read('older', 99), [3, 2, 1])
        assert.deepEqual(await read('older', 3, 1), [2])
        assert.deepEqual(await read('newer', 1), [2, 3])
        assert.deepEqual(await read('newer', 3), [])
        await done(store, remove('goods', 'g1', 3))
        assert.deepEqual(await read('older', 99), [3, 2, 1])
      }))

    it('has the entries of one row after which it contains a text, in the log and among the kept ones', () =>
      using(async (store) => {
        const second = good.with(4, 'a+b/c*=').with(1, 2)
        await done(store, insert('goods', good))
        await done(store, replace('goods', good, second))
        await done(store, replace('goods', second, second.with(4, 'a+b/c*=?').with(1, 3)))
        const read = async (containing: string, limit = 9) => {
          const query = { table: 'goods', identity: 'g1', direction: 'older', version: 99 } as const
          return (await store.rowHistory({ ...query, containing, limit })).map((entry) => entry.version)
        }
        const found = async () => [
          await read('a+b/c*='),
          await read('a+b/c*=', 1),
          await read('a+b/c*=?'),
          await read('a.b/c'),
        ]
        assert.deepEqual(await found(), [[3, 2], [3], [3], []])
        await store.pruneLog(before(9), 100, [{ table: 'goods', since: timeOf(0) }])
        assert.equal((await store.logExtent()).entries, 0)
        assert.deepEqual(await found(), [[3, 2], [3], [3], []])
      }))

    it('keeps pruned entries of histories, for as long as they say', () =>
      using(async (store) => {
        await entries(store, 4)
        const query = { table: 'makers', direction: 'older', version: 99, limit: 9 } as const
        const kept = async () => {
          const found = ['m0', 'm1', 'm2', 'm3'].map(async (identity) => {
            const [entry] = await store.rowHistory({ ...query, identity })
            return entry && [entry.kind, entry.after?.[0]]
          })
          return (await Promise.all(found)).map((entry) => entry?.join())
        }
        const all = ['created,m0', 'created,m1', 'created,m2', 'created,m3']
        assert.deepEqual(await kept(), all)
        await store.pruneLog(before(9), 100, [{ table: 'makers', since: timeOf(1) }])
        assert.equal((await store.logExtent()).entries, 0)
        assert.deepEqual(await kept(), [undefined, ...all.slice(1)])
        assert.equal(await store.pruneHistory([{ table: 'makers', since: timeOf(1) }], 100), 0)
        assert.equal(await store.pruneHistory([{ table: 'makers', since: timeOf(3) }], 1), 1)
        assert.equal(await store.pruneHistory([{ table: 'makers', since: timeOf(3) }], 100), 1)
        assert.deepEqual(await kept(), [undefined, undefined, undefined, all[3]])
        assert.equal(await store.pruneHistory([], 100), 1)
      }))

    it('has the entries of a table that pruning kept, in pages', () =>
      using(async (store) => {
        await entries(store, 3)
        await done(store, insert('goods', good.with(3, timeOf(4))))
        const page = async (after?: ChangeLogEntry) => {
          const position = after && { identity: after.identity, version: after.version }
          return store.keptVersions({ table: 'makers', after: position, limit: 2 })
        }
        assert.deepEqual(await page(), [])
        const kept = ['makers', 'goods'].map((table) => ({ table, since: timeOf(0) }))
        await store.pruneLog(before(9), 100, kept)
        const first = await page()
        assert.deepEqual(
          first.map(({ after }) => after),
          [row('m0', 'M0').with(3, timeOf(0)), row('m1', 'M1').with(3, timeOf(1))],
        )
        const second = await page(first.at(-1))
        assert.deepEqual(
          second.map(({ identity, version }) => [identity, version]),
          [['m2', 1]],
        )
        assert.deepEqual(await page(second.at(-1)), [])
      }))

    it('is pruned past an entry whose clock was ahead', () =>
      using(async (store) => {
        await done(store, insert('goods', good.with(3, timeOf(1_000_000))))
        await entries(store, 2)
        assert.equal(await store.pruneLog(before(1), 10), 2)
      }))

    it('keeps the entries before one whose clock was behind', () =>
      using(async (store) => {
        await done(store, insert('goods', good.with(3, timeOf(5))))
        await entries(store, 1)
        assert.equal(await store.pruneLog(before(5), 10), 0)
        assert.equal((await store.logExtent()).entries, 2)
      }))
  })
}
