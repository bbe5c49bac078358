/** What a migration promises, on every database: `migrationContract('SQLite', freshUrl)`. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Stored } from '../../src/definition/model.ts'
import { always } from '../../src/store/condition.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { Row } from '../../src/store/row.ts'
import type { MigrationStep } from '../../src/store/schema/migration-plan.ts'
import { migrate, planMigration } from '../../src/store/schema/run-migration.ts'
import type { Column, Schema } from '../../src/store/schema/table-schema.ts'
import type { Store } from '../../src/store/store.ts'
import { cases } from '../cases.ts'
import { insert } from './library.ts'
import { decimal, integer, real, ref, row, schema, table, text } from './tables.ts'

export type FreshUrl = () => Promise<string>

export async function withStore<Result>(
  url: string,
  of: Schema,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const store = await openStore(url, of, () => undefined)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

export async function rowsIn(store: Store, name: string): Promise<readonly Row[]> {
  const order = [{ column: '_identity', descending: false }]
  const rest = { condition: always, after: undefined, limit: 1000, evaluated: [] }
  return store.list({ table: name, order, ...rest })
}

/** A database of the one definition, with rows. */
export async function filled(url: string, of: Schema, name: string, rows: readonly Stored[][]) {
  await withStore(url, of, async (store) => {
    const written = await store.write(rows.map((one) => insert(name, one)))
    assert.deepEqual(written, { kind: 'done' })
  })
}

const things = (...columns: Column[]) => schema(table('things', columns))
const linesOf = (steps: readonly MigrationStep[]) => steps.map(({ line }) => line).join('\n')

