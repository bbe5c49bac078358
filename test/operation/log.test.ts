/** The log: which observations have a line at which level, and what a line never contains (docs/reference/http/limits.md, Operation). */

import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import type { Observation, RequestObservation } from '../../src/observation.ts'
import { type LogLevel, logLevels } from '../../src/operation/configuration/config.ts'
import { logTo } from '../../src/operation/log.ts'
import { admin, serve } from '../service.ts'
import { books } from './books.ts'

const noon = Date.UTC(2026, 0, 31, 12)

function linesOf(observations: readonly Observation[], level: LogLevel = 'info', isTTY = false) {
  const lines: string[] = []
  const stream = { isTTY, write: (text: string) => lines.push(text) }
  for (const observation of observations) logTo(stream, level, () => noon)(observation)
  return lines
}

function request(members: Partial<RequestObservation>): RequestObservation {
  return {
    kind: 'request',
    request: 'r1',
    method: 'GET',
    route: '/books/{id}',
    status: 200,
    milliseconds: 1.2345,
    ...members,
  }
}

describe('levels', () => {
  test('a request has a line at debug and none at info', () => {
    assert.equal(linesOf([request({})], 'info').length, 0)
    assert.equal(linesOf([request({})], 'debug').length, 1)
  })
  test('a request of a second has a line at the default level, one of less has none', () => {
    assert.equal(linesOf([request({ milliseconds: 1000 })]).length, 1)
    assert.equal(linesOf([request({ milliseconds: 999.9 })]).length, 0)
  })
  test('a 5xx has a line at the default level, a 4xx has none', () => {
    assert.equal(linesOf([request({ status: 500 })], 'error').length, 1)
    assert.equal(linesOf([request({ status: 499 })], 'info').length, 0)
  })
  for (const status of [501, 505]) {
    test(`${status} is the client’s doing: no line at the default level (RFC 9110 §15.6)`, () => {
      assert.equal(linesOf([request({ status })], 'info').length, 0)
      assert.equal(linesOf([request({ status })], 'debug').length, 1)
    })
  }
  test('503 is a warning, and 500 and 507 are errors (RFC 9110 §15.6)', () => {
    const levels = [503, 500, 507].map((status) => {
      const [line = ''] = linesOf([request({ status })])
      return JSON.parse(line).level
    })
    assert.deepEqual(levels, ['warn', 'error', 'error'])
  })
  test('each level shows itself and what is above it; silent shows nothing', () => {
    const all: Observation[] = [
      request({}),
      { kind: 'stopped' },
      request({ milliseconds: 2000 }),
      { kind: 'bug', request: 'r1', cause: 'x' },
      { kind: 'crash', cause: 'x' },
    ]
    const counts = logLevels.map((level) => linesOf(all, level).length)
    assert.deepEqual(counts, [5, 5, 4, 3, 2, 1, 0])
  })
})

describe('lines', () => {
  test('a line is one JSON object with time, level and event', () => {
    const [line = ''] = linesOf([request({ decision: 'requirePermission', status: 403 })], 'debug')
    assert.deepEqual(JSON.parse(line), {
      time: '2026-01-31T12:00:00.000Z',
      level: 'debug',
      event: 'request',
      request: 'r1',
      method: 'GET',
      route: '/books/{id}',
      status: 403,
      ms: 1.23,
      decision: 'requirePermission',
    })
    assert.ok(line.endsWith('}\n'))
  })
  test('a bug is logged with its stack and those of its causes, still on one line', () => {
    const cause = new Error('outer', { cause: new TypeError('inner') })
    const [line = ''] = linesOf([{ kind: 'bug', request: 'r1', cause }])
    const entry = JSON.parse(line)
    assert.equal(entry.cause, 'outer')
    assert.match(entry.stack, /Error: outer\n +at .*log\.test.*\nCaused by: TypeError: inner\n +at/s)
    assert.equal(line.indexOf('\n'), line.length - 1)
  })
  test('circular causes end', () => {
    const cause: Error & { cause?: unknown } = new Error('round')
    cause.cause = cause
    assert.equal(linesOf([{ kind: 'bug', request: 'r1', cause }]).length, 1)
  })
  test('fields outside the allow-list are omitted', () => {
    const observation = { ...request({}), authorization: 'Basic secret', target: '/books?x=secret' }
    assert.doesNotMatch(linesOf([observation], 'trace').join(), /secret/)
  })
  test('the password in a database URL is never logged', () => {
    const database = 'postgres://ada:p%40ss@word@db.example:5432/shop?sslpassword=secret'
    const [line = ''] = linesOf([{ kind: 'started', url: 'http://localhost:3000', database }])
    assert.equal(JSON.parse(line).database, 'postgres://db.example:5432/shop')
  })
  test('on a terminal a line is readable, with the stack below it', () => {
    const [line = ''] = linesOf([{ kind: 'bug', request: 'r 1', cause: new Error('x') }], 'info', true)
    const plain = stripVTControlCharacters(line)
    assert.match(plain, /^12:00:00\.000 error bug request="r 1" cause=x\n {4}Error: x\n {8}at /)
  })
})

