import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { didYouMean, findNearestName } from '../../src/definition/name-suggestion.ts'
import { cases } from '../cases.ts'

test('the nearest name is one edit or swap away, or a few in a long one', () => {
  const names = ['title', 'status', 'createdAt']
  assert.equal(findNearestName('titel', names), 'title')
  assert.equal(findNearestName('TITLE', names), 'title')
  assert.equal(findNearestName('statu', names), 'status')
  assert.equal(findNearestName('cretedat', names), 'createdAt')
  assert.equal(findNearestName('price', names), undefined)
  assert.equal(findNearestName('x', ['y']), 'y')
  assert.equal(findNearestName('xy', ['ab']), undefined)
  // Two edits of a short name, where the first character is the same.
  assert.equal(findNearestName('dew', ['id', 'due']), 'due')
  assert.equal(findNearestName('dew', ['sun', 'duo', 'der']), 'der')
  assert.equal(findNearestName('new', ['due']), undefined)
})

test('of two the nearer is taken, of equals one that begins alike, then the first', () => {
  assert.equal(findNearestName('ge', ['ne', 'gte']), 'gte')
  assert.equal(findNearestName('colour', ['colors', 'colours']), 'colours')
  assert.equal(findNearestName('bat', ['cat', 'hat']), 'cat')
})

test('the question names it', () => {
  assert.equal(didYouMean('titel', ['title']), "Did you mean 'title'?")
  assert.equal(didYouMean('titel', []), undefined)
})

test('a name of more than 64 characters is not compared, so that its cost is bounded', () => {
  const long = 'a'.repeat(64)
  assert.equal(findNearestName(long, [long]), long)
  assert.equal(findNearestName(`${long}a`, [long]), undefined)
})

test('one edit of a name of three characters or more is always found', () => {
  const name = fc.string({ minLength: 4, maxLength: 12, unit: fc.constantFrom(...'abcdef') })
  fc.assert(
    fc.property(name, fc.nat(), (word, seed) => {
      const at = seed % word.length
      assert.equal(findNearestName(word.slice(0, at) + word.slice(at + 1), [word]), word)
    }),
    { numRuns: cases(1000) },
  )
})
