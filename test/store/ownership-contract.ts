/** Objects of other programs in the same database: `ownershipContract('SQLite', freshUrl, ask)`. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyone, openService, resource, service, text as textField } from '../../src/index.ts'
import type { KeptObjectsObservation } from '../../src/observation.ts'
import { always } from '../../src/store/condition.ts'
import { openStore } from '../../src/store/open-store.ts'
import { formatPlan } from '../../src/store/schema/migration-plan.ts'
import { migrate, planMigration } from '../../src/store/schema/run-migration.ts'
import type { Schema } from '../../src/store/schema/table-schema.ts'
import type { Store } from '../../src/store/store.ts'
import { insert } from './library.ts'
import { type FreshUrl, filled, rowsIn, withStore } from './migration-contract.ts'
import { integer, LATER, ref, row, schema, table, text } from './tables.ts'

/** Runs statements as another program would, and returns the rows of the last one. */
export type Ask = (url: string, sql: string) => Promise<readonly Record<string, unknown>[]>

const things = schema(table('things', [text('a'), text('b')], { indexes: [['a']] }))
const foreign = [
  'create table mine (x integer)',
  'create unique index my_i on things (a)',
  'alter table things add column note text',
].join('; ')
const foreignNames = ['column things.note', 'index my_i on things', 'table mine']

/** The store, and what was told while it opened. */
async function started(url: string, of: Schema): Promise<[Store, KeptObjectsObservation[]]> {
  const told: KeptObjectsObservation[] = []
  const store = await openStore(url, of, (one) => {
    if (one.kind === 'objects-kept') told.push(one)
  })
  return [store, told]
}