describe('repeated lines', () => {
  function log(t: TestContext, level: LogLevel = 'info') {
    t.mock.timers.enable({ apis: ['setTimeout', 'Date'] })
    const entries: Record<string, unknown>[] = []
    const write = (text: string) => entries.push(JSON.parse(text))
    return { entries, notice: logTo({ write }, level, Date.now) }
  }
  const busy = request({ status: 503, decision: 'requireCapacity' })

  test('the first 10 of a kind in 10 seconds are written, the last line has the number of omitted ones', (t) => {
    const { entries, notice } = log(t)
    for (let count = 0; count < 10; count += 1) notice(busy)
    assert.equal(entries.length, 10)
    for (let count = 0; count < 500; count += 1) notice({ ...busy, request: `r${count}` })
    assert.equal(entries.length, 10)
    t.mock.timers.tick(10_000)
    assert.equal(entries.length, 11)
    assert.deepEqual(
      [entries[10]?.event, entries[10]?.request, entries[10]?.repeated],
      ['request', 'r499', 500],
    )
    notice(busy)
    assert.equal(entries.length, 12)
    assert.equal(entries[11]?.repeated, undefined)
  })
  test('lines of another kind, status, route or cause are still written', (t) => {
    const { entries, notice } = log(t)
    for (let count = 0; count < 100; count += 1) notice(busy)
    const others: Observation[] = [
      request({ status: 500 }),
      request({ status: 503, route: '/books' }),
      { kind: 'bug', request: 'r1', cause: new Error('one') },
      { kind: 'bug', request: 'r1', cause: new Error('two') },
      { kind: 'store-unavailable', reason: 'unreachable', cause: 'one' },
    ]
    for (const other of others) notice(other)
    assert.equal(entries.length, 10 + others.length)
  })
  test('lines below a warning are all written', (t) => {
    const { entries, notice } = log(t, 'debug')
    for (let count = 0; count < 100; count += 1) notice(request({}))
    assert.equal(entries.length, 100)
  })
  test('however many causes there are, the lines of 10 seconds are bounded', (t) => {
    const { entries, notice } = log(t)
    for (let count = 0; count < 5000; count += 1) {
      notice({ kind: 'bug', request: 'r1', cause: new Error(`cause ${count}`) })
    }
    assert.ok(entries.length <= 1000, String(entries.length))
    t.mock.timers.tick(10_000)
    const left = entries.reduce((sum, { repeated = 0 }) => sum + Number(repeated), 0)
    assert.equal(left + entries.filter(({ repeated }) => repeated === undefined).length, 5000)
  })
})

test('the log of a request contains only its method from the client', async () => {
  await using service = await serve(books)
  const secret = 'sesame'
  await service.request(
    `POST /books?q=${secret}`,
    { ...admin, cookie: secret, 'x-any': secret },
    {
      title: secret,
    },
  )
  await service.request(`GET /books/${secret}?fields=${secret}`, { authorization: `Basic ${secret}` })
  await service.request(`GET /${secret}`, { 'user-agent': secret })
  const lines = linesOf(service.observations, 'trace')
  assert.equal(lines.length, 3)
  assert.doesNotMatch(lines.join(), new RegExp(`${secret}|${admin.authorization.slice(6)}`))
})
