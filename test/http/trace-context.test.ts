import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatTraceParent, parseTraceParent, parseTraceState } from '../../src/http/trace-context.ts'

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

test('Trace Context §3.3.1: the members of tracestate are passed on, without empty ones', () => {
  assert.equal(parseTraceState('rojo=00f067aa0ba902b7'), 'rojo=00f067aa0ba902b7')
  assert.equal(parseTraceState(' rojo=1 ,, \t,1a-b@x*/_=a b!'), 'rojo=1,1a-b@x*/_=a b!')
  const most = Array.from({ length: 32 }, (_, at) => `k${at}=v`).join(',')
  assert.equal(parseTraceState(most), most)
  const longest = `${'k'.repeat(256)}=${'v'.repeat(255)}`
  assert.equal(parseTraceState(longest), longest)
})

test('Trace Context §3.3.1: a tracestate that is not valid is discarded', () => {
  const values = [
    undefined,
    '',
    ' , ',
    'rojo',
    'rojo=',
    '=1',
    'Rojo=1',
    '1rojo=1',
    'ro jo=1',
    'a@1=1',
    'a@b@c=1',
    `a@${'b'.repeat(15)}=1`,
    'rojo=a=b',
    'rojo=é',
    'rojo=a\tb',
    'a=1,b=2,a=3',
    `${'k'.repeat(257)}=1`,
    `k=${'v'.repeat(257)}`,
    Array.from({ length: 33 }, (_, at) => `k${at}=v`).join(','),
  ]
  for (const value of values) assert.equal(parseTraceState(value), undefined, String(value))
})

test('Trace Context §3.3.1.5: of more than 512 characters, long members go first, then the last ones', () => {
  const member = (name: string, length: number) => `${name}=${'v'.repeat(length - name.length - 1)}`
  const short = ['a', 'b', 'c', 'd', 'e'].map((name) => member(name, 120))
  const value = [member('x', 129), ...short, member('f', 128)].join(',')
  assert.equal(parseTraceState(value), short.slice(0, 4).join(','))
  assert.equal(
    parseTraceState([member('x', 129), ...short.slice(0, 2)].join(',')),
    [member('x', 129), ...short.slice(0, 2)].join(','),
  )
})
