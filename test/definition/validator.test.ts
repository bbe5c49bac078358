import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { choice } from '../../src/definition/kinds/choice.ts'
import { decimal } from '../../src/definition/kinds/decimal.ts'
import { email } from '../../src/definition/kinds/email.ts'
import { json } from '../../src/definition/kinds/json.ts'
import { list } from '../../src/definition/kinds/list.ts'
import { integer } from '../../src/definition/kinds/number.ts'
import { password } from '../../src/definition/kinds/password.ts'
import { text } from '../../src/definition/kinds/text.ts'
import { date, timestamp } from '../../src/definition/kinds/time.ts'
import { url } from '../../src/definition/kinds/url.ts'
import { uuid } from '../../src/definition/kinds/uuid.ts'
import { cases } from '../cases.ts'
import { things } from './sample.ts'

const resource = things({
  title: text({ min: 1, max: 3, pattern: '^[a-z]*$' }),
  tags: list(text({ max: 2 }), { max: 3 }),
  status: choice(['draft', 'published']),
  mail: email(),
  due: date(),
  at: timestamp(),
  link: url(),
  key: uuid(),
  days: list(date()),
  count: integer({ min: 1, max: 2 }),
  price: decimal({ scale: 2, min: '0', max: '5' }),
  secret: password(),
  data: json({
    type: 'object',
    properties: { 'a/b~c': { type: 'string' }, n: { type: ['number', 'null'], multipleOf: 2 } },
    required: ['n'],
    additionalProperties: false,
  }),
})

function told(values: Record<string, unknown>): readonly string[] {
  return resource.validate(values).map((f) => `${f.pointer} ${f.rule}: ${f.detail}`)
}

test('each fault has its place, the keyword as its rule, and a sentence of ours', () => {
  assert.deepEqual(told({ title: '' }), ['/title minLength: Must be at least 1 character long.'])
  assert.deepEqual(told({ title: 'abcd' }), ['/title maxLength: Must be at most 3 characters long.'])
  assert.deepEqual(told({ title: 'A' }), ['/title pattern: Must match the pattern ^[a-z]*$.'])
  assert.deepEqual(told({ title: 3 }), ['/title type: Must be a string.'])
  assert.deepEqual(told({ status: 'x' }), ["/status enum: Must be one of 'draft', 'published'."])
  assert.deepEqual(told({ status: 3 }), ['/status type: Must be a string.'])
  assert.deepEqual(told({ count: 0 }), ['/count minimum: Must be at least 1.'])
  assert.deepEqual(told({ count: 3 }), ['/count maximum: Must be at most 2.'])
  assert.deepEqual(told({ price: '5.01' }), ['/price maximum: Must be at most 5.'])
  assert.deepEqual(told({ price: '-0.01' }), ['/price minimum: Must be at least 0.'])
  assert.deepEqual(told({ price: 1 }), ['/price type: Must be a decimal string: "1.00".'])
  assert.match(told({ price: 'x' }).join(), /^\/price pattern: Must be a decimal string/)
  assert.deepEqual(told({ tags: [1, 2, 3, 4].map(String) }), ['/tags maxItems: Must have at most 3 items.'])
  const octets = '/secret maxLength: Must be at most 256 octets long in UTF-8.'
  assert.deepEqual(told({ secret: 'é'.repeat(200) }), [octets])
})

test('a value of the wrong form is told by its format', () => {
  const wrong = { mail: 'x', due: 'x', at: 'x', link: 'x', key: 'x' }
  assert.deepEqual(
    resource.validate(wrong).map((f) => [f.pointer, f.rule]),
    [
      ['/mail', 'format'],
      ['/due', 'format'],
      ['/at', 'format'],
      ['/link', 'format'],
      ['/key', 'format'],
    ],
  )
  assert.match(told({ days: ['2024-01-01', 'x'] }).join(), /^\/days\/1 format: Must be a date/)
})

test('control characters are named as such', () => {
  const detail = 'Must not contain control characters other than tab, line feed and carriage return.'
  assert.deepEqual(told({ tags: ['a', '\0'] }), [`/tags/1 pattern: ${detail}`])
  const { validate } = things({ code: text({ pattern: '^[a-z]+$', max: 40 }) })
  assert.deepEqual(validate({ code: 'abc\0' }), [{ pointer: '/code', rule: 'pattern', detail }])
})

test('pointers lead to the exact place, escaped (RFC 6901 §3)', () => {
  assert.deepEqual(told({ tags: ['a', 'b', 'ccc'] }), [
    '/tags/2 maxLength: Must be at most 2 characters long.',
  ])
  assert.deepEqual(told({ data: { 'a/b~c': 1, 'x/y': 1 } }), [
    '/data/n required: Required.',
    '/data/x~1y additionalProperties: Unknown member.',
    '/data/a~1b~0c type: Must be a string.',
  ])
  assert.deepEqual(told({ data: { n: 3 } }), ['/data/n multipleOf: Must be a multiple of 2.'])
  assert.deepEqual(told({ data: { n: '3' } }), ['/data/n type: Must be a number or null.'])
})

test('all faults come at once, in the order of the fields', () => {
  const pointers = resource.validate({ price: 'x', title: 3, tags: ['aaa', 1] })
  assert.deepEqual(
    pointers.map((f) => f.pointer),
    ['/title', '/tags/0', '/tags/1', '/price'],
  )
})

test('only known fields that are there are judged, and only own ones', () => {
  assert.deepEqual(resource.validate({ unknown: 1, title: undefined }), [])
  assert.deepEqual(resource.validate(Object.create({ title: 3 }) as Record<string, unknown>), [])
  assert.deepEqual(resource.validate(JSON.parse('{"__proto__":{"title":3}}')), [])
})

test('nothing is coerced, filled in or changed', () => {
  const values = Object.freeze({ count: '1', tags: Object.freeze([]), data: Object.freeze({}) })
  assert.equal(resource.validate(values).length, 2)
})

test('a pattern never runs on a text longer than its field takes', () => {
  // 80,000 characters would be 3.2 billion steps of this pattern, which is quadratic.
  const { validate } = things({ a: text({ pattern: '^[a-z]*[a-z]*b$', max: 100 }) })
  assert.deepEqual(
    validate({ a: 'a'.repeat(80_000) }).map((f) => f.rule),
    ['maxLength'],
  )
})

test('schemas of two json fields may have the same $id', () => {
  const schema = (type: string) => ({ $id: 'https://example.org/x', type })
  const { validate } = things({ a: json(schema('string')), b: json(schema('number')) })
  assert.deepEqual(validate({ a: 'x', b: 1 }), [])
  assert.equal(validate({ a: 1, b: 'x' }).length, 2)
})

test('whatever values come, validation answers', () => {
  const names = [...resource.fieldByName.keys()]
  const values = fc.dictionary(fc.constantFrom(...names), fc.anything({ withNullPrototype: true }))
  fc.assert(
    fc.property(values, (given) => {
      for (const fault of resource.validate(given)) {
        assert.ok(names.includes(fault.pointer.split('/')[1]!))
        assert.ok(fault.rule.length > 0 && /\.$/.test(fault.detail))
      }
    }),
    { numRuns: cases(5000) },
  )
})
