import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatItem, parseStringOrToken } from '../../src/http/structured-field.ts'
import { cases } from '../cases.ts'

test('a String is quoted printable ASCII with two escapes (RFC 9651 §4.2.5)', () => {
  assert.equal(parseStringOrToken('"8e03978e-40d5"'), '8e03978e-40d5')
  assert.equal(parseStringOrToken('"a \\"b\\" \\\\"'), 'a "b" \\')
  assert.equal(parseStringOrToken('""'), '')
})

test('a bare word is accepted, including one with a leading digit', () => {
  assert.equal(parseStringOrToken('abc:d/e'), 'abc:d/e')
  assert.equal(parseStringOrToken('8e03978e-40d5'), '8e03978e-40d5')
})

test('parameters of an Item are checked and disregarded (RFC 9651 §4.2.3.2)', () => {
  const all = '"k"; a;b=1;c=-1.5;d="x;\\"";*e=t/:;f=:aGk=:;g=?0;h=@-1;i=%"%c3%a9 \\"'
  assert.equal(parseStringOrToken(all), 'k')
  for (const parameters of [';', ';A', ';a=', ';a=?2', ' ;a', ';a;', ';a=:*:', ';a=%"%C3"', ',b', ';a b']) {
    assert.equal(parseStringOrToken(`"k"${parameters}`), undefined, parameters)
  }
})

test('anything else is refused (RFC 9651 §4.2)', () => {
  const refused = ['', ' ', '"', '"a', 'a"', '"a"b', '"\\a"', '"\\', '"\x7f"', '"\xe9"', '"a\tb"', 'a b']
  for (const text of [...refused, 'a, b', '"a", "b"', '(a)', 'é', '"a"\n', 'a\n']) {
    assert.equal(parseStringOrToken(text), undefined, JSON.stringify(text))
  }
})

test('items are written with their parameters (RFC 9651 §4.1.3)', () => {
  assert.equal(formatItem('default', { q: 100, w: 60 }), '"default";q=100;w=60')
  assert.equal(formatItem('a"\\'), '"a\\"\\\\"')
  assert.equal(formatItem(true, { a: true, b: false }), '?1;a;b=?0')
  assert.equal(formatItem(-5), '-5')
})

test('integers have at most fifteen digits (RFC 9651 §3.3.1)', () => {
  assert.equal(formatItem(999_999_999_999_999), '999999999999999')
  assert.equal(formatItem(1e15), '999999999999999')
  assert.equal(formatItem(-1e15), '-999999999999999')
  assert.equal(formatItem(1.9), '1')
  assert.equal(formatItem(-0.5), '0')
  assert.equal(formatItem(Number.NaN), '0')
})

test('text beyond printable ASCII is a Display String (RFC 9651 §4.1.11)', () => {
  assert.equal(formatItem('füü "%"'), '%"f%c3%bc%c3%bc %22%25%22"')
  assert.equal(formatItem('a\r\n'), '%"a%0d%0a"')
  assert.equal(formatItem('\ud800'), '%"%ef%bf%bd"')
})

test('Strings read back as they were written', () => {
  const printable = fc.string({ unit: 'grapheme-ascii' })
  fc.assert(
    fc.property(printable, fc.integer(), (text, number) => {
      assert.equal(parseStringOrToken(formatItem(text, { n: number, t: text })), text)
    }),
    { numRuns: cases(5_000) },
  )
})
