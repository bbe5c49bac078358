import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatTraceParent, parseTraceParent } from '../../src/http/trace-context.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'

test('Trace Context §3.2: traceparent is parsed and formatted', () => {
  for (const isSampled of [true, false]) {
    const value = `00-${traceId}-${spanId}-0${isSampled ? 1 : 0}`
    assert.deepEqual(parseTraceParent(value), { traceId, spanId, isSampled })
    assert.equal(formatTraceParent({ traceId, spanId, isSampled }), value)
  }
  assert.equal(parseTraceParent(`00-${traceId}-${spanId}-ff`)?.isSampled, true)
})

test('Trace Context §4.3: a later version may have further parts, version 00 may not', () => {
  assert.equal(parseTraceParent(`01-${traceId}-${spanId}-01-more`)?.traceId, traceId)
  assert.equal(parseTraceParent(`01-${traceId}-${spanId}-01more`), undefined)
  assert.equal(parseTraceParent(`00-${traceId}-${spanId}-01-more`), undefined)
})

test('Trace Context §3.2.2: other values are ignored', () => {
  const values = [
    undefined,
    '',
    `ff-${traceId}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
  ]
  for (const value of values) assert.equal(parseTraceParent(value), undefined, String(value))
})
