/** Metrics: access, counters, and bounded labels (docs/reference/http/limits.md, Operation). */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anyone, resource, service, text } from 'restwell'
import type { Observation } from '../../src/observation.ts'
import {
  countAt,
  distributionAt,
  formatCounter,
  formatHistogram,
  observeValue,
} from '../../src/operation/metric-families.ts'
import { createMetrics, formatFigures } from '../../src/operation/metrics.ts'
import { admin, basic, serve, type TestService } from '../service.ts'
import { books } from './books.ts'

/** The samples by name and labels. */
function samplesOf(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const parts = /^([a-z_:]+(?:\{.*\})?) (\S+)$/.exec(line)
      assert.ok(parts, `no sample: ${line}`)
      return [parts[1] as string, Number(parts[2])]
    }),
  )
}

async function read({ request }: TestService): Promise<Map<string, number>> {
  const response = await request('GET /metrics', admin)
  assert.equal(response.status, 200, response.text)
  return samplesOf(response.text)
}

describe('who may read them', () => {
  test('only the admin: 401 to anonymous callers, 403 to other accounts', async () => {
    await using service = await serve(books)
    assert.equal((await service.request('GET /metrics')).status, 401)
    await service.request('POST /users', {}, { email: 'ada@example.org', password: 'long enough' })
    const member = basic('ada@example.org', 'long enough')
    assert.equal((await service.request('GET /metrics', member)).status, 403)
    const response = await service.request('GET /metrics', admin)
    assert.equal(response.status, 200)
    assert.equal(response.fields['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
    assert.match(String(response.fields['cache-control']), /private/)
  })
  test('403 in a service without accounts, also from loopback', async () => {
    const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
    const notes = resource({ title: text() }, { access })
    await using running = await serve(service({ title: 'Notes', resources: { notes } }))
    const response = await running.request('GET /metrics')
    assert.equal(response.status, 403)
    assert.match(response.json.detail, /no accounts/)
  })
  test('the Accept of Prometheus is understood; other types are 406', async () => {
    await using service = await serve(books)
    const accept = 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1'
    assert.equal((await service.request('GET /metrics', { ...admin, accept })).status, 200)
    const image = { ...admin, accept: 'image/png' }
    assert.equal((await service.request('GET /metrics', image)).status, 406)
    assert.equal((await service.request('POST /metrics', admin)).status, 405)
  })
})

describe('what they count', () => {
  test('each request under its route, method and class of status', async () => {
    await using service = await serve(books)
    const { json: book } = await service.request('POST /books', {}, { title: 'A' })
    await service.request(`GET /books/${book.id}`)
    await service.request(`GET /books/${book.id}`)
    await service.request('GET /books/none')
    const samples = await read(service)
    const count = (labels: string) => samples.get(`http_requests_total{${labels}}`)
    assert.equal(count('method="POST",route="/books",status="2xx"'), 1)
    assert.equal(count('method="GET",route="/books/{id}",status="2xx"'), 2)
    assert.equal(count('method="GET",route="/books/{id}",status="4xx"'), 1)
    const duration = 'http_request_duration_seconds'
    const labels = 'method="GET",route="/books/{id}"'
    assert.equal(samples.get(`${duration}_count{${labels}}`), 3)
    assert.equal(samples.get(`${duration}_bucket{${labels},le="+Inf"}`), 3)
    assert.equal(samples.get('http_requests_in_flight'), 1, 'this very request')
    assert.equal(samples.get('restwell_refusals_total{decision="requireItemAccess"}'), 1)
    for (const name of ['process_resident_memory_bytes', 'process_cpu_seconds_total']) {
      assert.ok((samples.get(name) ?? 0) > 0, name)
    }
  })
  test('bugs, unavailability and restarts of the writer by kind', () => {
    const metrics = createMetrics()
    const cause = new Error('x')
    metrics.observe({ kind: 'bug', request: 'r', cause })
    metrics.observe({ kind: 'bug', request: 'r', cause })
    metrics.observe({ kind: 'writer-restarted', cause })
    const samples = samplesOf(
      formatFigures(metrics.read({ inFlight: 0 }), {
        log: null,
        logRetention: 1,
        deliveries: null,
        after: null,
        jobs: null,
        freeSpace: null,
        backups: null,
      }),
    )
    metrics.close()
    assert.equal(samples.get('restwell_observations_total{kind="bug"}'), 2)
    assert.equal(samples.get('restwell_observations_total{kind="writer-restarted"}'), 1)
  })
  test('clients cannot create labels: unknown paths, ids and methods share one', async () => {
    await using service = await serve(books)
    const before = (await read(service)).size
    await service.request('GET /nowhere')
    await service.request('GET /books/1')
    await service.request('GET /books/1?x=1')
    const once = (await read(service)).size
    for (let n = 0; n < 50; n += 1) {
      await service.request(`GET /nowhere-${n}`)
      await service.request(`GET /books/${n}?x=${n}`)
    }
    const after = (await read(service)).size
    assert.ok(once > before)
    assert.equal(after, once)
    const metrics = createMetrics()
    for (const method of ['EVIL1', 'EVIL2']) metrics.observe(odd(method))
    assert.doesNotMatch(
      formatFigures(metrics.read({ inFlight: 0 }), {
        log: null,
        logRetention: 1,
        deliveries: null,
        after: null,
        jobs: null,
        freeSpace: null,
        backups: null,
      }),
      /EVIL/,
    )
    metrics.close()
  })
})

function odd(method: string): Observation {
  return { kind: 'request', request: 'r', method, route: '-', status: 501, milliseconds: 1 }
}

describe('the text format', () => {
  test('a label value escapes backslash, quote and line feed', () => {
    const counts = new Map()
    countAt(counts, ['back\\slash "quoted"\nline']).count += 1
    const text = formatCounter({ name: 'x_total', help: 'X.', labels: ['a'] }, counts)
    const sample = 'x_total{a="back\\\\slash \\"quoted\\"\\nline"} 1'
    assert.equal(text, `# HELP x_total X.\n# TYPE x_total counter\n${sample}\n`)
  })
  test('buckets are cumulative, and a value on a bound falls into it', () => {
    const family = { name: 'x', help: 'X.', labels: [], buckets: [1, 2] }
    const distributions = new Map()
    const one = distributionAt(distributions, [], family)
    for (const value of [0.5, 1, 1.5, 2, 3]) observeValue(one, family, value)
    const samples = [
      'x_bucket{le="1"} 2',
      'x_bucket{le="2"} 4',
      'x_bucket{le="+Inf"} 5',
      'x_sum 8',
      'x_count 5',
    ]
    const text = formatHistogram(family, distributions)
    assert.equal(text, ['# HELP x X.', '# TYPE x histogram', ...samples, ''].join('\n'))
  })
})

describe('health (docs/reference/http/limits.md, Operation)', () => {
  test('live is 200 while the database is unreachable', async () => {
    await using service = await serve(books)
    await service.service.store.close()
    assert.equal((await service.request('GET /health/live')).status, 200)
    assert.equal((await service.request('GET /health/ready')).status, 503)
  })
  test('ready is 503 with Retry-After once the service retires, and requests are still handled', async () => {
    await using service = await serve(books)
    assert.equal((await service.request('GET /health/ready')).status, 200)
    service.service.retire('The service is stopping.')
    const response = await service.request('GET /health/ready')
    assert.equal(response.status, 503)
    assert.match(String(response.fields['retry-after']), /^[1-9]\d*$/)
    assert.equal((await service.request('GET /books')).status, 200)
  })
})
