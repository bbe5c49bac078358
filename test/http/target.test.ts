import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatPath, type PathTarget, parseTarget } from '../../src/http/request-target.ts'
import { cases } from '../cases.ts'

function path(raw: string): PathTarget {
  const target = parseTarget(raw)
  assert.equal(target.kind, 'path', raw)
  return target as PathTarget
}

function expectMalformed(targets: readonly string[]): void {
  for (const raw of targets) assert.equal(parseTarget(raw).kind, 'malformed', JSON.stringify(raw))
}

test('a path is its segments (RFC 9112 §3.2.1)', () => {
  assert.deepEqual(path('/users/1'), {
    kind: 'path',
    segments: ['users', '1'],
    normalPath: '/users/1',
    hasTrailingSlash: false,
    hasDotSegments: false,
    query: undefined,
  })
  assert.deepEqual(path('/').segments, [])
  assert.equal(path('/').hasTrailingSlash, false)
})

test('a path that was sent in normal form is recognized (RFC 3986 §6.2.2)', () => {
  assert.equal(path("/a/b-._~!$&'()*+,;=:@?x").normalPath, "/a/b-._~!$&'()*+,;=:@")
  for (const raw of ['/', '/a/', '//a', '/%61', '/a%20b']) assert.equal(path(raw).normalPath, undefined)
})

test('a path with a trailing slash is another URI (RFC 3986 §6.2.3)', () => {
  assert.deepEqual(path('/users/').segments, ['users'])
  assert.equal(path('/users/').hasTrailingSlash, true)
  assert.equal(path('/users/?a').hasTrailingSlash, true)
})

test('empty segments are preserved and match nothing (RFC 3986 §3.3)', () => {
  assert.deepEqual(path('//x').segments, ['', 'x'])
  assert.deepEqual(path('/x//').segments, ['x', ''])
  assert.deepEqual(path('//').segments, [''])
})

test('escapes are undone in each segment by itself (RFC 3986 §6.2.2.2)', () => {
  assert.deepEqual(path('/%75sers').segments, ['users'])
  assert.deepEqual(path('/a%2Fb/c').segments, ['a/b', 'c'])
  assert.deepEqual(path('/%c3%A9%F0%9F%98%80').segments, ['é😀'])
  assert.deepEqual(path('/a%3Fb%23').segments, ['a?b#'])
  assert.deepEqual(path('/a+b').segments, ['a+b'])
})

test('dot segments stay where they are, and are flagged (RFC 3986 §5.2.4)', () => {
  for (const raw of ['/x/../users', '/x/%2e%2E/users', '/x/.%2e/users']) {
    assert.deepEqual(path(raw).segments, ['x', '..', 'users'])
    assert.equal(path(raw).hasDotSegments, true)
  }
  assert.equal(path('/.').hasDotSegments, true)
  assert.equal(path('/%2e').hasDotSegments, true)
  assert.equal(path('/.well-known/...').hasDotSegments, false)
})

test('the query is what follows the first question mark, still encoded (RFC 3986 §3.4)', () => {
  assert.equal(path('/a').query, undefined)
  assert.equal(path('/a?').query, '')
  assert.equal(path('/a?b=c?d/e%20').query, 'b=c?d/e%20')
  assert.equal(path('/a?price[gte]=1&x={|}^"<>\\`').query, 'price[gte]=1&x={|}^"<>\\`')
})

test('every character that a path may contain is accepted (RFC 3986 §3.3)', () => {
  assert.deepEqual(path("/aZ09-._~!$&'()*+,;=:@").segments, ["aZ09-._~!$&'()*+,;=:@"])
})

test('malformed escapes, overlong and invalid UTF-8 and NUL are refused (RFC 3986 §2.1)', () => {
  const escapes = [
    '%',
    '%z',
    '%zz',
    '%4',
    '%c3',
    '%c3%28',
    '%c0%af',
    '%e0%80%af',
    '%ed%a0%80',
    '%f5%80%80%80',
    '%ff',
    '%00',
  ]
  expectMalformed(escapes.flatMap((text) => [`/a${text}`, `/a${text}/b`, `/a?b=${text}`]))
})

test('raw characters that a path cannot contain are refused (RFC 3986 §3.3)', () => {
  expectMalformed([...' "<>\\^`{|}[]#\t\r\n\0\x7f\x80é\u0161'].map((character) => `/a${character}b`))
})

test('a fragment, a control or raw non-ASCII in the query is refused (RFC 3986 §3.4)', () => {
  expectMalformed([...'# \t\r\n\0\x7f\x80é\u0161'].map((character) => `/a?b${character}c`))
})

test('an asterisk is a target of its own (RFC 9112 §3.2.4)', () => {
  assert.deepEqual(parseTarget('*'), { kind: 'asterisk' })
  assert.deepEqual(path('/*').segments, ['*'])
  expectMalformed(['**', '*/a', '*?a'])
})

test('anything else is refused', () => {
  expectMalformed(['', 'users', '?a', '../a', 'example.org:443', 'http://h/a', ' /', '\\a', '%2Fa'])
})

test('a path is written in normal form, hex digits in upper case (RFC 3986 §6.2.2)', () => {
  assert.equal(formatPath('', []), '/')
  assert.equal(formatPath('/api', []), '/api')
  assert.equal(formatPath('/api', ['users', 'a/b?#%é']), '/api/users/a%2Fb%3F%23%25%C3%A9')
  assert.equal(formatPath('', ["aZ09-._~!$&'()*+,;=:@"]), "/aZ09-._~!$&'()*+,;=:@")
  assert.equal(formatPath('', ['a b"<>\\^`{|}[]']), '/a%20b%22%3C%3E%5C%5E%60%7B%7C%7D%5B%5D')
  assert.equal(formatPath('', ['%2C']), '/%252C')
})

test('a path never starts like an authority (RFC 3986 §4.2)', () => {
  assert.equal(formatPath('', ['', 'evil.example']), '/.//evil.example')
  assert.equal(formatPath('/api', ['', 'x']), '/api//x')
})

test('segments read back as they were written', () => {
  const segment = fc.string({ unit: 'grapheme', minLength: 1 })
  const ordinary = segment.filter((text) => text !== '.' && text !== '..' && !text.includes('\0'))
  fc.assert(
    fc.property(fc.array(ordinary), (segments) => {
      const written = formatPath('', segments)
      const target = path(written)
      assert.deepEqual(target.segments, segments)
      assert.equal(target.hasDotSegments || target.hasTrailingSlash, false)
      assert.equal(new URL(written, 'http://h').pathname, written)
    }),
    { numRuns: cases(5_000) },
  )
})

test('any string is read or refused, and no decoded segment has a NUL', () => {
  const piece = fc.constantFrom(
    '/',
    '%',
    '2e',
    '.',
    '00',
    'c3',
    'a9',
    '?',
    '#',
    '*',
    'http://',
    'h',
    '\ud800',
  )
  const text = fc.oneof(
    fc.array(piece).map((pieces) => pieces.join('')),
    fc.string({ unit: 'binary' }),
  )
  fc.assert(
    fc.property(text, (raw) => {
      const target = parseTarget(raw)
      if (target.kind === 'path') {
        assert.ok(!target.segments.join('').includes('\0'))
        if (target.normalPath !== undefined && !target.hasDotSegments) {
          assert.equal(target.normalPath, formatPath('', target.segments))
        }
      }
      if (target.kind === 'malformed') assert.match(target.reason, /^[A-Z].*\.$/)
    }),
    { numRuns: cases(20_000) },
  )
})
