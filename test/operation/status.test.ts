/** /status: figures of each route, and the last errors by request id (docs/reference/operation.md). */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anyone, check, choice, email, password, resource, role, service, text } from 'restwell'
import type { Observation } from '../../src/observation.ts'
import { quantileOf } from '../../src/operation/metric-families.ts'
import { createMetrics, sumFigures } from '../../src/operation/metrics.ts'
import { createRecentErrors, mergeErrors } from '../../src/operation/recent-errors.ts'
import type { ErrorFigures, RouteFigures } from '../../src/operation/status-figures.ts'
import { admin, serve } from '../service.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
const users = resource(
  {
    email: email().unique(),
    password: password(),
    role: choice(['admin', 'user']).default('user').writableBy(role('admin')),
  },
  { access: open },
)
const notes = resource({ title: text() }, { access: open })
const accounts = { resource: 'users', login: 'email', password: 'password', roles: 'role' } as const

/** Its check fails with the title in the message. */
const failing = service(
  { title: 'Notes', accounts, resources: { users, notes } },
  {
    notes: {
      checks: [
        check('title', 'm', ({ title }) => {
          if (title.startsWith('secret')) throw new TypeError(`no ${title}`)
          return true
        }),
      ],
    },
  },
)

const page = { ...admin, accept: 'text/html' }

test('/status has the requests, errors and latency of each route, and the last errors', async () => {
  await using running = await serve(failing)
  const { request } = running
  await request('POST /notes', {}, { title: 'first' })
  await request('POST /notes', {}, { wrong: 1 })
  const failed = await request('POST /notes', {}, { title: 'secret-word' })
  assert.equal(failed.status, 500)
  await request('GET /notes?title=secret-word')
  const { json, text: octets } = await request('GET /status', admin)

  const of = (method: string, route: string) =>
    json.routes.find((one: RouteFigures) => one.method === method && one.route === route)
  const { mean, median, slowest, ...counts } = of('POST', '/notes')
  assert.deepEqual(counts, { method: 'POST', route: '/notes', requests: 3, refused: 1, errors: 1 })
  assert.ok(mean > 0 && median > 0 && slowest >= median, JSON.stringify({ mean, median, slowest }))
  assert.equal(of('GET', '/notes').requests, 1)
  assert.deepEqual(json.routes[0].route, '/notes')

  const [error, ...others] = json.recentErrors as readonly ErrorFigures[]
  assert.deepEqual(others, [])
  const { at, ...rest } = error as ErrorFigures
  assert.match(at, /^\d{4}-.*Z$/)
  assert.deepEqual(rest, {
    request: failed.fields['request-id'],
    method: 'POST',
    route: '/notes',
    status: 500,
    decision: 'performMethod',
    summary: 'notes.checks[0] failed',
  })
  assert.doesNotMatch(octets, /secret-word/)

  const shown = await request('GET /status', page)
  assert.match(shown.text, /<th scope="row"><code>POST \/notes<\/code><\/th><td class="number">3<\/td>/)
  assert.ok(shown.text.includes(`<td><code>${failed.fields['request-id']}</code></td>`))
  assert.doesNotMatch(shown.text, /secret-word/)
})

test('without errors the page says so', async () => {
  await using running = await serve(failing)
  const { text: shown } = await running.request('GET /status', page)
  assert.match(shown, /No errors since the start\./)
})

const answered = (request: string, status: number): Observation => ({
  kind: 'request',
  request,
  method: 'GET',
  route: '/notes',
  status,
  milliseconds: 3,
  ...(status === 503 && { problem: 'unavailable' }),
})

describe('the last errors', () => {
  const record = (observations: readonly Observation[], time = 0) => {
    const errors = createRecentErrors(() => time)
    for (const observation of observations) errors.observe(observation)
    return errors.read()
  }
  test('are bounded for each status, so that an overload displaces no other error', () => {
    const overload = Array.from({ length: 200 }, (_, at) => answered(`busy-${at}`, 503))
    const errors = record([answered('lost', 500), ...overload])
    assert.equal(errors.length, 21)
    assert.equal(errors[0]?.request, 'busy-199')
    assert.equal(errors.at(-1)?.request, 'lost')
    assert.equal(errors[0]?.summary, 'Unavailable')
  })
  test('are server errors only (RFC 9110 §15.6)', () => {
    const statuses = [200, 304, 404, 422, 500, 501, 503, 505, 507]
    const errors = record(statuses.map((status) => answered(`r${status}`, status)))
    assert.deepEqual(
      errors.map(({ status }) => status),
      [507, 503, 500],
    )
  })
  test('name the class of a bug, never its message', () => {
    const cause = new RangeError('password=hunter2')
    const odd = Object.assign(new Error('x'), { name: 'token=hunter2' })
    const errors = record([
      { kind: 'bug', request: 'r1', cause },
      answered('r1', 500),
      { kind: 'bug', request: 'r2', cause: odd },
      { kind: 'bug', request: 'r3', cause: 'hunter2' },
    ])
    assert.deepEqual(
      errors.map(({ request, status, summary }) => [request, status, summary]),
      [
        ['r3', null, 'Unexpected error'],
        ['r2', null, 'Unexpected error'],
        ['r1', 500, 'Unexpected RangeError'],
      ],
    )
  })
  test('of several processes are the newest of all', () => {
    const merged = mergeErrors([record([answered('old', 500)], 1000), record([answered('new', 500)], 2000)])
    assert.deepEqual(
      merged.map(({ request }) => request),
      ['new', 'old'],
    )
    const metrics = createMetrics()
    metrics.observe(answered('one', 500))
    const figures = metrics.read({ inFlight: 0 })
    metrics.close()
    assert.equal(sumFigures([figures, sumFigures([])]).recentErrors.length, 1)
  })
})

test('a quantile is estimated within its bucket, and the last bound is the largest estimate', () => {
  const buckets = [1, 2, 4]
  assert.equal(quantileOf([0, 10, 0, 0], buckets, 0.5), 1.5)
  assert.equal(quantileOf([5, 0, 5, 0], buckets, 0.99), 3.96)
  assert.equal(quantileOf([0, 0, 0, 7], buckets, 0.5), 4)
})
