import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { createSchema, patchSchema, rowSchema } from '../../src/definition/json-schemas.ts'
import { boolean } from '../../src/definition/kinds/boolean.ts'
import { choice } from '../../src/definition/kinds/choice.ts'
import { decimal } from '../../src/definition/kinds/decimal.ts'
import { email } from '../../src/definition/kinds/email.ts'
import { json } from '../../src/definition/kinds/json.ts'
import { list } from '../../src/definition/kinds/list.ts'
import { integer, number } from '../../src/definition/kinds/number.ts'
import { password } from '../../src/definition/kinds/password.ts'
import { state } from '../../src/definition/kinds/state.ts'
import { text } from '../../src/definition/kinds/text.ts'
import { date, timestamp } from '../../src/definition/kinds/time.ts'
import { url } from '../../src/definition/kinds/url.ts'
import { uuid } from '../../src/definition/kinds/uuid.ts'
import type { JsonSchema, JsonValue } from '../../src/definition/model.ts'
import { cases } from '../cases.ts'
import { things } from './sample.ts'

const resource = things({
  name: text({ min: 1, max: 5 }),
  code: text({ pattern: '^[a-c]+$' }).optional(),
  mail: email(),
  link: url(),
  key: uuid(),
  count: integer({ min: -5, max: 5 }),
  ratio: number(),
  price: decimal({ scale: 2 }),
  done: boolean().default(false),
  day: date(),
  at: timestamp(),
  size: choice(['s', 'm']),
  status: state({ initial: 'a', transitions: { go: { from: 'a', to: 'b' } } }),
  prices: list(decimal({ scale: 1 }), { max: 3 }),
  data: json({ type: ['object', 'null'], additionalProperties: { type: 'number' } }).optional(),
  secret: password(),
})
const allFields = [...resource.fieldByName.keys()]

const digits = (max: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: max })
const decimalOf = (scale: number) =>
  fc
    .tuple(fc.boolean(), digits(18 - scale), fc.option(digits(scale)))
    .map(
      ([minus, whole, fraction]) => `${minus ? '-' : ''}${whole}${fraction === null ? '' : `.${fraction}`}`,
    )
const moment = fc.date({
  min: new Date('0001-01-02T00:00:00Z'),
  max: new Date('9999-12-30T00:00:00Z'),
  noInvalidDate: true,
})
const offset = fc.constantFrom('Z', 'z', '+05:30', '-11:00')

/** Values that each field takes. */
const good: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  name: fc.string({ unit: fc.constantFrom('a', 'é', '😀', '\n', ' '), minLength: 1, maxLength: 5 }),
  code: fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 9 }),
  mail: fc.constantFrom('ada@example.org', 'A.B@C', "o'x+1@a-b.c"),
  link: fc.webUrl({ withQueryParameters: true, withFragments: true }),
  key: fc.uuid(),
  count: fc.integer({ min: -5, max: 5 }),
  ratio: fc.double({ noNaN: true, noDefaultInfinity: true }),
  price: decimalOf(2),
  done: fc.boolean(),
  day: moment.map((at) => at.toISOString().slice(0, 10)),
  at: fc.tuple(moment, offset).map(([at, zone]) => at.toISOString().replace('Z', zone)),
  size: fc.constantFrom('s', 'm'),
  status: fc.constantFrom('a', 'b'),
  prices: fc.array(decimalOf(1), { maxLength: 3 }),
  data: fc.option(fc.dictionary(fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true }))),
  secret: fc.string({ unit: fc.constantFrom('a', 'é', '😀'), minLength: 8, maxLength: 60 }),
}

/** Values near the edge of what is taken, and far from it. */
const odd = fc.oneof(
  fc.jsonValue(),
  fc.string({ unit: 'binary' }),
  fc.string().map((s) => `${s}\u0000`),
  fc.constantFrom('', 'a@', '2023-02-29', '1.234', 'http://', '\ud800', 6, -6, 0.5, 'ab'.repeat(400)),
  ...Object.values(good),
)