export function migrationContract(name: string, freshUrl: FreshUrl): void {
  describe(`${name}: migrations`, () => {
    it('rows whose key is reserved are named, with how to rename them; nothing is done before', async () => {
      const url = await freshUrl()
      const former = things(text('slug', { required: true, unique: true }))
      await filled(url, former, 'things', [row('t1', '-'), row('t2', '--')])
      const [plain] = Object.values(former.tables)
      assert.ok(plain)
      const keyed: Schema = { ...former, tables: { things: { ...plain, idColumn: 'slug' } } }
      const [step, ...others] = await planMigration(url, keyed)
      assert.deepEqual(others, [])
      assert.equal(step?.line, 'name items by things.slug')
      const renaming = `update "things" set "slug" = 'another' where "slug" = '-'`
      assert.equal(
        step?.obstacle,
        `1 row has (t1) the key '-', which is reserved; rename it while no service runs: ${renaming}`,
      )
      await assert.rejects(migrate(url, keyed, 'all'), /cannot name items by things\.slug/)
      await assert.rejects(
        openStore(url, keyed, () => undefined),
        /the key '-', which is reserved/,
      )
      assert.deepEqual(await planMigration(url, former), [])
    })

    it('a plan tells what is to be done and does nothing', async () => {
      const url = await freshUrl()
      await filled(url, things(text('a')), 'things', [row('t1', 'x')])
      const wanted = things(text('a'), text('b', { required: true, default: 'new' }))
      for (const _ of [1, 2]) {
        assert.match(linesOf(await planMigration(url, wanted)), /^add column things\.b/)
      }
      await migrate(url, wanted, 'safe')
      assert.deepEqual(await planMigration(url, wanted), [])
      const rows = await withStore(url, wanted, (store) => rowsIn(store, 'things'))
      assert.deepEqual(rows[0]?.slice(4), ['x', 'new'])
    })

    it('a field that becomes required gets its default, and its row another version', async () => {
      const url = await freshUrl()
      await filled(url, things(text('a')), 'things', [row('t1', 'x'), row('t2', null)])
      const wanted = things(text('a', { required: true, default: 'd' }))
      await migrate(url, wanted, 'safe')
      const rows = await withStore(url, wanted, (store) => rowsIn(store, 'things'))
      assert.deepEqual(
        rows.map((one) => [one[1], one[4]]),
        [
          [1, 'x'],
          [2, 'd'],
        ],
      )
    })

    it('without a default the rows in the way are named, and nothing is changed', async () => {
      const url = await freshUrl()
      const rows = Array.from({ length: 7 }, (_, n) => row(`t${n}`, n === 0 ? 'x' : null))
      await filled(url, things(text('a')), 'things', rows)
      const wanted = things(text('a', { required: true }))
      const refused = migrate(url, wanted, 'all')
      await assert.rejects(refused, /cannot require things\.a: 6 rows have \(t1, t2, t3, t4, t5, …\)/)
      const kept = await withStore(url, things(text('a')), (store) => rowsIn(store, 'things'))
      assert.equal(kept.length, 7)
    })

    it('unique and referring columns name the rows that keep them from being so', async () => {
      const url = await freshUrl()
      await filled(url, things(text('a')), 'things', [row('t1', 'x'), row('t2', 'x')])
      const unique = migrate(url, things(text('a', { unique: true })), 'all')
      await assert.rejects(unique, /cannot make things\.a unique: 2 rows have \(t1, t2\)/)
      const referring = migrate(url, things(ref('a', 'things')), 'all')
      await assert.rejects(referring, /cannot let things\.a refer to things: 2 rows have \(t1, t2\)/)
    })

    describe('columns that become unique together', () => {
      const pairs = (options: { readonly default?: number; readonly required?: true } = {}) =>
        schema(table('things', [text('a'), integer('b', options)], { uniqueSets: [['a', 'b']] }))
      const plain = things(text('a'), integer('b'))

      it('name the rows that agree in all of them, and nothing is changed', async () => {
        const url = await freshUrl()
        const rows = [row('t1', 'x', 1), row('t2', 'x', 1), row('t3', 'x', 2), row('t4', 'y', 1)]
        const exempt = [row('t5', null, 1), row('t6', null, 1), row('t7', 'x', null)]
        await filled(url, plain, 'things', [...rows, ...exempt, row('t8', 'x', null)])
        const plan =
          /cannot make things\.a and things\.b unique together: 2 rows have \(t1, t2\) the same values/
        await assert.rejects(migrate(url, pairs(), 'all'), plan)
        await assert.rejects(
          openStore(url, pairs(), () => undefined),
          plan,
        )
        assert.deepEqual(await planMigration(url, plain), [])
      })

      it('are made so by a start where all rows permit it, and let go by a migration', async () => {
        const url = await freshUrl()
        await filled(url, plain, 'things', [row('t1', 'x', 1), row('t2', 'x', 2)])
        await withStore(url, pairs(), async (store) => {
          const again = await store.write([insert('things', row('t3', 'x', 2))])
          const reason = { kind: 'duplicate', columns: ['a', 'b'] }
          assert.deepEqual(again, { kind: 'refused', index: 0, reason })
        })
        assert.deepEqual(await planMigration(url, pairs()), [])
        assert.match(linesOf(await planMigration(url, plain)), /^drop index things:unique:a,b$/)
        await migrate(url, plain, 'safe')
        await filled(url, plain, 'things', [row('t3', 'x', 2)])
      })

      it('count the default of a new column, and of one that becomes required', async () => {
        const url = await freshUrl()
        const wanted = pairs({ required: true, default: 7 })
        await filled(url, things(text('a')), 'things', [row('t1', 'x'), row('t2', 'x')])
        await assert.rejects(migrate(url, wanted, 'all'), /unique together: 2 rows have \(t1, t2\)/)
        const other = await freshUrl()
        await filled(other, plain, 'things', [row('t1', 'x', null), row('t2', 'x', 7)])
        await assert.rejects(migrate(other, wanted, 'all'), /2 rows have \(t1, t2\)/)
        await migrate(other, pairs(), 'safe')
      })

      it('are exempt where a new column has no value', async () => {
        const url = await freshUrl()
        await filled(url, things(text('a')), 'things', [row('t1', 'x'), row('t2', 'x')])
        await withStore(url, pairs(), async (store) => store.check())
      })

      it('stay so after a rename', async () => {
        const url = await freshUrl()
        await filled(url, pairs(), 'things', [row('t1', 'x', 1)])
        const columns = [text('a'), integer('c', { formerly: ['b'] })]
        const renamed = schema(table('things', columns, { uniqueSets: [['a', 'c']] }))
        await migrate(url, renamed, 'safe')
        assert.deepEqual(await planMigration(url, renamed), [])
        await withStore(url, renamed, async (store) => {
          const again = await store.write([insert('things', row('t2', 'x', 1))])
          assert.deepEqual(again.kind === 'refused' && again.reason, {
            kind: 'duplicate',
            columns: ['a', 'c'],
          })
        })
      })
    })

    it('what loses data is refused with the plan, and done where that is allowed', async () => {
      const url = await freshUrl()
      const before = schema(table('things', [text('a'), integer('b')]), table('others', []))
      await filled(url, before, 'things', [row('t1', 'x', 5)])
      await filled(url, before, 'others', [row('o1')])
      const wanted = things(integer('a'))
      const plan = /loses .*things\.b(.|\n)*loses .*others/
      await assert.rejects(migrate(url, wanted, 'safe'), plan)
      await assert.rejects(
        openStore(url, wanted, () => undefined),
        plan,
      )
      await migrate(url, wanted, 'all')
      const rows = await withStore(url, wanted, (store) => rowsIn(store, 'things'))
      assert.deepEqual(rows, [['t1', 2, row('')[2], row('')[3], null]])
    })

    it('renames keep rows, references, log and tombstones', async () => {
      const url = await freshUrl()
      const before = schema(
        table('things', [text('a', { unique: true })], { tombstones: true }),
        table('parts', [ref('of', 'things')]),
      )
      await withStore(url, before, async (store) => {
        await store.write([insert('things', row('t1', 'x')), insert('parts', row('p1', 't1'))])
        await store.write([insert('things', row('t2', 'y'))])
        const removal = { kind: 'delete', table: 'things', identity: 't2', version: 1 } as const
        await store.write([{ ...removal, conditionBefore: always, at: 'then' }])
      })
      const after = schema(
        table('items', [text('title', { unique: true, formerly: ['a'] })], {
          tombstones: true,
          formerly: ['things'],
        }),
        table('parts', [ref('item', 'items', 'restrict', { formerly: ['of'] })]),
      )
      await migrate(url, after, 'safe')
      assert.deepEqual(await planMigration(url, after), [])
      await withStore(url, after, async (store) => {
        assert.deepEqual((await rowsIn(store, 'items'))[0]?.slice(4), ['x'])
        assert.deepEqual((await rowsIn(store, 'parts'))[0]?.slice(4), ['t1'])
        assert.deepEqual((await store.findTombstone('items', 't2'))?.values.slice(4), ['y'])
        const tables = (await store.readChanges(0, 9)).map((change) => change.table)
        assert.deepEqual(tables, ['items', 'parts', 'items', 'items'])
        const again = await store.write([insert('items', row('t3', 'x'))])
        assert.ok(again.kind === 'refused' && again.reason.kind === 'duplicate')
        assert.deepEqual(again.reason.columns, ['title'])
      })
    })

    it('migrating equals making anew and copying what fits', async () => {
      const property = fc.asyncProperty(columnsOf, columnsOf, seeds, async (old, wanted, seed) => {
        await fc.pre(old.length + wanted.length > 0)
        await comparePair(await freshUrl(), old, wanted, seed)
      })
      await fc.assert(property, { numRuns: cases(100), seed: 20260105 })
    })
  })
}

