import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatChallenge, parseAuthorization, parseBasic } from '../../src/http/authorization.ts'
import { cases } from '../cases.ts'

const encode = (text: string | Uint8Array) => Buffer.from(text as string).toString('base64')

test('the scheme is case-insensitive, the credentials are not (RFC 9110 §11.1)', () => {
  const bearer = { scheme: 'bearer', credentials: 'rw_aB-._~+/9==' }
  assert.deepEqual(parseAuthorization('BEARER rw_aB-._~+/9=='), bearer)
  assert.deepEqual(parseAuthorization('bearer   rw_aB-._~+/9== '), bearer)
})

test('a scheme may have no parameters (RFC 9110 §11.4)', () => {
  const digest = { scheme: 'digest', credentials: undefined }
  for (const text of ['Digest', 'Digest ', 'Digest a=b', 'Digest a="b, c" , d = e']) {
    assert.deepEqual(parseAuthorization(text), digest, text)
  }
})

test('malformed credentials are refused (RFC 9110 §11.4)', () => {
  const malformed = [
    ...['', ' ', ' Basic eA==', 'Basic\teA==', 'Basic,eA==', '"Basic" eA==', 'Bearer a b', 'Bearer a=b=c'],
    ...['Bearer é', 'Bearer a, b', 'Bearer "a"', 'Bearer =', 'Bearer a="b', 'Bearer a=b c', 'Bearer a\n'],
  ]
  for (const text of malformed) assert.equal(parseAuthorization(text), undefined, JSON.stringify(text))
})

test('the first colon parts login and password (RFC 7617 §2)', () => {
  const parsed = (text: string) => parseBasic(encode(text))
  assert.deepEqual(parsed('ada:secret'), { login: 'ada', password: 'secret' })
  assert.deepEqual(parsed('ada:a:b:'), { login: 'ada', password: 'a:b:' })
  assert.deepEqual(parsed(':'), { login: '', password: '' })
  assert.equal(parsed('ada'), undefined)
  assert.deepEqual(parseBasic('dGVzdDoxMjPCow=='), { login: 'test', password: '123£' })
})

test('credentials must be Base64 of UTF-8 (RFC 7617 §2.1)', () => {
  const token68 = ['', '=', '====', 'YTpi=', 'YTpiYw=', 'YTpiYw', 'YTp-', 'YTp_', 'YT pi', 'YTpi\n']
  for (const text of token68) assert.equal(parseBasic(text), undefined, JSON.stringify(text))
  assert.equal(parseBasic(encode(Uint8Array.of(0x61, 0x3a, 0xa3))), undefined)
  assert.equal(parseBasic(encode(Uint8Array.of(0x61, 0x3a, 0xc0, 0xaf))), undefined)
  assert.equal(parseBasic(encode(Uint8Array.of(0x61, 0x3a, 0xed, 0xa0, 0x80))), undefined)
})

test('control characters are refused on both sides (RFC 7617 §2)', () => {
  for (const control of ['\0', '\t', '\n', '\r', '\x1f', '\x7f']) {
    assert.equal(parseBasic(encode(`a${control}:b`)), undefined)
    assert.equal(parseBasic(encode(`a:b${control}`)), undefined)
  }
  assert.deepEqual(parseBasic(encode('a :\x80')), { login: 'a ', password: '\x80' })
})

test('Basic credentials read back as they were written', () => {
  const text = fc.string({ unit: 'grapheme' }).filter((value) => !/\p{Cc}/u.test(value))
  const login = text.map((value) => value.replaceAll(':', ''))
  fc.assert(
    fc.property(login, text, (name, password) => {
      assert.deepEqual(parseBasic(encode(`${name}:${password}`)), { login: name, password })
    }),
    { numRuns: cases(5_000) },
  )
})

test('a challenge quotes its parameters (RFC 9110 §11.5, §11.6.1)', () => {
  assert.equal(formatChallenge('Negotiate'), 'Negotiate')
  assert.equal(formatChallenge('Basic', { realm: 'a "b" \\' }), 'Basic realm="a \\"b\\" \\\\"')
  assert.equal(
    formatChallenge('Bearer', { realm: 'shop', error: 'invalid_token' }),
    'Bearer realm="shop", error="invalid_token"',
  )
  assert.equal(formatChallenge('Basic', { realm: 'x\r\nSet-Cookie: é' }), 'Basic realm="x??Set-Cookie: ?"')
})