export function ownershipContract(name: string, freshUrl: FreshUrl, request: Ask): void {
  const prepared = async () => {
    const url = await freshUrl()
    await filled(url, things, 'things', [row('t1', 'x', 'y')])
    await request(url, `${foreign}; update things set note = 'kept'; insert into mine values (5)`)
    return url
  }
  const assertKept = async (url: string) => {
    assert.deepEqual(await request(url, 'select x from mine'), [{ x: 5 }])
    assert.deepEqual(await request(url, 'select note from things'), [{ note: 'kept' }])
    const twice = `insert into things ("_identity", "_version", "createdAt", "updatedAt", a) values ('t9', 1, '', '', 'x')`
    await assert.rejects(request(url, twice), /unique/i)
  }

  describe(`${name}: what another program has made`, () => {
    it('a start keeps tables, columns and indexes of others, empty or not, and logs them once', async () => {
      const url = await prepared()
      await request(url, 'create table empty (x integer)')
      const [store, told] = await started(url, things)
      await store.close()
      assert.deepEqual(
        told.map((one) => one.foreign.toSorted()),
        [[...foreignNames, 'table empty'].toSorted()],
      )
      assert.deepEqual(await request(url, 'select count(*) as n from empty').then(numbers), [0])
      await assertKept(url)
    })

    it('a migration that changes every table keeps them too', async () => {
      const url = await prepared()
      await request(url, 'create view seen as select a, note from things')
      const changed = schema(table('items', [text('a', { required: true })], { formerly: ['things'] }))
      await migrate(url, changed, 'all')
      assert.deepEqual(await request(url, 'select x from mine'), [{ x: 5 }])
      assert.deepEqual(await request(url, 'select a, note from seen'), [{ a: 'x', note: 'kept' }])
      const [store, told] = await started(url, changed)
      const again = await store.write([insert('items', row('t2', 'x'))])
      await store.close()
      assert.equal(again.kind === 'refused' && again.reason.kind, 'duplicate')
      assert.ok(told[0]?.foreign.includes('index my_i on items'), 'the index is on the new table')
    })

    it('own objects that the definition no longer has stay until they are dropped by a migration', async () => {
      const url = await freshUrl()
      const before = schema(
        table('things', [text('a', { unique: true }), text('b')], {
          indexes: [['b']],
          uniqueSets: [['b', 'a']],
        }),
        table('others', [ref('of', 'things')]),
      )
      await filled(url, before, 'things', [row('t1', 'x', null)])
      const wanted = schema(table('things', [text('a')]))
      const [store, told] = await started(url, wanted)
      await store.close()
      assert.deepEqual(told[0]?.unused.toSorted(), [
        'column things.b',
        'index things:index:b,_identity on things',
        'index things:unique:a on things',
        'index things:unique:b,a on things',
        'table others',
      ])
      assert.deepEqual(told[0]?.foreign, [])
      await withStore(url, before, (again) => again.write([insert('others', row('o1', 't1'))]))
      await request(url, 'delete from others')
      await migrate(url, wanted, 'safe')
      const [last, silence] = await started(url, wanted)
      await last.close()
      assert.deepEqual(silence, [], 'nothing is left')
      assert.deepEqual(await planMigration(url, wanted), [])
    })

    it('a resource named like a table of another program is refused, and nothing is changed', async () => {
      const url = await prepared()
      const wanted = schema(...Object.values(things.tables), table('mine', [text('a')]))
      await assert.rejects(
        openStore(url, wanted, () => undefined),
        /cannot create table mine: another program has made a table of that name/,
      )
      await assertKept(url)
    })

    it('a field named like a column of another program takes it over where the type is the same', async () => {
      const url = await prepared()
      const other = schema(table('things', [text('a'), text('b'), integer('note')]))
      assert.match(
        formatPlan(await planMigration(url, other)),
        /cannot add column things\.note: another program has made a column of that name/,
      )
      const same = schema(table('things', [text('a'), text('b'), text('note')]))
      const rows = await withStore(url, same, (store) => rowsIn(store, 'things'))
      assert.deepEqual(rows[0]?.slice(4), ['x', 'y', 'kept'])
    })

    it('a row that refers to one of ours from a table of another program keeps it', async () => {
      const url = await freshUrl()
      await filled(url, things, 'things', [row('t1', 'x', 'y')])
      const column = name === 'SQLite' ? 'text' : 'text collate "C"'
      await request(
        url,
        `create table mine (x ${column} references things ("_identity")); insert into mine values ('t1')`,
      )
      await withStore(url, things, async (store) => {
        const removal = { kind: 'delete', table: 'things', identity: 't1', version: 1 } as const
        const outcome = await store.write([{ ...removal, conditionBefore: always, at: LATER }])
        assert.deepEqual(outcome.kind === 'refused' && outcome.reason, {
          kind: 'referenced',
          by: [],
        })
      })
    })

    it('an item refused by a unique index of another program is 409 `duplicate` (RFC 9110 §15.5.10)', async () => {
      const url = await freshUrl()
      const access = { read: anyone, create: anyone, update: anyone }
      const notes = resource({ title: textField(), code: textField().optional() }, { access, bulk: true })
      const definition = service({ title: 'T', resources: { notes } })
      const options = { database: url, rate: 'off' } as const
      await (await openService(definition, options)).close()
      await request(
        url,
        'create unique index i1 on notes (title); create unique index i2 on notes (lower(code))',
      )
      await using opened = await openService(definition, options)
      const made = (body: object) =>
        opened.handle(
          new Request('http://localhost/notes', {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(body),
          }),
        )
      assert.equal((await made({ title: 'a', code: 'x' })).status, 201)
      const titled = await made({ title: 'a' })
      assert.equal(titled.status, 409)
      const problem = (await titled.json()) as { type: string; errors: { pointer: string }[] }
      assert.match(problem.type, /\/problems\/duplicate$/)
      assert.deepEqual(
        problem.errors.map(({ pointer }) => pointer),
        ['/title'],
      )
      assert.equal((await made({ title: 'b', code: 'X' })).status, 409)
      const both = await made([{ title: 'c' }, { title: 'c' }] as object)
      assert.equal(both.status, 409, 'in bulk too')
    })
  })
}

const numbers = (rows: readonly Record<string, unknown>[]) => rows.map(({ n }) => Number(n))
