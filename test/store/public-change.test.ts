/** The columns of the last change that every reader sees: there while a field of the resource has `visibleTo`. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, nobody, ref, resource, service, text } from 'restwell'
import { type ResourceModel, UPDATED_AT, VERSION } from '../../src/definition/model.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { Row } from '../../src/store/row.ts'
import { updateFields } from '../../src/store/row-fields.ts'
import { schemaOf } from '../../src/store/schema/model-schema.ts'
import { migrate, planMigration } from '../../src/store/schema/run-migration.ts'
import type { Store } from '../../src/store/store.ts'
import { insert, past, uuid } from '../access/rows.ts'
import { freshDatabase, lastingDatabase, onPostgres } from '../database.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
const modelOf = (notes: unknown, more: object = {}) =>
  checkDefinition(
    service({
      title: 'Zoo',
      resources: {
        homes: resource({ name: text() }, { access }),
        animals: resource(
          {
            name: text(),
            notes,
            home: ref('homes', { onDelete: 'clear' }).optional(),
            ward: ref('homes', { onDelete: 'clear' }).optional().visibleTo(nobody),
          } as never,
          { access, index: ['updatedAt'], ...more },
        ),
      },
    } as never),
  )

const restricted = modelOf(text().optional().visibleTo(nobody))
const open = checkDefinition(
  service({
    title: 'Zoo',
    resources: {
      homes: resource({ name: text() }, { access }),
      animals: resource(
        {
          name: text(),
          notes: text().optional(),
          home: ref('homes', { onDelete: 'clear' }).optional(),
          ward: ref('homes', { onDelete: 'clear' }).optional(),
        },
        { access, index: ['updatedAt'] },
      ),
    },
  }),
)
const animalsOf = ({ resources }: typeof open) => resources.get('animals') as ResourceModel
const timeOf = (second: number) => `2026-02-01T00:00:0${second}.000Z`

async function rowOf(store: Store, number = 1): Promise<Row> {
  const lookup = { table: 'animals', column: '_identity', value: uuid(number), evaluated: [] }
  return (await store.find(lookup)) as Row
}

/** Changes fields at that second; returns the last change and the last public one: version and time of each. */
async function change(
  store: Store,
  model: typeof open,
  second: number,
  changed: Record<string, string | null>,
) {
  const animals = animalsOf(model)
  const write = updateFields(animals, await rowOf(store), timeOf(second), changed)
  assert.deepEqual(await store.write([write]), { kind: 'done' })
  return changesOf(model, await rowOf(store))
}

function changesOf(model: typeof open, row: Row) {
  const { publicChange } = animalsOf(model)
  const last = [Number(row[VERSION]), row[UPDATED_AT]]
  return publicChange ? [...last, Number(row[publicChange.version]), row[publicChange.updatedAt.index]] : last
}

test('a write keeps the last public change, unless it changes a field that every reader sees', async () => {
  const store = await openStore(await freshDatabase(), schemaOf(restricted), () => {})
  try {
    await insert(store, animalsOf(restricted), 1, { name: 'Leo' })
    assert.deepEqual(changesOf(restricted, await rowOf(store)), [1, past, 1, past])
    const revisions = async () => [
      (await store.revision('animals')) ?? 0,
      (await store.revision('animals', 'public')) ?? 0,
    ]
    const [all = 0, shown = 0] = await revisions()
    assert.deepEqual(await change(store, restricted, 1, { notes: 'Limps' }), [2, timeOf(1), 1, past])
    const counted = onPostgres ? 0 : 1
    assert.deepEqual(await revisions(), [all + counted, shown])
    assert.deepEqual(await change(store, restricted, 2, { name: 'Leona' }), [3, timeOf(2), 2, timeOf(2)])
    assert.deepEqual(await revisions(), [all + 2 * counted, shown + counted])
  } finally {
    await store.close()
  }
})

