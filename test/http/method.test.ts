import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { test } from 'node:test'
import { knownMethods, safeMethods } from '../../src/http/method.ts'

test('the known methods are exactly those that the parser accepts', () => {
  assert.deepEqual([...knownMethods].sort(), [...METHODS].sort())
})

test('method names are case-sensitive (RFC 9110 §9.1)', () => {
  assert.equal(knownMethods.has('get'), false)
})

test('reading methods are safe, QUERY among them; writing ones are not (RFC 9110 §9.2.1)', () => {
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY']) assert.ok(safeMethods.has(method))
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'CONNECT']) assert.ok(!safeMethods.has(method))
  for (const method of safeMethods) assert.ok(knownMethods.has(method))
})
