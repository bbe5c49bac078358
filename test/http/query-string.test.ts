import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatQueryString, parseQueryString } from '../../src/http/query-string.ts'
import { cases } from '../cases.ts'

test('pairs stay in order, including repeated ones', () => {
  assert.deepEqual(parseQueryString('b=1&a=2&b=3'), [
    ['b', '1'],
    ['a', '2'],
    ['b', '3'],
  ])
})

test('a pair may have no value, and an empty pair is ignored', () => {
  assert.deepEqual(parseQueryString(''), [])
  assert.deepEqual(parseQueryString('&a&&b=&=c&d=e=f&'), [
    ['a', ''],
    ['b', ''],
    ['', 'c'],
    ['d', 'e=f'],
  ])
})

test('a plus is a space, an escaped plus is a plus', () => {
  assert.deepEqual(parseQueryString('a+b=c+%2B+d'), [['a b', 'c + d']])
})

test('escapes are undone after the pairs are parted', () => {
  assert.deepEqual(parseQueryString('a%26b=c%3Dd%C3%A9'), [['a&b', 'c=dé']])
  assert.deepEqual(parseQueryString('price%5Bgte%5D=1&price[lt]=2'), [
    ['price[gte]', '1'],
    ['price[lt]', '2'],
  ])
})

test('malformed escapes and invalid UTF-8 are refused', () => {
  for (const raw of ['a=%', 'a=%zz', '%4=a', 'a=%c3', 'a=%c0%af', 'a=%ed%a0%80', 'b=1&a=%ff']) {
    assert.equal(parseQueryString(raw), undefined, raw)
  }
})

test('brackets are written encoded, and nothing else that RFC 3986 §3.4 forbids', () => {
  assert.equal(
    formatQueryString([
      ['price[gte]', '10'],
      ['sort', '-createdAt,title'],
    ]),
    'price%5Bgte%5D=10&sort=-createdAt,title',
  )
  assert.equal(formatQueryString([['a&b', 'c=d+e f#"']]), 'a%26b=c%3Dd%2Be%20f%23%22')
  assert.equal(formatQueryString([]), '')
  assert.equal(formatQueryString([['a', '\ud800']]), 'a=%EF%BF%BD')
})

test('pairs read back as they were written', () => {
  const text = fc.string({ unit: 'grapheme' })
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text)), (pairs) => {
      const written = formatQueryString(pairs)
      assert.match(written, /^[A-Za-z0-9\-._~!$&'()*+,;=:@/?%]*$/)
      assert.deepEqual(parseQueryString(written), pairs)
    }),
    { numRuns: cases(5_000) },
  )
})
