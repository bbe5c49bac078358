import assert from 'node:assert/strict'
import { test } from 'node:test'
import { knownMethods, methods, safeMethods } from '../../src/http/method.ts'

test('method names are case-sensitive (RFC 9110 §9.1)', () => {
  assert.equal(knownMethods.has('get'), false)
  for (const method of methods) assert.ok(knownMethods.has(method), method)
})

test('reading methods are safe, QUERY among them; writing ones are not (RFC 9110 §9.2.1)', () => {
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY']) assert.ok(safeMethods.has(method))
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'CONNECT']) assert.ok(!safeMethods.has(method))
  for (const method of safeMethods) assert.ok(knownMethods.has(method))
})
