import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatCacheControl, maxAcceptedAge } from '../../src/http/cache-control.ts'

test('directives are written in lower case, numbers unquoted (RFC 9111 §5.2)', () => {
  assert.equal(formatCacheControl({ noStore: true }), 'no-store')
  assert.equal(formatCacheControl({ private: true, noCache: true }), 'private, no-cache')
  assert.equal(
    formatCacheControl({ staleWhileRevalidate: 30, maxAge: 60 }),
    'max-age=60, stale-while-revalidate=30',
  )
  assert.equal(
    formatCacheControl({ private: true, noTransform: true, maxAge: 31_536_000, immutable: true }),
    'private, no-transform, max-age=31536000, immutable',
  )
})

test('directives that are false or undefined are not written', () => {
  assert.equal(formatCacheControl({}), '')
  assert.equal(formatCacheControl({ noStore: false, maxAge: 1 }), 'max-age=1')
})

test('seconds are integers, not negative and at most 2^31 (RFC 9111 §1.2.2)', () => {
  assert.equal(formatCacheControl({ maxAge: 1.9 }), 'max-age=1')
  assert.equal(formatCacheControl({ maxAge: -1 }), 'max-age=0')
  assert.equal(formatCacheControl({ maxAge: Number.NaN }), 'max-age=0')
  assert.equal(formatCacheControl({ maxAge: 2 ** 31 }), 'max-age=2147483648')
  assert.equal(formatCacheControl({ maxAge: Number.POSITIVE_INFINITY }), 'max-age=2147483648')
})

test('a request accepts any age by default (RFC 9111 §5.2.1)', () => {
  const any = Number.POSITIVE_INFINITY
  assert.equal(maxAcceptedAge(undefined), any)
  assert.equal(maxAcceptedAge(''), any)
  assert.equal(maxAcceptedAge('max-stale=3, no-transform, x-max-age=1'), any)
  assert.equal(maxAcceptedAge('max-age=60'), 60)
  assert.equal(maxAcceptedAge('Max-Age="5", max-age=7'), 5)
  assert.equal(maxAcceptedAge('max-age=60, No-Cache'), 0)
  assert.equal(maxAcceptedAge('max-age=-1'), 0)
  assert.equal(maxAcceptedAge('max-age'), 0)
})
