/** What the Store promises of rows to be, of rows that moved, of answers kept, and of expectations. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Stored } from '../../src/definition/model.ts'
import { always, equals, never } from '../../src/store/condition.ts'
import type { Store } from '../../src/store/store.ts'
import type { ResponseWrite, Write } from '../../src/store/write.ts'
import type { OpenStore } from './library.ts'
import { decimal, integer, LATER, real, ref, row, schema, table, text } from './tables.ts'

const shop = schema(
  table('makers', [text('name', { required: true, unique: true })], { idColumn: 'name' }),
  table(
    'things',
    [
      text('sku', { required: true, unique: true }),
      ref('maker', 'makers'),
      ref('twin', 'things'),
      integer('stock'),
      decimal('price'),
      real('weight'),
    ],
    { idColumn: 'sku', tombstones: true },
  ),
)

const insert = (name: string, values: readonly Stored[]): Write => ({
  kind: 'insert',
  table: name,
  values,
  conditionAfter: always,
})

const thing = (identity: string, sku: string, twin: string | null = null) =>
  row(identity, sku, 'm1', twin, 3, 12345678901234567n, 0.5)

function rename(values: readonly Stored[], sku: string, version = 1): Write {
  const identity = String(values[0])
  const next = values
    .with(1, version + 1)
    .with(3, LATER)
    .with(4, sku)
  const conditions = { conditionBefore: always, conditionAfter: always }
  return {
    kind: 'update',
    table: 'things',
    identity,
    version,
    values: next,
    previous: values,
    ...conditions,
  }
}

const remove = (identity: string, version: number): Write => ({
  kind: 'delete',
  table: 'things',
  identity,
  version,
  conditionBefore: always,
  at: LATER,
})

const answer = (name: string, options: Partial<ResponseWrite> = {}): ResponseWrite => ({
  kind: 'response',
  name,
  fingerprint: 'f',
  text: 'answer',
  now: 1000,
  until: 2000,
  ...options,
})

export function keepingContract(name: string, open: OpenStore): void {
  const using = async (work: (store: Store) => Promise<void>) => {
    const store = await open(shop)
    try {
      assert.deepEqual(await store.write([insert('makers', row('m1', 'Acme'))]), { kind: 'done' })
      await work(store)
    } finally {
      await store.close()
    }
  }
  const written = async (store: Store, ...writes: readonly Write[]) =>
    assert.deepEqual(await store.write(writes), { kind: 'done' })

  describe(`${name}: rows to be`, () => {
    it('wouldShow gives what find gives once the values are stored', () =>
      using(async (store) => {
        const asks = [equals(['maker', 'name'], 'Acme'), equals(['sku'], 'B'), never, always]
        for (const values of [thing('t1', 'A'), thing('t2', 'B', 't1'), thing('t3', 'C', 't3')]) {
          const shown = await store.previewRow('things', values, asks)
          assert.equal(
            await store.find({
              table: 'things',
              column: 'sku',
              value: String(values[4]),
              evaluated: asks,
            }),
            undefined,
          )
          await written(store, insert('things', values))
          const value = String(values[0])
          const found = await store.find({
            table: 'things',
            column: '_identity',
            value,
            evaluated: asks,
          })
          assert.deepEqual(shown, found)
        }
      }))

    it('wouldShow takes a row as it was found, and shows the new key of what refers to itself', () =>
      using(async (store) => {
        await written(store, insert('things', thing('t1', 'A', 't1')))
        const question = { table: 'things', column: '_identity', value: 't1', evaluated: [] }
        const found = await store.find(question)
        assert.deepEqual(await store.previewRow('things', found ?? [], []), found)
        const renamed = (found ?? []).with(4, 'B')
        assert.deepEqual((await store.previewRow('things', renamed, [])).slice(-2), ['Acme', 'B'])
      }))
  })

  describe(`${name}: rows that moved`, () => {
    const first = thing('t1', 'A')

    it('an id that a row had leads to it, however often it moves on', () =>
      using(async (store) => {
        await written(store, insert('things', first), rename(first, 'B'), rename(first, 'C', 2))
        assert.equal(await store.findIdentityByFormerId('things', 'A'), 't1')
        assert.equal(await store.findIdentityByFormerId('things', 'B'), 't1')
        assert.equal(await store.findIdentityByFormerId('things', 'C'), undefined)
        await written(store, rename(first, 'A', 3))
        assert.equal(await store.findIdentityByFormerId('things', 'A'), undefined)
        assert.equal(await store.findIdentityByFormerId('things', 'C'), 't1')
      }))

    it('a row that takes the id, by insertion or by moving, ends that for good', () =>
      using(async (store) => {
        const second = thing('t2', 'A')
        await written(store, insert('things', first), rename(first, 'B'), insert('things', second))
        assert.equal(await store.findIdentityByFormerId('things', 'A'), undefined)
        await written(store, rename(second, 'D'))
        assert.equal(await store.findIdentityByFormerId('things', 'A'), 't2')
        await written(store, rename(first, 'A', 2))
        assert.equal(await store.findIdentityByFormerId('things', 'A'), undefined)
        await written(store, remove('t1', 3))
        assert.equal(await store.findIdentityByFormerId('things', 'A'), undefined)
      }))

    it('so do rows that are made at one time', () =>
      using(async (store) => {
        const names = (...all: string[]) => all.map((name) => insert('makers', row(`m-${name}`, name)))
        await store.write(names('A', 'B'))
        const conditions = { conditionBefore: always, conditionAfter: always, version: 1 }
        const move = (name: string, to: string): Write => {
          const values = row(`m-${name}`, to).with(1, 2).with(3, LATER)
          const previous = row(`m-${name}`, name)
          return { kind: 'update', table: 'makers', identity: `m-${name}`, values, previous, ...conditions }
        }
        await store.write([move('A', 'A2'), move('B', 'B2')])
        assert.equal(await store.findIdentityByFormerId('makers', 'A'), 'm-A')
        const again = ['A', 'C'].map((name) => insert('makers', row(`n-${name}`, name)))
        assert.deepEqual(await store.write(again), { kind: 'done' })
        assert.equal(await store.findIdentityByFormerId('makers', 'A'), undefined)
        assert.equal(await store.findIdentityByFormerId('makers', 'B'), 'm-B')
      }))

    it('nothing leads to a row that is removed; a move is later than the tombstone at its id', () =>
      using(async (store) => {
        const second = thing('t2', 'A')
        await written(store, insert('things', first), remove('t1', 1), insert('things', second))
        assert.equal((await store.findTombstone('things', 'A'))?.identity, 't1')
        await written(store, rename(second, 'B'))
        assert.equal(await store.findTombstone('things', 'A'), undefined)
        assert.equal(await store.findIdentityByFormerId('things', 'A'), 't2')
        await written(store, remove('t2', 2))
        assert.equal(await store.findIdentityByFormerId('things', 'A'), undefined)
      }))

    it('a rename that is refused, or undone with its transaction, moves nothing', () =>
      using(async (store) => {
        await written(store, insert('things', first), insert('things', thing('t2', 'B')))
        assert.equal((await store.write([rename(first, 'B')])).kind, 'refused')
        const both = await store.write([rename(first, 'C'), rename(first, 'D', 7)])
        assert.equal(both.kind, 'refused')
        assert.equal(await store.findIdentityByFormerId('things', 'A'), undefined)
      }))
  })

  describe(`${name}: answers kept`, () => {
    it('an answer is there with its effect until its time is over', () =>
      using(async (store) => {
        await written(store, insert('things', thing('t1', 'A')), answer('k'))
        const kept = { fingerprint: 'f', text: 'answer' }
        assert.deepEqual(await store.findStoredResponse('k', 1999), kept)
        assert.equal(await store.findStoredResponse('k', 2000), undefined)
        assert.equal(await store.findStoredResponse('other', 1000), undefined)
      }))

    it('a second answer under the name is refused and takes its effect along', () =>
      using(async (store) => {
        await written(store, answer('k'))
        const again = await store.write([insert('things', thing('t1', 'A')), answer('k')])
        assert.deepEqual(again, { kind: 'refused', index: 1, reason: { kind: 'response-exists' } })
        assert.equal(await store.count('things', always), 0)
      }))

    it('an effect that is refused takes the answer along', () =>
      using(async (store) => {
        const refused = await store.write([
          answer('k'),
          { ...insert('things', thing('t1', 'A')), conditionAfter: never } as Write,
        ])
        assert.equal(refused.kind, 'refused')
        assert.equal(await store.findStoredResponse('k', 1000), undefined)
      }))

    it('a name is free again when the time is over', () =>
      using(async (store) => {
        await written(store, answer('k'))
        await written(store, answer('k', { now: 2000, until: 3000, text: 'later' }))
        assert.equal((await store.findStoredResponse('k', 2000))?.text, 'later')
      }))

    it('of many at once under one name exactly one is kept', () =>
      using(async (store) => {
        const racing = Array.from({ length: 20 }, (_, n) =>
          store.write([insert('things', thing(`t${n}`, `S${n}`)), answer('k')]),
        )
        const kinds = (await Promise.all(racing)).map(({ kind }) => kind)
        assert.equal(kinds.filter((kind) => kind === 'done').length, 1)
        assert.equal(await store.count('things', always), 1)
      }))
  })

  describe(`${name}: expectations`, () => {
    it('hold while the table is in that state, and make the transaction stale after', () =>
      using(async (store) => {
        const state = await store.tableState('things')
        const expect: Write = { kind: 'expect', table: 'things', state }
        await written(store, insert('things', thing('t1', 'A')), expect)
        const stale = await store.write([insert('things', thing('t2', 'B')), expect])
        assert.deepEqual(stale, { kind: 'refused', index: 1, reason: { kind: 'stale' } })
        assert.equal(await store.count('things', always), 1)
      }))

    it('of many at once with one state exactly one is done', () =>
      using(async (store) => {
        const state = await store.tableState('things')
        const racing = Array.from({ length: 20 }, (_, n) =>
          store.write([
            insert('things', thing(`t${n}`, `S${n}`)),
            { kind: 'expect', table: 'things', state },
          ]),
        )
        const kinds = (await Promise.all(racing)).map(({ kind }) => kind)
        assert.equal(kinds.filter((kind) => kind === 'done').length, 1)
        assert.equal(await store.count('things', always), 1)
      }))
  })

  describe(`${name}: requirements`, () => {
    const someA: Write = { kind: 'require', table: 'things', condition: equals(['sku'], 'A') }

    it('are judged after the writes before them, and undo all of them where no row satisfies', () =>
      using(async (store) => {
        await written(store, insert('things', thing('t1', 'A')), someA)
        const remove: Write = {
          kind: 'delete',
          table: 'things',
          identity: 't1',
          version: 1,
          conditionBefore: always,
          at: '2026-01-01T00:00:00.000Z',
        }
        const refused = await store.write([remove, someA])
        assert.deepEqual(refused, { kind: 'refused', index: 1, reason: { kind: 'no-required-row' } })
        assert.equal(await store.count('things', always), 1)
      }))
  })
}
