import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatEntityTag, parseEntityTags, strongMatch, weakMatch } from '../../src/http/entity-tag.ts'
import { cases } from '../cases.ts'

const strong = (opaque: string) => ({ weak: false, opaque })
const weak = (opaque: string) => ({ weak: true, opaque })

test('a tag is strong, or weak with W/ in upper case (RFC 9110 §8.8.3)', () => {
  assert.deepEqual(parseEntityTags('"a"'), [strong('a')])
  assert.deepEqual(parseEntityTags('W/"a"'), [weak('a')])
  assert.deepEqual(parseEntityTags('""'), [strong('')])
  assert.deepEqual(parseEntityTags('w/"a"'), [])
})

test('a list of tags may have empty elements (§5.6.1, §13.1.1)', () => {
  assert.deepEqual(parseEntityTags('"a", W/"b"\t,"c"'), [strong('a'), weak('b'), strong('c')])
  assert.deepEqual(parseEntityTags(' ,"a",, "b", '), [strong('a'), strong('b')])
})

test('a comma, a backslash and obs-text are characters of a tag (§8.8.3)', () => {
  assert.deepEqual(parseEntityTags('"a,b", "c\\"'), [strong('a,b'), strong('c\\')])
  assert.deepEqual(parseEntityTags('"\xe9\x80\xff!~"'), [strong('\xe9\x80\xff!~')])
})

test('a star is the only element (§13.1.1)', () => {
  assert.equal(parseEntityTags('*'), '*')
  assert.deepEqual(parseEntityTags('*, "a"'), [])
  assert.deepEqual(parseEntityTags('"a", *'), [])
  assert.deepEqual(parseEntityTags('"*"'), [strong('*')])
})

test('a malformed list matches nothing, not even by its good members (§8.8.3)', () => {
  const malformed = [
    ...['', ' ', ',', 'a', '"', '"a', 'a"', 'W/', 'W/a', 'W/*', 'W /"a"', '"a" "b"', '"a""b"', '"a"b'],
    ...['"a b"', '"a\tb"', '"a\x00"', '"a\x7f"', '"\u0161"', '"a", b', '"a"; "b"', "'a'"],
  ]
  for (const text of malformed) assert.deepEqual(parseEntityTags(text), [], JSON.stringify(text))
})

test('strong comparison needs two strong tags, weak comparison does not (§8.8.3.2, its table)', () => {
  const table = [
    [weak('1'), weak('1'), false, true],
    [weak('1'), weak('2'), false, false],
    [weak('1'), strong('1'), false, true],
    [strong('1'), weak('1'), false, true],
    [strong('1'), strong('1'), true, true],
    [strong('1'), strong('2'), false, false],
  ] as const
  for (const [one, other, strongly, weakly] of table) {
    assert.equal(strongMatch(one, other), strongly)
    assert.equal(weakMatch(one, other), weakly)
  }
})

test('tags read back as they were written', () => {
  const octet = fc.integer({ min: 0x21, max: 0xff }).filter((code) => code !== 0x22 && code !== 0x7f)
  const opaque = fc.array(octet).map((codes) => String.fromCharCode(...codes))
  const tag = fc.record({ weak: fc.boolean(), opaque }, { noNullPrototype: true })
  fc.assert(
    fc.property(fc.array(tag), fc.constantFrom(',', ' , ', ',,\t'), (tags, comma) => {
      assert.deepEqual(parseEntityTags(tags.map(formatEntityTag).join(comma)), tags)
    }),
    { numRuns: cases(5_000) },
  )
})