test('a deletion that clears references counts as public where every reader sees one of them', async () => {
  const store = await openStore(await freshDatabase(), schemaOf(restricted), () => {})
  try {
    const homes = restricted.resources.get('homes') as ResourceModel
    const animals = animalsOf(restricted)
    for (const number of [11, 12]) await insert(store, homes, number, { name: 'Home' })
    await insert(store, animals, 1, { name: 'Hidden', ward: uuid(11) })
    await insert(store, animals, 2, { name: 'Shown', home: uuid(11) })
    await insert(store, animals, 3, { name: 'Both', home: uuid(12), ward: uuid(11) })
    const removal = { kind: 'delete', table: 'homes', identity: uuid(11), version: 1 } as const
    const always = { kind: 'always' } as const
    const outcome = await store.write([{ ...removal, conditionBefore: always, at: timeOf(5) }])
    assert.deepEqual(outcome, { kind: 'done' })
    const after = [1, 2, 3].map(async (number) => changesOf(restricted, await rowOf(store, number)))
    assert.deepEqual(await Promise.all(after), [
      [2, timeOf(5), 1, past],
      [2, timeOf(5), 2, timeOf(5)],
      [2, timeOf(5), 1, past],
    ])
    const logged = (await store.readChanges(0, 100)).filter(
      ({ table, kind }) => table === 'animals' && kind === 'updated',
    )
    assert.deepEqual(
      logged.map(({ after: row }) => changesOf(restricted, row as Row)),
      await Promise.all(after),
      'the log has them too',
    )
  } finally {
    await store.close()
  }
})

test('a definition with its first restricted field adds the columns, from the version and the time', async (t) => {
  const database = await lastingDatabase(t)
  const first = await openStore(database, schemaOf(open), () => {})
  await insert(first, animalsOf(open), 1, { name: 'Leo' })
  await change(first, open, 1, { notes: 'Limps' })
  await first.close()
  if (onPostgres) {
    await assert.rejects(
      openStore(database, schemaOf(restricted), () => {}),
      /apply {2}add column animals\._publicVersion/,
    )
    await migrate(database, schemaOf(restricted), 'safe')
  }
  const second = await openStore(database, schemaOf(restricted), () => {})
  assert.deepEqual(changesOf(restricted, await rowOf(second)), [2, timeOf(1), 2, timeOf(1)])
  assert.deepEqual(await change(second, restricted, 2, { notes: 'Runs' }), [3, timeOf(2), 2, timeOf(1)])
  await second.close()
  assert.deepEqual(await planMigration(database, schemaOf(restricted)), [])

  // Without restricted fields nobody keeps the columns, so they are gone, and filled anew later.
  if (onPostgres) {
    await assert.rejects(
      openStore(database, schemaOf(open), () => {}),
      /drop column animals\._publicVersion/,
    )
    await migrate(database, schemaOf(open), 'safe')
  }
  const third = await openStore(database, schemaOf(open), () => {})
  await change(third, open, 3, { name: 'Leona' })
  await third.close()
  assert.deepEqual(await planMigration(database, schemaOf(open)), [])
  await migrate(database, schemaOf(restricted), 'safe')
  const fourth = await openStore(database, schemaOf(restricted), () => {})
  assert.deepEqual(changesOf(restricted, await rowOf(fourth)), [4, timeOf(3), 4, timeOf(3)])
  await fourth.close()
})

test('a migration that changes a value counts as a public change', async (t) => {
  const database = await lastingDatabase(t)
  const first = await openStore(database, schemaOf(restricted), () => {})
  await insert(first, animalsOf(restricted), 1, { name: 'Leo' })
  await change(first, restricted, 1, { ward: null, notes: 'Limps' })
  await first.close()
  const required = modelOf(text().default('none'))
  const before = modelOf(text().optional())
  await migrate(database, schemaOf(before), 'safe')
  const second = await openStore(database, schemaOf(before), () => {})
  await change(second, before, 2, { notes: null })
  await second.close()
  await migrate(database, schemaOf(required), 'safe')
  const third = await openStore(database, schemaOf(required), () => {})
  assert.deepEqual(changesOf(required, await rowOf(third)), [4, timeOf(2), 3, timeOf(2)])
  await third.close()
})
