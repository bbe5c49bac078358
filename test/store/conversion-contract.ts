/** Values of a field that gets another type, on every database: `conversionContract('SQLite', freshUrl)`. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Field } from '../../src/definition/field.ts'
import type { JsonValue } from '../../src/definition/model.ts'
import {
  anyone,
  boolean,
  choice,
  decimal,
  integer,
  list,
  number,
  resource,
  service,
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
const fieldOf = (value: Field) => modelOf(value).resources.get('things')!.fields[0]!

async function filledWith(url: string, value: Field, values: readonly (JsonValue | null)[]) {
  const { encode } = fieldOf(value)
  const rows = values.map((one, n) => row(`t${n}`, one === null ? null : encode(one)))
  await filled(url, schemaFor(value), 'things', rows)
}

async function valuesAs(url: string, value: Field): Promise<readonly (JsonValue | null)[]> {
  const rows = await withStore(url, schemaFor(value), (store) => rowsIn(store, 'things'))
  return rows.map((one) => (one[4] == null ? null : (fieldOf(value).decode(one[4]) ?? null)))
}

type Exact = readonly [string, Field, Field, readonly JsonValue[], readonly JsonValue[]]

const exact: readonly Exact[] = [
  ['integer to text', integer(), text(), [5, -12, 0], ['5', '-12', '0']],
  ['integer to number', integer(), number(), [5, -12], [5, -12]],
  ['integer to decimal', integer(), decimal({ scale: 2 }), [5, -12], ['5.00', '-12.00']],
  ['whole numbers to integer', number(), integer(), [5, -12, 1e15], [5, -12, 1e15]],
  ['number to decimal', number(), decimal({ scale: 2 }), [0.29, -1.5], ['0.29', '-1.50']],
  ['number to text', number(), text(), [5, -1.5], ['5', '-1.5']],
  ['decimal to text', decimal({ scale: 2 }), text(), ['12.34', '-0.05', '7.00'], ['12.34', '-0.05', '7.00']],
  ['decimal to integer', decimal({ scale: 2 }), integer(), ['12.00', '-3.00'], [12, -3]],
  ['decimal to number', decimal({ scale: 2 }), number(), ['12.25', '-0.05'], [12.25, -0.05]],
  ['decimal of a greater scale', decimal({ scale: 2 }), decimal({ scale: 4 }), ['1.25'], ['1.2500']],
  ['decimal of a smaller scale', decimal({ scale: 2 }), decimal({ scale: 1 }), ['1.20'], ['1.2']],
  ['text to integer', text(), integer(), ['5', '-12', '0'], [5, -12, 0]],
  ['boolean to text', boolean(), text(), [true, false], ['true', 'false']],
  ['integer to choice', integer(), choice(['1', '2']), [1, 2], ['1', '2']],
]

type Inexact = readonly [string, Field, () => ReturnType<typeof integer>, readonly JsonValue[]]

/** The last value cannot be converted. */
const inexact: readonly Inexact[] = [
  ['a number that is not whole', number(), integer, [5, 1.5]],
  ['a number beyond 2^53 (RFC 7493 §2.2)', number(), integer, [5, 1e300]],
  ['a decimal that would be cut off', decimal({ scale: 2 }), integer, ['5.00', '5.25']],
  ['a text that is no number', text(), integer, ['5', '5 pounds']],
  ['a text with a leading zero', text(), integer, ['5', '05']],
]

export function conversionContract(name: string, freshUrl: FreshUrl): void {
  describe(`${name}: a field of another type`, () => {
    for (const [words, before, after, values, expected] of someOf(exact, 4)) {
      it(`${words}: values are converted, for a required field too`, async () => {
        const url = await freshUrl()
        await filledWith(url, before, values)
        const plan = formatPlan(await planMigration(url, schemaFor(after)))
        assert.match(plan, /^ {2}apply {2}change the type of things\.value/)
        await migrate(url, schemaFor(after), 'safe')
        assert.deepEqual(await planMigration(url, schemaFor(after)), [])
        assert.deepEqual(await valuesAs(url, after), expected)
      })
    }

    for (const [words, before, after, values] of someOf(inexact, 2)) {
      it(`${words}: its row is named, and it is lost only where that is allowed`, async () => {
        const url = await freshUrl()
        await filledWith(url, before, values)
        const plan = formatPlan(await planMigration(url, schemaFor(after())))
        assert.match(plan, /cannot change .*: 1 row has \(t1\) a value that cannot be converted/)
        const optional = after().optional()
        await assert.rejects(migrate(url, schemaFor(optional), 'safe'), /loses {2}change the type/)
        await migrate(url, schemaFor(optional), 'all')
        assert.deepEqual(await valuesAs(url, optional), [5, null])
      })
    }

    it('an absent value stays absent, and one that cannot be converted becomes the default', async () => {
      const url = await freshUrl()
      await filledWith(url, number().optional(), [5, null])
      await migrate(url, schemaFor(integer().optional()), 'safe')
      assert.deepEqual(await valuesAs(url, integer().optional()), [5, null])
      const other = await freshUrl()
      await filledWith(other, number(), [5, 1.5])
      await migrate(other, schemaFor(integer().default(7)), 'all')
      assert.deepEqual(await valuesAs(other, integer().default(7)), [5, 7])
    })

    it('a converted value is held against the limits of the new field', async () => {
      const url = await freshUrl()
      await filledWith(url, integer(), [5, 12345])
      const plan = formatPlan(await planMigration(url, schemaFor(text({ max: 3 }))))
      assert.match(plan, /loses .*1 row has \(t1\) a value that does not fit/)
    })

    it('a type that says nothing in the other is still a loss', async () => {
      const url = await freshUrl()
      await filledWith(url, list(text()).optional(), [['a']])
      const plan = formatPlan(await planMigration(url, schemaFor(integer().optional())))
      assert.match(plan, /loses .*cannot be converted/)
    })
  })
}
