/** Words are cut alike wherever they are kept: by us, before any database sees them. */

import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { splitWords } from '../../src/store/search-words.ts'
import { cases } from '../cases.ts'

const alike: readonly (readonly [string, string])[] = [
  ['Café', 'CAFE'],
  ['Cafe\u0301', 'café'],
  ['Straße', 'STRASSE'],
  ['ﬁnd', 'FIND'],
  ['ΣΊΣΥΦΟΣ', 'σίσυφος'],
  ['İstanbul', 'ISTANBUL'],
  ['２０２６', '2026'],
]

for (const [one, other] of alike) {
  it(`'${one}' and '${other}' are the same word`, () => {
    assert.deepEqual(splitWords(one), splitWords(other))
    assert.equal(splitWords(one).length, 1)
  })
}

it('what is neither letter, digit nor mark parts words; each counts once', () => {
  assert.deepEqual(splitWords('to be, or not-to be? 100%_'), ['to', 'be', 'or', 'not', '100'])
  assert.deepEqual(splitWords('"; drop table -- \u0000'), ['drop', 'table'])
  assert.deepEqual(splitWords('हिन्दी'), ['हिन्दी'])
  assert.deepEqual(splitWords(' \n—'), [])
})

it('cutting words again gives the same words, none of them with a space or a quote', () => {
  const property = fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
    const words = splitWords(text)
    for (const word of words) assert.doesNotMatch(word, /[\s"']/u)
    assert.deepEqual(splitWords(words.join(' ')), words)
  })
  fc.assert(property, { numRuns: cases(5000) })
})