const column = (name: string): fc.Arbitrary<Column> =>
  fc
    .record({
      make: fc.constantFrom(text, integer, real, decimal),
      required: fc.boolean(),
      defaulted: fc.boolean(),
    })
    .map(({ make, required, defaulted }) => {
      const initial = make === text ? 'd' : make === decimal ? 700n : 7
      return make(name, { required, ...(defaulted ? { default: initial } : {}) })
    })
export const columnsOf = fc
  .subarray(['a', 'b', 'c'])
  .chain((names) => fc.tuple<Column[]>(...names.map(column)))
const seeds = fc.array(fc.nat(3), { minLength: 0, maxLength: 4 })

export function valueFor({ type, required }: Column, seed: number): Stored {
  if (seed === 0 && !required) return null
  if (type === 'text') return `v${seed}`
  return type === 'decimal' ? BigInt(seed) : seed
}

async function comparePair(
  url: string,
  old: readonly Column[],
  wanted: readonly Column[],
  seeds: readonly number[],
): Promise<void> {
  const rows = seeds.map((seed, n) => row(`t${n}`, ...old.map((one, at) => valueFor(one, (seed + at) % 4))))
  await filled(url, things(...old), 'things', rows)
  const expected = rows.map((one) => wanted.map((to) => fitted(to, old, one)))
  const impossible = expected.some((one) => one.some((value, at) => lacks(wanted[at], value)))
  if (impossible) {
    await assert.rejects(migrate(url, things(...wanted), 'all'), /cannot/)
    const kept = await withStore(url, things(...old), (store) => rowsIn(store, 'things'))
    assert.deepEqual(fields(kept), fields(rows))
    return
  }
  await migrate(url, things(...wanted), 'all')
  assert.deepEqual(await planMigration(url, things(...wanted)), [])
  const now = await withStore(url, things(...wanted), (store) => rowsIn(store, 'things'))
  assert.deepEqual(
    fields(now),
    expected.map((one) => one.map(shown)),
  )
}

function fitted(to: Column, old: readonly Column[], one: readonly Stored[]): Stored {
  const at = old.findIndex(({ name, type }) => name === to.name && type === to.type)
  const before = old.find(({ name }) => name === to.name)
  const value = at === -1 ? undefined : one[4 + at]
  if (value !== undefined && value !== null) return value
  // A default is for rows that could not say otherwise: not for one that left an optional field out.
  const spoke = at !== -1 && before !== undefined && !to.required
  return spoke ? null : (to.default ?? null)
}

const lacks = (to: Column | undefined, value: Stored) => to?.required === true && value === null
const shown = (value: Stored) => (typeof value === 'bigint' ? String(value) : value)
const fields = (rows: readonly Row[]) => rows.map((one) => one.slice(4).map(shown))
