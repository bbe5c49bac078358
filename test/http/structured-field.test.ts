import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseStringOrToken } from '../../src/http/structured-field.ts'
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

test('Strings are read as they are written (RFC 9651 §4.1.6)', () => {
  const printable = fc.string({ unit: 'grapheme-ascii' })
  fc.assert(
    fc.property(printable, fc.integer({ max: 999_999_999_999_999 }), (text, number) => {
      const written = `"${text.replace(/["\\]/g, '\\$&')}"`
      assert.equal(parseStringOrToken(`${written};n=${number};t=${written}`), text)
    }),
    { numRuns: cases(5_000) },
  )
})
