/** Letter case aside: the mapping, held against the engine's own simple case folding. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { caseVariants, prefixRanges } from '../../src/store/case-folding.ts'

const variants = (character: string) => [...(caseVariants(character)[0] ?? [])].sort()

test('a letter has its upper-case and lower-case forms, whatever the script', () => {
  assert.deepEqual(variants('a'), ['A', 'a'])
  assert.deepEqual(variants('Ä'), ['Ä', 'ä'])
  assert.deepEqual(variants('ж'), ['Ж', 'ж'])
  assert.deepEqual(variants('σ'), ['Σ', 'ς', 'σ'])
  assert.deepEqual(variants('ς'), ['Σ', 'ς', 'σ'])
  assert.deepEqual(variants('ẞ'), ['ß', 'ẞ'])
  assert.deepEqual(variants('𞤀'), ['𞤀', '𞤢'])
  assert.deepEqual(variants('k'), ['K', 'k', '\u212A'])
  assert.deepEqual(variants('\u212A'), ['K', 'k', '\u212A'])
})

test('what case would make longer, and the two letters i of Turkish, are themselves alone', () => {
  for (const character of ['İ', 'ı', 'ŉ', 'ﬀ', '1', '*', '語', '😀']) {
    assert.deepEqual(variants(character), [character])
  }
  assert.deepEqual(variants('i'), ['I', 'i'])
})

/** Pairs that only newer versions of Unicode fold. */
const recent = /[\u0390\u03B0\u1FD3\u1FE3\uFB05\uFB06]/

test('the same pairs are the same letter as in regular expressions with the flags i and u', () => {
  const cased = Array.from({ length: 0x1_1000 * 16 }, (_, code) => code)
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code))
    .filter((character) => /\p{Changes_When_Casemapped}/u.test(character))
  assert.ok(cased.length > 2000)
  for (const character of cased.filter((one) => !recent.test(one))) {
    const expected = new RegExp(`^${character}$`, 'iu')
    const candidates = [character.toLowerCase(), character.toUpperCase(), ...variants(character)]
    for (const other of candidates.filter((one) => [...one].length === 1)) {
      const same = variants(character).includes(other)
      assert.equal(same, expected.test(other), `${character} and ${other}`)
    }
  }
})

test('ranges have every text that begins so, and are few', () => {
  const ranges = prefixRanges(caseVariants('Straße'))
  assert.ok(ranges.length <= 8)
  for (const text of ['straße', 'STRAẞE', 'Straßenbahn']) {
    assert.ok(ranges.some(([from, below]) => text >= from && (below === undefined || text < below)))
  }
  for (const text of ['raße', 'Ttraße', 'a']) {
    assert.ok(!ranges.some(([from, below]) => text >= from && (below === undefined || text < below)))
  }
  assert.deepEqual(prefixRanges([['\u{10FFFF}']]), [['\u{10FFFF}', undefined]])
  assert.deepEqual(prefixRanges([['\uD7FF']]), [['\uD7FF', '\uE000']])
  assert.deepEqual(prefixRanges([]), [])
})
