import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boolean } from '../../src/definition/kinds/boolean.ts'
import { choice } from '../../src/definition/kinds/choice.ts'
import { decimal } from '../../src/definition/kinds/decimal.ts'
import { email } from '../../src/definition/kinds/email.ts'
import { json } from '../../src/definition/kinds/json.ts'
import { list } from '../../src/definition/kinds/list.ts'
import { integer, number } from '../../src/definition/kinds/number.ts'
import { password } from '../../src/definition/kinds/password.ts'
import { ref } from '../../src/definition/kinds/ref.ts'
import { state } from '../../src/definition/kinds/state.ts'
import { text } from '../../src/definition/kinds/text.ts'
import { url } from '../../src/definition/kinds/url.ts'
import { uuid } from '../../src/definition/kinds/uuid.ts'
import type { JsonValue } from '../../src/definition/model.ts'
import { assertSides, keep } from './accepted-values.ts'
import { things } from './sample.ts'

test('text counts characters, not code units', () => {
  assertSides(text({ min: 2, max: 3 }), {
    accepted: ['ab', 'abc', '😀😀😀', 'e\u0301'],
    refused: ['a', '😀', 'abcd', '😀😀😀😀', 3, true, [], {}],
  })
})

test('text has at most 10,000 characters unless it says otherwise', () => {
  assertSides(text(), {
    accepted: ['', 'a'.repeat(10_000), '😀'.repeat(10_000)],
    refused: ['a'.repeat(10_001)],
  })
  assertSides(text({ max: 20_000 }), { accepted: ['a'.repeat(20_000)], refused: [] })
})

test('text refuses controls but TAB, LF, CR, non-characters and lone surrogates', () => {
  const controls = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code))
  const allowed = ['\t', '\n', '\r']
  assertSides(text(), {
    accepted: [...allowed, ' ', '\u007f', '\u0085', '\ufffd', '\ud83d\ude00', '__proto__'],
    refused: [
      ...controls.filter((control) => !allowed.includes(control)),
      '\ufffe',
      'a\uffff',
      '\ud800',
      'a\udc00b',
      '\ude00\ud83d',
    ],
  })
  assertSides(text({ pattern: '.' }), { accepted: ['a'], refused: ['a\0', 'a\ud800', ''] })
})

test('a pattern is matched with the flag u', () => {
  assertSides(text({ pattern: '^.$' }), { accepted: ['a', '😀'], refused: ['ab', ''] })
})

test('an email is a dot-atom at a host name of at most 254 characters, kept in lower case', () => {
  const domain = `${'d'.repeat(63)}.${'e'.repeat(63)}.${'f'.repeat(61)}`
  assertSides(email(), {
    accepted: [
      'ada@example.org',
      'a.b+c@x.y',
      'root@localhost',
      `${'a'.repeat(64)}@x.y`,
      `${'a'.repeat(65)}@${domain}`.slice(1),
    ],
    refused: [
      'ada',
      '@x',
      'a@',
      'a@b@c',
      '.a@b',
      'a.@b',
      'a..b@c',
      'a b@c',
      'a@-b',
      'a@b-',
      'a@b..c',
      'ä@b.c',
      'a@b\n',
      `${'a'.repeat(65)}@x.y`,
      `a@${'d'.repeat(64)}`,
      `${'a'.repeat(64)}@${domain}x`,
    ],
  })
  assert.deepEqual(keep(email(), 'Ada@Example.ORG'), ['ada@example.org', 'ada@example.org'])
})

test('a url is absolute, http or https, without user information', () => {
  const longest = `http://a/${'b'.repeat(2048 - 9)}`
  assertSides(url(), {
    accepted: [
      'http://a',
      'https://example.org:8080/a/b?c=d#e',
      'HTTP://A',
      'http://[::1]/',
      'http://a?b',
      'http://a/%20',
      longest,
    ],
    refused: [
      'a',
      '/a',
      '//a',
      'ftp://a',
      'http:a',
      'http://',
      'http:///a',
      'http://u:p@a/',
      'http://a/ b',
      'http://a/%2',
      'javascript:alert(1)',
      'http://ä',
      'http://a\n',
      `${longest}b`,
    ],
  })
  assertSides(url({ max: 10 }), { accepted: ['http://abc'], refused: ['http://abcd'] })
})

test('a uuid may come in either case and is kept in lower case (RFC 9562 §4)', () => {
  const one = '01890A5D-AC96-774B-BCCE-B302099A8057'
  assertSides(uuid(), {
    accepted: [one, one.toLowerCase()],
    refused: ['', one.slice(1), `${one}0`, one.replaceAll('-', ''), `{${one}}`, one.replace('A', 'G')],
  })
  assert.deepEqual(keep(uuid(), one), [one.toLowerCase(), one.toLowerCase()])
})

test('an integer is within ±(2^53 − 1)', () => {
  assertSides(integer(), {
    accepted: [0, -0, 1.0, 2 ** 53 - 1, -(2 ** 53) + 1],
    refused: [2 ** 53, -(2 ** 53), 1.5, '1', Number.NaN, Number.POSITIVE_INFINITY, true],
  })
  assertSides(integer({ min: -1, max: 2 }), { accepted: [-1, 2], refused: [-2, 3] })
  assert.ok(Object.is(keep(integer(), -0)[0], 0))
})

test('a number is finite', () => {
  assertSides(number(), {
    accepted: [0, -1.5, Number.MAX_VALUE, 5e-324],
    refused: ['1', Number.NaN, Number.NEGATIVE_INFINITY],
  })
  assertSides(number({ min: 0.5, max: 1 }), { accepted: [0.5, 1], refused: [0.49, 1.01] })
  assert.ok(Object.is(keep(number(), -0)[0], 0))
})

