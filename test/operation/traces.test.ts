/** Traces: all spans of a request arrive at a collector, and Trace Context is passed on. */

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Observation } from '../../src/observation.ts'
import { readConfig } from '../../src/operation/configuration/config.ts'
import { OtlpExporter } from '../../src/operation/tracing/otlp-exporter.ts'
import type { RecordedSpan } from '../../src/operation/tracing/span-tracer.ts'
import { folderOf, root, running } from '../commands/command.ts'
import { eventually } from '../eventually.ts'
import { type Receiver, startReceiver } from '../features/webhooks/receiver.ts'
import { reverseProxies } from '../requests/events/reverse-proxy.ts'

const words = JSON.stringify(join(root, 'src/index.ts'))
const definition = `import { anyone, email, password, resource, service, signedIn, text } from ${words}
const access = { read: anyone, create: anyone }
const users = resource({ email: email().unique(), password: password() }, { access: { create: anyone } })
export default service({
  title: 'Notes',
  accounts: { resource: 'users', login: 'email', password: 'password' },
  webhooks: { by: signedIn, networks: ['127.0.0.1'] },
  resources: { users, notes: resource({ title: text() }, { access }) },
}, {
  notes: { after: { created: () => fetch(process.env.TARGET, { method: 'POST', body: '{}' }).then(() => undefined) } },
})
`

const admin = 'admin@example.org:correct horse battery'
const authorization = `Basic ${Buffer.from(admin).toString('base64')}`
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parentId = '00f067aa0ba902b7'

/** A collector, a receiver of webhooks, the target of the hook's fetch, and a service that uses them. */
async function start(t: TestContext, ...flags: readonly string[]) {
  const folder = await folderOf(t)
  await writeFile(join(folder, 'service.ts'), definition)
  const receivers = await Promise.all([startReceiver(), startReceiver(), startReceiver()])
  t.after(() => Promise.all(receivers.map((receiver) => receiver[Symbol.asyncDispose]())))
  const [collector, webhooks, target] = receivers
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=a%20key',
    OTEL_SERVICE_NAME: 'notes',
    RESTWELL_ADMIN: admin,
    DATABASE_URL: 'file:notes.db',
    LOG_LEVEL: 'silent',
    TARGET: target.url,
  }
  const args = ['serve', '--port', '0', '--trust-proxy', '127.0.0.1', ...flags]
  const service = await running(args, { environment, folder })
  const created = await post(`${service.url}/webhooks`, { url: webhooks.url, events: ['notes.created'] })
  assert.equal(created.status, 201, await created.text())
  return { service, collector, webhooks, target }
}

function post(url: string, value: object, fields: Readonly<Record<string, string>> = {}) {
  const headers = { 'content-type': 'application/json', authorization, ...fields }
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(value) })
}

interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: object }[]
}

function spansOf({ received }: Receiver, trace: string): readonly ReceivedSpan[] {
  const all: readonly ReceivedSpan[] = received.flatMap(
    ({ json }) => json.resourceSpans[0].scopeSpans[0].spans,
  )
  return all.filter((span) => span.traceId === trace)
}

/** The spans of the trace, when those with the names have arrived. */
async function waitForSpans(collector: Receiver, trace: string, names: readonly string[]) {
  const spans = await eventually(() => {
    const arrived = spansOf(collector, trace)
    return names.every((name) => arrived.some((span) => span.name === name)) && arrived
  })
  return (name: string) => spans.find((span) => span.name === name) as ReceivedSpan
}

const expected = ['POST /notes', 'authenticate', 'performMethod', 'commitChange', 'write notes']
const background = ['after notes.after.created', 'webhook notes.created']

const [nginx] = reverseProxies

