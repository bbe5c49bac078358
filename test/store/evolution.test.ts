/** A file made by an earlier definition: what loses nothing is migrated, the rest is refused. */

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import type { Stored } from '../../src/definition/model.ts'
import { always } from '../../src/store/condition.ts'
import { migrate } from '../../src/store/schema/run-migration.ts'
import type { Column, Schema } from '../../src/store/schema/table-schema.ts'
import { StoreOpenError } from '../../src/store/store.ts'
import { folderFor, withFile } from './folder.ts'
import { insert } from './library.ts'
import { decimal, integer, LATER, ref, row, schema, table, text } from './tables.ts'

const things = (...columns: readonly Column[]): Schema => schema(table('things', columns))
const required = { required: true }

/** Makes a file with one row in each table, and tells what a later definition finds of `things`. */
async function evolved(
  test: TestContext,
  from: Schema,
  rows: Readonly<Record<string, readonly (readonly Stored[])[]>>,
  to: Schema,
): Promise<readonly (readonly Stored[])[]> {
  const file = join(folderFor(test), 'a.db')
  await withFile(file, from, async (store) => {
    const writes = Object.entries(rows).flatMap(([name, of]) => of.map((one) => insert(name, one)))
    assert.deepEqual(await store.write(writes), { kind: 'done' })
  })
  await migrate(`file:${file}`, to, 'safe')
  const opened = () =>
    withFile(file, to, async (store) => {
      const order = [{ column: '_identity', descending: false }]
      const rest = { condition: always, after: undefined, limit: 9, evaluated: [] }
      return (await store.list({ table: 'things', order, ...rest })).map((one) => one.slice(4))
    })
  const found = await opened()
  assert.deepEqual(await opened(), found, 'opening again changes nothing')
  return found
}

/** The plan of a refusal; and the file still fits the definition it was made by. */
async function refusal(
  test: TestContext,
  from: Schema,
  rows: Readonly<Record<string, readonly (readonly Stored[])[]>>,
  to: Schema,
): Promise<string> {
  const file = join(folderFor(test), 'a.db')
  const fill = (store: { write: (writes: ReturnType<typeof insert>[]) => Promise<unknown> }) =>
    store.write(Object.entries(rows).flatMap(([name, of]) => of.map((one) => insert(name, one))))
  await withFile(file, from, fill)
  const fault = await migrate(`file:${file}`, to, 'safe').catch((error) => error)
  assert.ok(fault instanceof StoreOpenError, String(fault))
  await withFile(file, from, async (store) => {
    for (const [name, of] of Object.entries(rows)) {
      assert.equal(await store.count(name, always), of.length)
    }
  })
  return fault.message
}

it('new tables, optional columns and columns with a default are added', async (test) => {
  const to = schema(
    table('things', [
      text('a'),
      text('b'),
      text('c', { ...required, default: "it's" }),
      integer('d', { ...required, default: -1 }),
      decimal('e', { ...required, default: 123456789012345678n }),
      ref('f', 'others'),
    ]),
    table('others', [text('x')]),
  )
  const found = await evolved(test, things(text('a')), { things: [row('1', 'A')] }, to)
  assert.deepEqual(found, [['A', null, "it's", -1, '123456789012345678', null]])
})

it('a required column without a default is added while there are no rows', async (test) => {
  const to = things(text('a'), text('b', required))
  assert.deepEqual(await evolved(test, things(text('a')), {}, to), [])
  const plan = await refusal(test, things(text('a')), { things: [row('1', 'A')] }, to)
  assert.match(plan, /cannot add column things\.b: it is required/)
})

it('a required column may become optional, with its rows and references kept', async (test) => {
  const others = table('others', [ref('thing', 'things')])
  const from = schema(table('things', [text('a', { ...required, unique: true })]), others)
  const to = schema(table('things', [text('a', { unique: true })]), others)
  const rows = { things: [row('1', 'A')], others: [row('2', '1')] }
  assert.deepEqual(await evolved(test, from, rows, to), [['A']])
})

it('after a rebuild references and unique columns still hold', async (test) => {
  const others = table('others', [ref('thing', 'things')])
  const from = schema(table('things', [text('a', { ...required, unique: true })]), others)
  const to = schema(table('things', [text('a', { unique: true })]), others)
  const file = join(folderFor(test), 'a.db')
  await withFile(file, from, (store) => store.write([insert('things', row('1', 'A'))]))
  await migrate(`file:${file}`, to, 'safe')
  await withFile(file, to, async (store) => {
    const again = await store.write([insert('things', row('2', 'A'))])
    assert.deepEqual(again.kind === 'refused' && again.reason, {
      kind: 'duplicate',
      columns: ['a'],
    })
    const dangling = await store.write([insert('others', row('3', 'nothing'))])
    assert.deepEqual(dangling.kind === 'refused' && dangling.reason.kind, 'missing-reference')
    const held = { kind: 'delete', table: 'things', identity: '1', version: 1 } as const
    await store.write([insert('others', row('4', '1'))])
    const removed = await store.write([{ ...held, conditionBefore: always, at: LATER }])
    assert.deepEqual(removed.kind === 'refused' && removed.reason.kind, 'referenced')
  })
})

it('an optional column becomes required only where every row has it', async (test) => {
  const [from, to] = [things(text('a')), things(text('a', required))]
  assert.deepEqual(await evolved(test, from, { things: [row('1', 'A')] }, to), [['A']])
  const plan = await refusal(test, from, { things: [row('1', null)] }, to)
  assert.match(plan, /cannot require things\.a: .* no value/)
})