for (const name of allFields.filter((one) => one !== 'secret')) {
  test(`what ${name} (${resource.fieldByName.get(name)?.kind.name}) keeps and shows comes back the same`, () => {
    const field = resource.fieldByName.get(name)!
    const property = fc.property(good[name]!, (value) => {
      assert.deepEqual(resource.validate({ [name]: value }), [])
      const stored = field.encode(value as JsonValue)!
      const shown = field.decode(stored)
      assert.deepEqual(resource.validate({ [name]: shown }), [])
      assert.equal(field.encode(shown), stored)
      assert.deepEqual(field.decode(field.encode(shown)!), shown)
      // Stores give scaled integers back as text.
      if (typeof stored === 'bigint') assert.equal(field.decode(String(stored)), shown)
    })
    fc.assert(property, { numRuns: cases(2000) })
  })
}

/** Any validator of JSON Schema 2020-12, which knows nothing of us and takes formats as notes. */
function plain(schema: JsonSchema) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  return ajv.compile(schema)
}

/** Lone surrogates are refused here; published patterns do not name them, since few engines can. */
function isWellFormed(value: unknown): boolean {
  return !/\\ud[89a-f]/.test(JSON.stringify(value))
}

const members = fc.record(
  Object.fromEntries(allFields.map((name) => [name, fc.oneof({ weight: 30, arbitrary: good[name]! }, odd)])),
  { requiredKeys: [] },
)

test('validation and the published schema of a change give the same verdict', () => {
  const properties = patchSchema(resource).properties as Record<string, JsonSchema>
  // What is merged into JSON need not be a value by itself (RFC 7396 §2).
  const names = allFields.filter((name) => resource.fieldByName.get(name)?.kind.shape !== 'json')
  const published = new Map(names.map((name) => [name, plain(properties[name]!)]))
  const property = fc.property(fc.constantFrom(...names), odd, (name, value) => {
    // In a change null removes, which is no value; octets are counted by us alone.
    const octets = typeof value === 'string' ? Buffer.byteLength(value) : 0
    fc.pre(value !== null && !(name === 'secret' && octets > 256) && isWellFormed(value))
    const ours = resource.validate({ [name]: value }).length === 0
    assert.equal(published.get(name)!(value), ours, `${name}: ${JSON.stringify(value)}`)
  })
  fc.assert(property, { numRuns: cases(20_000) })
})

test('validation and the published schema of a POST give the same verdict', () => {
  const published = plain(createSchema(resource))
  const needed = allFields.filter((name) => !['code', 'done', 'status', 'data'].includes(name))
  const property = fc.property(members, (values: Record<string, unknown>) => {
    fc.pre(isWellFormed(values))
    const complete = needed.every((name) => Object.hasOwn(values, name))
    const begun = values.status === undefined || values.status === 'a'
    const ours = resource.validate(values).length === 0 && complete && begun
    assert.equal(published(values), ours)
  })
  fc.assert(property, { numRuns: cases(5000) })
})

test('what is shown satisfies the published schema of a record', () => {
  const published = plain(rowSchema(resource))
  const at = '2026-01-01T00:00:00.000Z'
  const { secret: _, ...shownFields } = good
  const property = fc.property(fc.record(shownFields), (values) => {
    const shown = Object.entries(values).map(([name, value]) => {
      const field = resource.fieldByName.get(name)!
      return [name, field.decode(field.encode(value as JsonValue)!)]
    })
    const id = '01890a5d-ac96-774b-bcce-b302099a8057'
    const row = { id, createdAt: at, updatedAt: at, ...(Object.fromEntries(shown) as object) }
    assert.ok(published(row), JSON.stringify(published.errors))
    assert.ok(!published({ ...row, secret: 'x'.repeat(9) }))
  })
  fc.assert(property, { numRuns: cases(1000) })
})
