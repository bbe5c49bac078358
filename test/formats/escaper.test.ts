import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { createEscaper } from '../../src/formats/escaper.ts'

it('a long text is escaped as a short one is, character by character', () => {
  const replacements: Readonly<Record<string, string>> = { '&': '&amp;', '"': '""', '\r': '&#13;' }
  const escapeAll = createEscaper(replacements)
  const character = fc.oneof(fc.constantFrom('&', '"', '\r', '\n', 'é', '😀'), fc.string())
  fc.assert(
    fc.property(fc.array(character), fc.constantFrom(1, 1000), (characters, times) => {
      const text = characters.join('').repeat(times)
      const expected = [...text].map((one) => replacements[one] ?? one).join('')
      assert.equal(escapeAll(text), expected)
    }),
    { numRuns: 50 },
  )
})