test('a decimal is a string of at most 18 digits, scale of them behind the point', () => {
  assertSides(decimal({ scale: 2 }), {
    accepted: ['0', '-0', '1.5', '-1.55', '007.50', `${'9'.repeat(16)}.99`],
    refused: ['', '.5', '1.', '1.555', '+1', '1e3', ' 1', '1,5', '9'.repeat(17), 1, 1.5, '١'],
  })
  assertSides(decimal({ scale: 0 }), {
    accepted: ['9'.repeat(18)],
    refused: ['1.0', '9'.repeat(19)],
  })
  assertSides(decimal({ scale: 18 }), {
    accepted: ['0', `0.${'9'.repeat(18)}`],
    refused: ['1', `0.${'9'.repeat(19)}`],
  })
  assertSides(decimal({ scale: 1, digits: 3 }), { accepted: ['99.9'], refused: ['100'] })
})

test('the limits of a decimal are exact', () => {
  assertSides(decimal({ scale: 2, min: '-0.01', max: '9999999999999999.98' }), {
    accepted: ['-0.01', '0', '9999999999999999.98'],
    refused: ['-0.02', '9999999999999999.99'],
  })
  assertSides(decimal({ scale: 2, min: '0' }), { accepted: ['-0', '-0.00'], refused: ['-0.01'] })
})

test('a decimal is kept as a scaled integer and shown with exactly scale digits', () => {
  const price = decimal({ scale: 2 })
  assert.deepEqual(keep(price, '1.5'), [150n, '1.50'])
  assert.deepEqual(keep(price, '-0'), [0n, '0.00'])
  assert.deepEqual(keep(price, '-0.05'), [-5n, '-0.05'])
  assert.deepEqual(keep(price, '007'), [700n, '7.00'])
  assert.deepEqual(keep(decimal({ scale: 0 }), '-7'), [-7n, '-7'])
  const model = things({ price }).fieldByName.get('price')!
  assert.equal(model.scale, 2)
  assert.equal(model.decode('999999999999999999'), '9999999999999999.99')
})

test('a boolean is true or false, kept as 1 or 0', () => {
  assertSides(boolean(), { accepted: [true, false], refused: [0, 1, 'true', '', []] })
  assert.deepEqual(keep(boolean(), true), [1, true])
  assert.deepEqual(keep(boolean(), false), [0, false])
})

test('choices and states are one of their values', () => {
  assertSides(choice(['a', 'b']), { accepted: ['a', 'b'], refused: ['c', '', 'A', 1] })
  assertSides(state({ initial: 'a', transitions: { go: { from: 'a', to: 'b' } } }), {
    accepted: ['a', 'b'],
    refused: ['go', ''],
  })
})

test('a list has items of its field, within its limits', () => {
  assertSides(list(integer({ min: 0 }), { min: 1, max: 2, unique: true }), {
    accepted: [[0], [1, 2]],
    refused: [[], [1, 2, 3], [1, 1], [-1], ['1'], [null], 'x', {}],
  })
  assertSides(list(boolean()), {
    accepted: [[], Array(10_000).fill(true)],
    refused: [Array(10_001).fill(true)],
  })
})

test('the items of a list are kept in the form that is shown', () => {
  const prices = list(decimal({ scale: 2 }))
  assert.deepEqual(keep(prices, ['1', '-0']), ['["1.00","0.00"]', ['1.00', '0.00']])
  assert.deepEqual(keep(list(boolean()), [true]), ['[true]', [true]])
  assert.deepEqual(keep(list(email()), ['A@B.c']), ['["a@b.c"]', ['a@b.c']])
  assert.equal(things({ prices }).fieldByName.get('prices')?.item?.scale, 2)
})

test('a json field takes any JSON value, null included, or what its schema allows', () => {
  assertSides(json(), { accepted: [null, 1, 'x\0\ud800', [], { a: [{}] }], refused: [] })
  const address = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  assertSides(json(address), { accepted: [{ city: 'x' }], refused: [null, {}, { city: 1 }] })
  assert.deepEqual(keep(json(), null), ['null', null])
  const hostile = JSON.parse('{"__proto__":{"a":1}}') as JsonValue
  assert.deepEqual(keep(json(), hostile)[0], '{"__proto__":{"a":1}}')
})

test('null is refused for all other kinds, with what to do', () => {
  const [fault] = things({ a: text().optional() }).validate({ a: null })
  const detail = 'Must not be null. Leave the field out instead.'
  assert.deepEqual(fault, { pointer: '/a', rule: 'type', detail })
})

test('a password has 8 characters or what it says, at most 256 octets, and no controls', () => {
  assertSides(password(), {
    accepted: ['12345678', '😀'.repeat(8), 'a'.repeat(256), 'é'.repeat(128), 'with spaces '],
    refused: ['1234567', 'a'.repeat(257), 'é'.repeat(129), '1234567\t', '12345678\x7f', '1234567\ud800'],
  })
  assertSides(password({ min: 12 }), { accepted: ['a'.repeat(12)], refused: ['a'.repeat(11)] })
  const { fieldByName: field } = things({ a: password() })
  assert.ok(field.get('a')?.writeOnly)
  assert.ok(!field.get('a')?.filterable)
})

test('a reference is a string that can be an id of its target', () => {
  const one = '01890a5d-ac96-774b-bcce-b302099a8057'
  assertSides(ref('things').optional(), { accepted: [one], refused: ['1', 1, {}] })
})
