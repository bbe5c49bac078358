/** What the Store interface promises on the change log, the revision, secrets and closing. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { always } from '../../src/store/condition.ts'
import { insert, library, type OpenStore, replace, storeUsers } from './library.ts'
import { LATER, row } from './tables.ts'

export function revisionContract(name: string, open: OpenStore): void {
  const { using, usingFilled } = storeUsers(open)

  describe(`${name}: log, revision, secret`, () => {
    it('each change has its entry, in order, with what its URI ended in', () =>
      usingFilled(async (store) => {
        await store.write([replace('shelves', row('s1', 'QA77'))])
        const changes = await store.readChanges(0, 100)
        assert.deepEqual(
          changes.map(({ kind, id, version }) => [kind, id, version]),
          [
            ['created', 'a1', 1],
            ['created', 'a2', 1],
            ['created', 'QA76', 1],
            ['created', 'b1', 1],
            ['created', 'b2', 1],
            ['updated', 'QA77', 2],
          ],
        )
        const last = changes.at(-1)
        assert.deepEqual([last?.table, last?.identity, last?.at], ['shelves', 's1', LATER])
        const positions = changes.map(({ position }) => position)
        assert.deepEqual(
          positions,
          positions.toSorted((a, b) => a - b),
        )
        const [third, fourth] = await store.readChanges(positions[1] ?? 0, 2)
        assert.deepEqual([third?.id, fourth?.id], ['QA76', 'b1'])
        assert.deepEqual(await store.readChanges(positions.at(-1) ?? 0, 100), [])
      }))

    it('a revision, where there is one, grows with each change of its table and nothing else', () =>
      usingFilled(async (store) => {
        const revisions = async () => [await store.revision('authors'), await store.revision('books')]
        const [authors, books] = await revisions()
        if (authors === undefined) return
        await store.write([replace('authors', row('a2', 'G', null))])
        const [authorsAfter = 0, booksAfter = 0] = await revisions()
        assert.ok(authorsAfter > authors)
        assert.equal(booksAfter, books)
        await store.write([replace('authors', row('a2', 'G', null))])
        assert.deepEqual(await revisions(), [authorsAfter, booksAfter])
      }))

    it('a first version is above every version a row has had', () =>
      using(async (store) => {
        const values = row('a1', 'Ada', null)
        await store.write([insert('authors', values)])
        for (let version = 1; version < 5; version += 1) {
          await store.write([replace('authors', values, { version })])
        }
        const [one, two] = [await store.firstVersion('authors'), await store.firstVersion('authors')]
        assert.ok(one > 5 && two > 5)
      }))

    it('what is done alone is done by one at a time', () =>
      using(async (store) => {
        let inside = 0
        const work = async () => {
          inside += 1
          await store.count('authors', always)
          assert.equal(inside, 1)
          inside -= 1
        }
        await store.withExclusiveLock(work)
        await store.withExclusiveLock(work)
      }))

    it('a secret is 32 octets, made once for each name', () =>
      using(async (store) => {
        const [one, two] = await Promise.all([store.loadSecret('cursor'), store.loadSecret('cursor')])
        assert.equal(one.length, 32)
        assert.deepEqual(one, two)
        assert.deepEqual(await store.loadSecret('cursor'), one)
        assert.notDeepEqual(await store.loadSecret('other'), one)
      }))

    it('a read sees everything acknowledged before it', () =>
      using(async (store) => {
        for (let n = 0; n < 50; n += 1) {
          await store.write([insert('authors', row(`a${n}`, `Name ${n}`, null))])
          assert.equal(await store.count('authors', always), n + 1)
        }
      }))

    it('close waits for the writes under way, and a later write is in trouble', async () => {
      const store = await open(library)
      const under = Array.from({ length: 20 }, (_, n) =>
        store.write([insert('authors', row(`a${n}`, `Name ${n}`, null))]),
      )
      await store.check()
      const closed = store.close()
      assert.deepEqual(new Set((await Promise.all(under)).map(({ kind }) => kind)), new Set(['done']))
      await closed
      await store.close()
      const away = { name: 'StoreUnavailable', reason: 'unreachable' }
      await assert.rejects(store.write([insert('authors', row('z', 'Z', null))]), away)
      await assert.rejects(async () => store.check(), away)
    })
  })
}
