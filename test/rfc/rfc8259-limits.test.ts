/** Limits of JSON content (RFC 8259 §9): nesting, elements, octets. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { serve } from '../service.ts'
import { isMalformed, post, things } from './json-service.ts'

describe('sizes (docs/reference/http/limits.md, Limits)', () => {
  const nested = (depth: number, [open, close] = ['[', ']']) =>
    `{"data":${open.repeat(depth - 1)}${close.repeat(depth - 1)}}`

  test('nesting 32 deep is accepted, 33 deep is 400, objects and arrays alike', async () => {
    await using s = await serve(things)
    const response = await post(s, nested(32))
    assert.equal(response.status, 201)
    assert.ok(response.text.includes('['.repeat(31)))
    await isMalformed(s, nested(33))
    const objects = (depth: number) => `{"data":${'{"a":'.repeat(depth - 2)}{}${'}'.repeat(depth - 2)}}`
    assert.equal((await post(s, objects(32))).status, 201)
    await isMalformed(s, objects(33))
  })

  test('nesting 100,000 deep is 400 like any other', async () => {
    await using s = await serve(things)
    await isMalformed(s, nested(100_000), '100,000 deep')
    await isMalformed(s, '['.repeat(1_000_000), 'unclosed')
  })

  test('10,000 elements are accepted, 10,001 are 400', async () => {
    await using s = await serve(things)
    const elements = (count: number) => `{"data":[${Array(count).fill(0).join()}]}`
    const response = await post(s, elements(10_000))
    assert.equal(response.status, 201)
    assert.equal(response.json.data.length, 10_000)
    await isMalformed(s, elements(10_001), '10,001 elements')
  })

  test('content of 1 MiB is accepted, one octet more is 413', async () => {
    await using s = await serve(things)
    const padded = (length: number) => `{}${' '.repeat(length - 2)}`
    assert.equal((await post(s, padded(1_048_576))).status, 201)
    const response = await post(s, padded(1_048_577))
    assert.equal(response.status, 413)
    assert.equal(response.json.type, '/problems/content-too-large')
  })
})
