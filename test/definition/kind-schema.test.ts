import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { compileKindSchema, ownKeywords } from '../../src/definition/kind-schema.ts'
import { isWithinYears } from '../../src/definition/kinds/time.ts'
import { findSchemaFault } from '../../src/definition/user-schema.ts'
import {
  choice,
  date,
  decimal,
  email,
  file,
  integer,
  list,
  number,
  password,
  text,
  timestamp,
  url,
  uuid,
} from '../../src/index.ts'
import { maxFaults } from '../../src/refusal.ts'
import { cases } from '../cases.ts'
import { things } from './sample.ts'

const { fields } = things({
  name: text({ min: 2, max: 5 }),
  code: text({ pattern: '^[a-c]+$', max: 4 }),
  mail: email(),
  link: url({ max: 30 }),
  key: uuid(),
  count: integer({ min: -5, max: 5 }),
  ratio: number({ min: 0, max: 1 }),
  price: decimal({ scale: 2 }),
  day: date(),
  at: timestamp(),
  size: choice(['s', 'm']),
  prices: list(decimal({ scale: 1 }), { min: 1, max: 3, unique: true }),
  words: list(text({ max: 3 }), { max: 2 }),
  photo: file({ types: ['image/*'], max: '1 MB' }),
  secret: password(),
})

const ajv = new Ajv2020({
  allErrors: true,
  ownProperties: true,
  formats: {
    email: true,
    uri: true,
    'uri-reference': true,
    uuid: true,
    date: true,
    'date-time': isWithinYears,
  },
})
for (const [keyword, { accepts }] of Object.entries(ownKeywords)) {
  ajv.addKeyword({ keyword, type: 'string', compile: accepts as never })
}

/** Texts near the limits of the kinds, and any others. */
const texts = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'abc',
    'é😀',
    '😀😀😀😀😀😀',
    's',
    'm',
    'x\u0000',
    'aéc',
    'a@b.example',
    `${'a'.repeat(65)}@b.example`,
  ),
  fc.constantFrom('https://a.example/', 'mailto:a', '1.50', '-0.5', '01', '1234567890123456789', '2.555'),
  fc.constantFrom(
    '2026-02-29',
    '2024-02-29',
    '2026-01-01T00:00:00Z',
    '0001-01-01T00:00:00+01:00',
    '2026-13-01',
  ),
  fc.uuid(),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
)
const numbers = fc.oneof(fc.integer({ min: -7, max: 7 }), fc.double({ noNaN: true, min: -2, max: 2 }))
const files = fc.record(
  { href: fc.oneof(texts, numbers), name: texts, size: numbers, more: texts },
  { requiredKeys: [] },
)
const values = fc.oneof(
  texts,
  numbers,
  fc.boolean(),
  files,
  fc.array(fc.oneof(texts, numbers), { maxLength: 4 }),
)

interface Found {
  readonly keyword: string
  readonly instancePath: string
}

/**
 * Without what only one of them finds: Ajv other keywords for a value of the wrong type, and patterns that a text too long
 * does not match; ours equal items of the wrong type.
 */
function placesOf(found: readonly Found[]): readonly string[] {
  const pathsOf = (wanted: string) =>
    new Set(found.filter(({ keyword }) => keyword === wanted).map(({ instancePath }) => instancePath))
  const mistyped = pathsOf('type')
  const long = pathsOf('maxLength')
  const compared = found.filter(({ keyword, instancePath }) => {
    if (keyword === 'uniqueItems') return mistyped.size === 0
    if (keyword === 'pattern' && long.has(instancePath)) return false
    return keyword === 'type' || !mistyped.has(instancePath)
  })
  return [...new Set(compared.map(({ keyword, instancePath }) => `${keyword} ${instancePath}`))].toSorted()
}

for (const { name, schema } of fields) {
  test(`the schema of the ${name} refuses what Ajv refuses, by the same keywords at the same places`, () => {
    const validate = ajv.compile(schema)
    const find = compileKindSchema(schema)
    let refused = 0
    const property = fc.property(values, (value) => {
      const expected = validate(value) ? [] : placesOf(validate.errors ?? [])
      refused += expected.length
      assert.deepEqual(placesOf(find(value)), expected)
    })
    fc.assert(property, { numRuns: cases(5000) })
    assert.ok(refused > 0)
  })
}

test('a limited decimal is compared as a number, not by the patterns of its published schema', () => {
  const { fieldByName } = things({ price: decimal({ scale: 2, min: '1', max: '9.5' }) })
  const find = compileKindSchema(fieldByName.get('price')!.schema)
  const keywordsOf = (value: string) => find(value).map(({ keyword }) => keyword)
  assert.deepEqual(['1.00', '9.50', '0.99', '9.51', 'x'].map(keywordsOf), [
    [],
    [],
    ['x-minimum'],
    ['x-maximum'],
    ['pattern'],
  ])
})

test('violations of a long list are found up to the number that is reported', () => {
  const find = compileKindSchema({ type: 'array', items: { type: 'string' } })
  assert.equal(find(new Array(5000).fill(1)).length, maxFaults)
})

test('a schema with a keyword that is not checked is a mistake of ours, and throws', () => {
  assert.throws(() => compileKindSchema({ type: 'string', minContains: 1 }), /unknown keyword 'minContains'/)
})

test('own keywords in a schema of a user need limits of their type', () => {
  assert.equal(findSchemaFault({ type: 'string', 'x-minimum': '1.5', 'x-maxOctets': 9 }), undefined)
  for (const wrong of [{ 'x-minimum': 5 }, { 'x-maximum': 'abc' }, { 'x-maxOctets': '9' }]) {
    assert.match(findSchemaFault({ type: 'string', ...wrong }) ?? '', /value is invalid/)
  }
})