it('a column becomes unique only where no two rows agree', async (test) => {
  const [from, to] = [things(text('a')), things(text('a', { unique: true }))]
  const differing = { things: [row('1', 'A'), row('2', 'B'), row('3', null), row('4', null)] }
  const found = await evolved(test, from, differing, to)
  assert.deepEqual(found, [['A'], ['B'], [null], [null]])
  const plan = await refusal(test, from, { things: [row('1', 'A'), row('2', 'A')] }, to)
  assert.match(plan, /cannot make things\.a unique: .*a value that others have/)
  const added = things(text('a'), text('b', { ...required, unique: true, default: 'x' }))
  const both = await refusal(test, from, { things: [row('1', 'A'), row('2', 'B')] }, added)
  assert.match(both, /can {4}add column things\.b .*\n.*cannot make things\.b unique/)
})

it('a column and a table that were renamed keep their data, references, log and tombstones', async (test) => {
  const file = join(folderFor(test), 'a.db')
  const from = schema(
    table('things', [text('a'), ref('next', 'things')], { tombstones: true }),
    table('others', [ref('thing', 'things')]),
  )
  const to = schema(
    table('items', [text('b', { formerly: ['a'] }), ref('next', 'items')], {
      tombstones: true,
      formerly: ['things'],
    }),
    table('others', [ref('thing', 'items')]),
  )
  await withFile(file, from, async (store) => {
    await store.write([
      insert('things', row('1', 'A', '1')),
      insert('things', row('2', 'gone', null)),
      insert('others', row('3', '1')),
      { kind: 'delete', table: 'things', identity: '2', version: 1, conditionBefore: always, at: LATER },
    ])
  })
  await migrate(`file:${file}`, to, 'safe')
  await withFile(file, to, async (store) => {
    const found = store.find({ table: 'items', column: '_identity', value: '1', evaluated: [] })
    assert.deepEqual(found, row('1', 'A', '1'))
    assert.equal(store.revision('items'), 1)
    assert.deepEqual(new Set(store.readChanges(0, 9).map((one) => one.table)), new Set(['items', 'others']))
    assert.deepEqual(store.findTombstone('items', '2')?.values, row('2', 'gone', null))
    const written = await store.write([insert('others', row('4', 'nothing'))])
    assert.deepEqual(written.kind === 'refused' && written.reason.kind, 'missing-reference')
  })
})

it('a table or column that vanished goes where it holds nothing, and is refused where it does', async (test) => {
  const from = schema(table('things', [text('a'), text('b')]), table('others', [text('x')]))
  const to = things(text('a'))
  assert.deepEqual(await evolved(test, from, { things: [row('1', 'A', null)] }, to), [['A']])
  const rows = { things: [row('1', 'A', 'B')], others: [row('2', 'X')] }
  const plan = await refusal(test, from, rows, to)
  assert.match(plan, /loses {2}drop column things\.b, .*: it has values; .*\.formerly\('b'\) on the field/)
  assert.match(plan, /loses {2}drop table others, .*: it has rows; .*formerly: \['others'\]/)
  assert.match(plan, /nothing was changed/)
})

it('another type, or another scale of a decimal, is refused where there are values', async (test) => {
  const from = things(text('a'), decimal('b'))
  const to = things(integer('a'), decimal('b', { scale: 3 }))
  assert.deepEqual(await evolved(test, from, { things: [row('1', null, null)] }, to), [[null, null]])
  const plan = await refusal(test, from, { things: [row('1', '5', 500n)] }, to)
  assert.match(plan, /loses {2}change the type of things\.a from text to integer/)
  assert.match(plan, /loses {2}change the type of things\.b from decimal\(18,2\) to decimal\(18,3\)/)
})

it('a column becomes a reference only where everything it names is there', async (test) => {
  const others = table('others', [text('x')])
  const from = schema(table('things', [text('a')]), others)
  const to = schema(table('things', [ref('a', 'others')]), others)
  const rows = { others: [row('o', 'X')], things: [row('1', 'o'), row('2', null)] }
  assert.deepEqual(await evolved(test, from, rows, to), [['o'], [null]])
  const plan = await refusal(test, from, { things: [row('1', 'o')] }, to)
  assert.match(plan, /cannot let things\.a refer to others: .* the id of nothing/)
})

it('indexes follow the definition', async (test) => {
  const file = join(folderFor(test), 'a.db')
  const indexed = (...indexes: string[][]) => schema(table('things', [text('a'), text('b')], { indexes }))
  const { DatabaseSync } = await import('node:sqlite')
  const indexNames = () => {
    const database = new DatabaseSync(file)
    const sql = `select "name" from sqlite_schema where "type" = 'index' and "name" like 'things%'`
    const names = database
      .prepare(sql)
      .all()
      .map((one) => one.name)
    database.close()
    return names
  }
  await withFile(file, indexed(['a']), async () => undefined)
  assert.deepEqual(indexNames(), ['things:index:a,_identity'])
  await withFile(file, indexed(['b', 'a']), async () => undefined)
  assert.equal(indexNames().length, 2, 'a start drops none')
  await migrate(`file:${file}`, indexed(['b', 'a']), 'safe')
  assert.deepEqual(indexNames(), ['things:index:b,a,_identity'])
})
