/** JSON Patch (RFC 6902), with the public test suite. */

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { describe, test } from 'node:test'
import { applyJsonPatch, type PatchJson, parseJsonPatch } from '../../src/http/json-patch.ts'

interface Case {
  readonly comment?: string
  readonly doc: PatchJson
  readonly patch: PatchJson
  readonly expected?: PatchJson
  readonly error?: string
  readonly disabled?: boolean
}

const require = createRequire(import.meta.url)
const suites = ['spec_tests.json', 'tests.json'].map((name) => ({
  name,
  cases: require(`json-patch-test-suite/${name}`) as readonly Case[],
}))

function patched(document: PatchJson, patch: unknown, room = 1000) {
  const parsed = parseJsonPatch(patch)
  if (parsed.kind === 'malformed') return parsed
  return applyJsonPatch(document, parsed.operations, room)
}

describe('the json-patch test suite', () => {
  for (const { name, cases } of suites) {
    for (const [index, one] of cases.entries()) {
      if (one.disabled) continue
      test(`${name} ${index}: ${one.comment ?? one.error ?? 'as expected'} (RFC 6902 §4)`, () => {
        const before = structuredClone(one.doc)
        const result = patched(one.doc, one.patch)
        assert.deepEqual(one.doc, before, 'the document itself is untouched')
        if (one.error !== undefined) assert.notEqual(result.kind, 'patched')
        else if (Object.hasOwn(one, 'expected')) {
          assert.deepEqual(result, { kind: 'patched', value: one.expected })
        } else assert.equal(result.kind, 'patched')
      })
    }
  }
  test('the suite has the cases it is known for', () => {
    assert.ok(suites.every(({ cases }) => cases.length > 15))
  })
})

test('a failing operation undoes the earlier ones (RFC 6902 §5)', () => {
  const document = { a: 1 }
  const result = patched(document, [
    { op: 'replace', path: '/a', value: 2 },
    { op: 'test', path: '/a', value: 3 },
  ])
  assert.deepEqual(result, { kind: 'failed', index: 1, reason: 'The test failed.' })
  assert.deepEqual(document, { a: 1 })
})

test('operations change neither the values of the patch nor copies of them', () => {
  const patch = [
    { op: 'add', path: '/a', value: { list: [{ n: 1 }] } },
    { op: 'copy', from: '/a', path: '/b' },
    { op: 'add', path: '/a/list/0/m', value: 2 },
    { op: 'remove', path: '/b/list/0/n' },
    { op: 'move', from: '/a/list/0', path: '/c' },
    { op: 'replace', path: '/c/n', value: 3 },
    { op: 'add', path: '/a/list/-', value: [] },
  ]
  const sent = structuredClone(patch)
  const document = { z: [1] }
  const value = { z: [1], a: { list: [[]] }, b: { list: [{}] }, c: { n: 3, m: 2 } }
  assert.deepEqual(patched(document, patch), { kind: 'patched', value })
  assert.deepEqual(patch, sent)
  assert.deepEqual(document, { z: [1] })
})

test('numbers are compared numerically and objects without order (RFC 6902 §4.6)', () => {
  const document = { n: 10, o: { a: 1, b: [1, null] } }
  const tests = [
    { op: 'test', path: '/n', value: 1e1 },
    { op: 'test', path: '/o', value: { b: [1, null], a: 1 } },
  ]
  assert.equal(patched(document, tests).kind, 'patched')
  assert.equal(patched(document, [{ op: 'test', path: '/n', value: '10' }]).kind, 'failed')
})

test('a list equals nothing but a list (RFC 6902 §4.6)', () => {
  for (const value of [null, '', {}, 0]) {
    assert.equal(patched({ a: value }, [{ op: 'test', path: '/a', value: [] }]).kind, 'failed')
    assert.equal(patched({ a: [] }, [{ op: 'test', path: '/a', value }]).kind, 'failed')
  }
})

test('no name reaches a prototype', () => {
  for (const path of ['/__proto__/polluted', '/constructor/prototype/polluted']) {
    assert.equal(patched({}, [{ op: 'add', path, value: true }]).kind, 'failed')
  }
  const result = patched({}, [
    { op: 'add', path: '/__proto__', value: { polluted: true } },
    { op: 'copy', from: '/__proto__', path: '/b' },
  ])
  assert.equal(result.kind, 'patched')
  assert.equal(({} as Record<string, unknown>).polluted, undefined)
  assert.equal(result.kind === 'patched' && Object.hasOwn(result.value as object, '__proto__'), true)
})

test('copies that double the document are stopped', () => {
  const bomb = Array.from({ length: 40 }, () => ({ op: 'copy', from: '/a', path: '/a/-' }))
  const result = patched({ a: ['0123456789'] }, bomb, 10_000)
  assert.equal(result.kind, 'failed')
  assert.equal(patched({ a: ['x'] }, bomb.slice(0, 3), 10_000).kind, 'patched')
})

test('array indexes are digits without leading zeros, within the array (RFC 6901 §4)', () => {
  for (const index of ['01', '1e0', '-1', '3', '+1', ' 1', '']) {
    const patch = [{ op: 'add', path: `/a/${index}`, value: 0 }]
    assert.equal(patched({ a: [1, 2] }, patch).kind, 'failed', index)
  }
  assert.equal(patched({ a: [1, 2] }, [{ op: 'add', path: '/a/2', value: 3 }]).kind, 'patched')
})

test('content that is not a patch is malformed, and no operation is applied', () => {
  const malformed = [
    {},
    null,
    [1],
    [{ op: 'add', path: '/a' }],
    [{ op: 'add', path: 'a', value: 1 }],
    [{ op: 'add', path: '/~2', value: 1 }],
    [{ op: 'spam', path: '' }],
    [{ op: 'move', path: '/a' }],
    [{ path: '/a' }],
  ]
  for (const patch of malformed) {
    assert.equal(patched({}, patch).kind, 'malformed', JSON.stringify(patch))
  }
})
