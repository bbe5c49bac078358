import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePrefer } from '../../src/http/prefer.ts'

function expectPreferences(fieldValue: string, preferences: Record<string, string>): void {
  assert.deepEqual(Object.fromEntries(parsePrefer(fieldValue)), preferences, fieldValue)
}

test('preferences have a name and perhaps a value (RFC 7240 §2)', () => {
  expectPreferences('return=minimal', { return: 'minimal' })
  expectPreferences('respond-async, wait=100', { 'respond-async': '', wait: '100' })
  expectPreferences('count="exact"', { count: 'exact' })
  expectPreferences('a="x, y;z\\""', { a: 'x, y;z"' })
  expectPreferences('', {})
})

test('names are case-insensitive, values are not (RFC 7240 §2)', () => {
  expectPreferences('RETURN=Minimal', { return: 'Minimal' })
})

test('whitespace is allowed around the equals sign and the semicolon (RFC 7240 §2)', () => {
  expectPreferences('return\t= minimal ; x=y, a ;b', { return: 'minimal', a: '' })
})

test('an empty value is equal to no value (RFC 7240 §2)', () => {
  expectPreferences('a=""', { a: '' })
})

test('the first of repeated preferences counts (RFC 7240 §2)', () => {
  expectPreferences('return=minimal, Return=representation', { return: 'minimal' })
})

test('parameters are disregarded (RFC 7240 §2)', () => {
  expectPreferences('return=minimal; foo="some, thing"; bar, b', { return: 'minimal', b: '' })
})

test('malformed preferences are ignored, the others are not (RFC 7240 §2)', () => {
  expectPreferences('=x, a=, b c, d=e f, "g", h="i, j', {})
  expectPreferences('a=, return=minimal', { return: 'minimal' })
  expectPreferences('return=, return=minimal', { return: 'minimal' })
})

test('a name that objects inherit is a name like any other', () => {
  assert.equal(parsePrefer('__proto__=x').get('__proto__'), 'x')
  assert.equal(parsePrefer('return=minimal').get('constructor'), undefined)
})
