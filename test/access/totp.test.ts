/** Time-based one-time passwords (RFC 6238), as pure functions. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findTotpStep, formatBase32, formatOtpauthUri, totpCode } from '../../src/access/totp.ts'

const key = Buffer.from('12345678901234567890')

test('RFC 6238 appendix B: the codes of the test vectors, in six digits', () => {
  const vectors: readonly (readonly [seconds: number, code: string])[] = [
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ]
  for (const [seconds, code] of vectors) assert.equal(totpCode(key, Math.floor(seconds / 30)), code)
})

test('RFC 6238 §5.2: one step before and after is accepted, two are not, and a step only once', () => {
  const now = 1_700_000_000_000
  const step = Math.floor(now / 30_000)
  const find = (at: number, last = 0) => findTotpStep(key, totpCode(key, at), { now, last })
  assert.deepEqual([find(step - 1), find(step), find(step + 1)], [step - 1, step, step + 1])
  assert.deepEqual([find(step - 2), find(step + 2)], [undefined, undefined])
  assert.equal(find(step, step), undefined)
  assert.equal(find(step + 1, step), step + 1)
  assert.equal(findTotpStep(key, '', { now, last: 0 }), undefined)
  assert.equal(findTotpStep(key, '１２３４５６', { now, last: 0 }), undefined)
})

test('RFC 4648 §10: the test vectors of base 32, without padding', () => {
  const vectors = { '': '', f: 'MY', fo: 'MZXQ', foo: 'MZXW6', foob: 'MZXW6YQ', fooba: 'MZXW6YTB' }
  for (const [text, encoded] of Object.entries(vectors))
    assert.equal(formatBase32(Buffer.from(text)), encoded)
})

test('the URI for authenticator apps encodes the title and the login', () => {
  const uri = formatOtpauthUri({ issuer: 'A & B', login: 'ada@example.org' }, Buffer.from('foo'))
  assert.equal(uri, 'otpauth://totp/A%20%26%20B:ada%40example.org?secret=MZXW6&issuer=A%20%26%20B')
})
