/** What a migration promises of narrower limits, on every database: `limitsContract('SQLite', freshUrl)`. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Field } from '../../src/definition/field.ts'
import type { JsonValue } from '../../src/definition/model.ts'
import {
  anyone,
  boolean,
  choice,
  decimal,
  email,
  integer,
  json,
  list,
  number,
  resource,
  service,
  state,
  text,
} from '../../src/index.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { formatPlan } from '../../src/store/schema/migration-plan.ts'
import { schemaOf } from '../../src/store/schema/model-schema.ts'
import { migrate, planMigration } from '../../src/store/schema/run-migration.ts'
import { someOf } from '../cases.ts'
import { type FreshUrl, filled, rowsIn, withStore } from './migration-contract.ts'
import { row } from './tables.ts'

function modelOf(value: Field) {
  const things = resource({ value }, { access: { read: anyone } })
  return checkDefinition(service({ title: 'Test', resources: { things } }))
}

const schemaFor = (value: Field) => schemaOf(modelOf(value))

/** Rows with each of the values, in the order of their names: t0, t1, … */
async function filledWith(url: string, value: Field, values: readonly JsonValue[]) {
  const field = modelOf(value).resources.get('things')!.fields[0]!
  const rows = values.map((one, n) => row(`t${n}`, field.encode(one)))
  await filled(url, schemaFor(value), 'things', rows)
}

const anyState = (states: readonly string[]) =>
  state({
    initial: states[0]!,
    transitions: Object.fromEntries(states.slice(1).map((to) => [`to-${to}`, { from: states[0]!, to }])),
  })

/** Before, after, values that are there; those that do not fit any more; in which words. */
const narrower: readonly (readonly [Field, Field, readonly JsonValue[], string, string])[] = [
  [text({ max: 9 }), text({ max: 3 }), ['abc', 'abcd'], 't1', 'maxLength 3'],
  [text(), text({ min: 2 }), ['ab', 'a'], 't1', 'minLength 2'],
  [text({ max: 9 }), text({ max: 9, pattern: '^b' }), ['a', 'b'], 't0', 'pattern ^b'],
  [integer(), integer({ min: 5 }), [4, 5], 't0', 'minimum 5'],
  [number({ max: 9 }), number({ max: 1.5 }), [1.5, 1.75], 't1', 'maximum 1.5'],
  [decimal({ scale: 2 }), decimal({ scale: 2, max: '9.99' }), ['10.00', '9.99'], 't0', 'x-maximum 9.99'],
  [choice(['a', 'b']), choice(['a', 'c']), ['a', 'b'], 't1', 'enum ["a","c"]'],
  [anyState(['a', 'b', 'c']), anyState(['a', 'c']), ['a', 'b'], 't1', 'enum ["a","c"]'],
  [list(text()), list(text(), { max: 1 }), [['a', 'b'], ['a']], 't0', 'maxItems 1'],
  [list(text()), list(text({ max: 1 })), [['a'], ['b', 'cc']], 't1', 'items of maxLength 1'],
  [list(text()), list(text(), { unique: true }), [['a', 'a'], ['a']], 't0', 'uniqueItems true'],
  [json(), json({ type: 'object' }), [{}, [], 'x'], 't1, t2', 'another JSON Schema'],
]

/** Nothing that was let in is kept out. */
const wider: readonly (readonly [Field, Field, JsonValue])[] = [
  [text({ min: 2, max: 3 }), text({ min: 1, max: 4 }), 'abc'],
  [integer({ min: 1, max: 3 }), integer({ min: 0, max: 4 }), 2],
  [decimal({ scale: 2, min: '1' }), decimal({ scale: 2, min: '0.50' }), '2.00'],
  [choice(['a']), choice(['b', 'a']), 'a'],
  [list(text({ max: 2 }), { max: 2, unique: true }), list(text({ max: 3 }), { max: 3 }), ['a']],
]

export function limitsContract(name: string, freshUrl: FreshUrl): void {
  describe(`${name}: limits that become narrower`, () => {
    for (const [before, after, values, named, words] of someOf(narrower, 6)) {
      it(`${words}: the rows that do not fit are named`, async () => {
        const url = await freshUrl()
        await filledWith(url, before, values)
        const wanted = schemaFor(after)
        const plan = formatPlan(await planMigration(url, wanted))
        assert.ok(plan.startsWith(`  loses  hold things.value to ${words}`), plan)
        assert.match(plan, new RegExp(`${values.length} rows.* ha(s|ve) \\(${named}\\) a value`))
        await assert.rejects(migrate(url, wanted, 'safe'), /does not fit the definition/)
        await migrate(url, wanted, 'all')
        assert.deepEqual(await planMigration(url, wanted), [])
        const rows = await withStore(url, wanted, (store) => rowsIn(store, 'things'))
        assert.equal(rows.length, values.length, 'they stay')
      })

      it(`${words}: where every row fits it is done when the service starts`, async () => {
        const url = await freshUrl()
        const fitting = values.filter((_, n) => !named.includes(`t${n}`))
        await filledWith(url, before, fitting)
        const wanted = schemaFor(after)
        const [step] = await planMigration(url, wanted)
        assert.deepEqual([step?.rows, step?.loss, step?.obstacle], [fitting.length, undefined, undefined])
        await withStore(url, wanted, async () => undefined)
        assert.deepEqual(await planMigration(url, wanted), [])
      })
    }

    it('what becomes wider is no step at all', async () => {
      for (const [before, after, value] of wider) {
        const url = await freshUrl()
        await filledWith(url, before, [value])
        assert.deepEqual(await planMigration(url, schemaFor(after)), [])
        await withStore(url, schemaFor(after), async () => undefined)
        // And is remembered: the way back is narrower.
        assert.equal((await planMigration(url, schemaFor(before))).length, 1)
      }
    })

    it('what a field of another kind could not show is in the way', async () => {
      const pairs: readonly (readonly [Field, Field, JsonValue])[] = [
        [text(), list(text()), 'no list'],
        [integer(), boolean(), 7],
        [text(), email(), 'Ada@Example.org'],
      ]
      for (const [before, after, value] of pairs) {
        const url = await freshUrl()
        await filledWith(url, before, [value])
        const refused = migrate(url, schemaFor(after), 'all')
        await assert.rejects(refused, /cannot hold things\.value to .*: 1 row has \(t0\) a value/)
      }
    })

    it('a field that is renamed is held against what it was', async () => {
      const url = await freshUrl()
      await filledWith(url, text({ max: 9 }), ['abcd'])
      const things = resource({ title: text({ max: 3 }).formerly('value') }, { access: { read: anyone } })
      const renamed = schemaOf(checkDefinition(service({ title: 'Test', resources: { things } })))
      const lines = (await planMigration(url, renamed)).map(({ line }) => line)
      assert.deepEqual(lines, ['rename column things.value to title', 'hold things.title to maxLength 3'])
    })
  })
}
