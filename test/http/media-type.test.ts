import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseMediaType } from '../../src/http/media-type.ts'
import { cases } from '../cases.ts'

function parameters(text: string): Record<string, string> | undefined {
  const mediaType = parseMediaType(text)
  return mediaType && Object.fromEntries(mediaType.parameters)
}

test('a media type is a type and a subtype (RFC 9110 §8.3.1)', () => {
  const mediaType = parseMediaType('application/hal+json')
  assert.equal(mediaType?.type, 'application')
  assert.equal(mediaType?.subtype, 'hal+json')
  assert.equal(mediaType?.essence, 'application/hal+json')
  assert.equal(mediaType?.parameters.size, 0)
})

test('type, subtype and parameter names are case-insensitive, values are not (§8.3.1)', () => {
  assert.equal(parseMediaType('Application/JSON')?.essence, 'application/json')
  assert.deepEqual(parameters('text/html;CharSet=UTF-8'), { charset: 'UTF-8' })
})

test('whitespace may surround a semicolon, and a parameter may be missing (§5.6.6)', () => {
  for (const text of ['a/b;c=d', 'a/b ; c=d', 'a/b\t;\tc=d', 'a/b;;c=d;', 'a/b; ;c=d; ']) {
    assert.deepEqual(parameters(text), { c: 'd' }, text)
  }
})

test('a quoted parameter equals the unquoted one, its escapes undone (§5.6.4, §5.6.6)', () => {
  assert.deepEqual(parameters('a/b;c="d"'), { c: 'd' })
  assert.deepEqual(parameters('a/b;c="x;y,\\"\\\\z\xe9"'), { c: 'x;y,"\\z\xe9' })
  assert.deepEqual(parameters('a/b;c=""'), { c: '' })
})

test('a text that is not exactly one media type is refused (§8.3.1)', () => {
  const refused = [
    ...['', ' ', '/', 'a', 'a/', '/b', 'application/json x', 'application/json\tx', ' a/b', 'a/b '],
    ...['a /b', 'a/ b', 'a/b/c', 'a/b,c/d', 'a/b;c', 'a/b;c=', 'a/b;=d', 'a/b;c =d', 'a/b;c= d'],
    ...['a/b;c="d', 'a/b;c="d"e', 'a/b;c=d e', 'a/b;c="\\', 'a/b;c="\x00"', 'a/b;c="\x7f"', '\xe9/b'],
    ...['a/b;c="\u0100"', 'a/b\n', 'a/b;c=d\n'],
  ]
  for (const text of refused) assert.equal(parseMediaType(text), undefined, JSON.stringify(text))
})

test('a repeated parameter is an error (RFC 6838 §4.3)', () => {
  assert.equal(parseMediaType('a/b;c=d;C=d'), undefined)
})

test('any string is read or refused, never thrown at', () => {
  const unit = fc.constantFrom('a', '/', ';', '=', '"', '\\', ' ', '\t', ',', '\n', '\u{1F600}')
  fc.assert(
    fc.property(fc.string({ unit }), (text) => {
      const mediaType = parseMediaType(text)
      if (mediaType !== undefined) assert.match(mediaType.essence, /^a+\/a+$/)
    }),
    { numRuns: cases(20_000) },
  )
})
