import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatQuotedString, isToken, readWord, splitList } from '../../src/http/field-value.ts'
import { cases } from '../cases.ts'

test('elements are separated by commas, without the whitespace around them (RFC 9110 §5.6.1)', () => {
  assert.deepEqual(splitList('a, b\t,c'), ['a', 'b', 'c'])
  assert.deepEqual(splitList('a b'), ['a b'])
})

test('empty elements are dropped (RFC 9110 §5.6.1.2)', () => {
  assert.deepEqual(splitList(''), [])
  assert.deepEqual(splitList(' , ,'), [])
  assert.deepEqual(splitList(',a,, b ,'), ['a', 'b'])
  assert.deepEqual(splitList(',"a",, b ,'), ['"a"', 'b'])
})

test('a comma in a quoted string separates nothing (RFC 9110 §5.6.4)', () => {
  assert.deepEqual(splitList('a="x,y", b'), ['a="x,y"', 'b'])
  assert.deepEqual(splitList('a="x\\",y", b'), ['a="x\\",y"', 'b'])
  assert.deepEqual(splitList('"\\\\", b'), ['"\\\\"', 'b'])
})

test('an unclosed quote includes the rest of the list', () => {
  assert.deepEqual(splitList('a, "b, c'), ['a', '"b, c'])
  assert.deepEqual(splitList('a, "b\\'), ['a', '"b\\'])
})

test('a no-break space is part of an element, not whitespace (RFC 9110 §5.6.3)', () => {
  assert.deepEqual(splitList('\xa0a\xa0,b'), ['\xa0a\xa0', 'b'])
})

test('a token has no separators (RFC 9110 §5.6.2)', () => {
  assert.equal(isToken("!#$%&'*+-.^_`|~09azAZ"), true)
  for (const separator of ['', '"', '(', ')', ',', '/', ':', ';', '<', '=', '>', '?', '@', '[']) {
    assert.equal(isToken(`a${separator}a`), separator === '', separator)
  }
  for (const text of ['', '\\', ']', '{', '}', ' ', '\t', '\0', '\x7f', '\x80', '\u0161']) {
    assert.equal(isToken(text), false, JSON.stringify(text))
  }
})

test('a quoted string is parsed to the text it was formatted from (RFC 9110 §5.6.4)', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', ',', ' ', '\t', '~') })
  fc.assert(
    fc.property(text, (value) => {
      const quoted = formatQuotedString(value)
      assert.deepEqual(readWord(quoted, 0), { value, end: quoted.length })
      assert.deepEqual(splitList(`x, ${quoted}`), ['x', quoted])
    }),
    { numRuns: cases(5_000) },
  )
})

test('each character that a quoted string cannot contain becomes a question mark', () => {
  assert.equal(formatQuotedString('a\r\nb\0\x7f\xe9\u{1F600}'), '"a??b????"')
})