test('a request with traceparent through nginx', { skip: nginx?.reason ?? false }, async (t) => {
  const { service, collector, webhooks, target } = await start(t)
  await using proxy = await nginx!.start(service.port)
  const title = 'a title that is personal'
  const traceparent = `00-${traceId}-${parentId}-01`
  const tracestate = 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE'
  const made = await post(`http://127.0.0.1:${proxy.port}/notes`, { title }, { traceparent, tracestate })
  assert.equal(made.status, 201)
  const span = await waitForSpans(collector, traceId, [...expected, ...background])

  await t.test('its spans form a tree below the span of the client', () => {
    const request = span('POST /notes')
    assert.equal(request.parentSpanId, parentId)
    assert.equal(request.kind, 2)
    assert.ok(BigInt(request.endTimeUnixNano) >= BigInt(request.startTimeUnixNano))
    for (const name of ['authenticate', 'performMethod', 'commitChange', ...background]) {
      assert.equal(span(name).parentSpanId, request.spanId, name)
    }
    assert.equal(span('write notes').parentSpanId, span('commitChange').spanId)
    const attributes = Object.fromEntries(request.attributes.map(({ key, value }) => [key, value]))
    assert.deepEqual(attributes['http.response.status_code'], { intValue: '201' })
    assert.deepEqual(attributes['http.route'], { stringValue: '/notes' })
  })

  await t.test('webhooks and fetch of hooks send traceparent and tracestate', async () => {
    await Promise.all([webhooks.reached(1), target.reached(1)])
    const sent = `00-${traceId}-${span('webhook notes.created').spanId}-01`
    assert.equal(webhooks.received[0]?.headers.traceparent, sent)
    const fetched = `00-${traceId}-${span('after notes.after.created').spanId}-01`
    assert.equal(target.received[0]?.headers.traceparent, fetched)
    for (const { received } of [webhooks, target]) assert.equal(received[0]?.headers.tracestate, tracestate)
  })

  await t.test('the collector gets the configured field, and no content, login, password or token', () => {
    assert.equal(collector.received[0]?.headers['x-collector-key'], 'a key')
    const texts = collector.received.map(({ text }) => text).join('\n')
    assert.match(texts, /"service.name","value":\{"stringValue":"notes"\}/)
    for (const secret of [title, 'admin@example.org', 'correct horse', authorization, webhooks.url]) {
      assert.ok(!texts.includes(secret), secret)
    }
  })

  await t.test('a trace that is not sampled has no spans, and is passed on', async () => {
    const unsampled = '0af7651916cd43dd8448eb211c80319c'
    await post(`${service.url}/notes`, { title }, { traceparent: `00-${unsampled}-${parentId}-00` })
    await Promise.all([webhooks.reached(2), target.reached(2)])
    assert.match(String(webhooks.received[1]?.headers.traceparent), new RegExp(`^00-${unsampled}-.{16}-00$`))
    assert.deepEqual(spansOf(collector, unsampled), [])
  })

  await t.test('without a valid traceparent the trace has the id of the request', async () => {
    for (const value of [
      undefined,
      `00-${traceId}-${parentId}-01-more`,
      `00-${'0'.repeat(32)}-${parentId}-01`,
    ]) {
      const fields = value === undefined ? {} : { traceparent: value }
      const response = await fetch(`${service.url}/notes`, { headers: fields })
      const id = String(response.headers.get('request-id')).replaceAll('-', '')
      const found = await waitForSpans(collector, id, ['GET /notes', 'loadCurrentState'])
      assert.equal(found('GET /notes').parentSpanId, undefined)
    }
  })

  await t.test('spans that are not sent yet are sent at the stop', async () => {
    const response = await fetch(`${service.url}/health/ready`)
    const id = String(response.headers.get('request-id')).replaceAll('-', '')
    assert.equal(await service.stop(), 0)
    assert.ok(spansOf(collector, id).length > 0)
  })
})

test('with two workers the spans of a request are in one trace', async (t) => {
  const { service, collector } = await start(t, '--workers', '2')
  await post(`${service.url}/notes`, { title: 'x' }, { traceparent: `00-${traceId}-${parentId}-01` })
  await waitForSpans(collector, traceId, [...expected, ...background])
  assert.equal(await service.stop(), 0)
})

test('without a collector no module for traces is loaded', async (t) => {
  const folder = await folderOf(t)
  await writeFile(join(folder, 'service.ts'), definition)
  const hook = `import { registerHooks } from 'node:module'
registerHooks({ load(url, context, next) { if (/tracing[/-]/.test(url)) process.stderr.write('loaded ' + url + '\\n'); return next(url, context) } })`
  const base = {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}`,
    DATABASE_URL: 'file:notes.db',
    RESTWELL_ADMIN: admin,
    LOG_LEVEL: 'silent',
  }
  for (const [more, pattern] of [
    [{}, /^$/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }, /loaded .*tracing/],
  ] as const) {
    const service = await running(['serve', '--port', '0'], { environment: { ...base, ...more }, folder })
    assert.equal((await fetch(`${service.url}/notes`)).status, 200, 'also while the collector is gone')
    assert.equal(await service.stop(), 0)
    assert.match(await service.stderr, pattern)
  }
})

test('spans that do not fit into the queue are dropped and counted', async () => {
  const observations: Observation[] = []
  const exporter = new OtlpExporter({
    endpoint: 'http://127.0.0.1:1',
    fields: {},
    resource: {},
    observe: (observation) => void observations.push(observation),
  })
  const span: RecordedSpan = {
    traceId,
    spanId: parentId,
    parentSpanId: undefined,
    name: 'x',
    kind: 'internal',
    start: 0,
    end: 1,
    attributes: {},
    isError: false,
  }
  for (let count = 0; count < 10_005; count += 1) exporter.add(span)
  await exporter.close()
  assert.deepEqual(
    observations.filter(({ kind }) => kind === 'spans-dropped'),
    [{ kind: 'spans-dropped', count: 5 }],
  )
  assert.ok(observations.some((one) => one.kind === 'task-failed' && one.task === 'traces'))
})

test('faults of the configuration are named, without the key of the collector', () => {
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318',
    OTEL_EXPORTER_OTLP_HEADERS: 'a secret',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '2',
  }
  assert.throws(
    () => readConfig([], environment),
    ({ message }) => {
      assert.match(message, /ENDPOINT must be a URL such as .*, not 'localhost:4318'/)
      assert.match(message, /SAMPLER_ARG must be from 0 to 1, not '2'/)
      assert.match(message, /HEADERS must be 'name=value'/)
      return !message.includes('a secret')
    },
  )
  const sampled = readConfig([], {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
  }).tracing
  assert.deepEqual([sampled?.ratio, sampled?.followsParent], [0.25, false])
})
