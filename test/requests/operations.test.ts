/**
 * The table of operations says every status that a request can get: each of them has an exchange, in the recording or
 * here, and the recording has no other.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redirectionsOf, refusalsOf } from '../../src/requests/context/operation-statuses.ts'
import { type OperationFacts, operations } from '../../src/requests/context/operations.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { admin, type Reply } from '../service.ts'
import { type Atlas, auditor, beginUpload, openAtlas, type Sample } from './operation-samples.ts'
import { recordedStatuses } from './recorded-statuses.ts'

/** Of every request, whatever its target: redirections of forms, formats, faults of the service. */
const general: ReadonlySet<number> = new Set([303, 406, 500, 503])

/** The kinds whose URI begins with that of an item. */
const belowItems = [
  ...[
    'item',
    'subCollection',
    'element',
    'action',
    'result',
    'job',
    'query',
    'ownAction',
    'file',
    'fileList',
  ],
  ...['itemLinks', 'collectionLinks', 'collectionEvents', 'aggregate'],
]
const named = [...belowItems, 'document', 'postedDocument', 'selection', 'upload']

const rows = Object.entries(operations).flatMap(([kind, methods]) =>
  Object.entries(methods as Readonly<Record<string, OperationFacts>>).map(([method, facts]) => ({
    name: `${kind} ${method}`,
    kind,
    method,
    facts,
    statuses: statusesOf(kind, method, facts),
  })),
)

function statusesOf(kind: string, method: string, facts: OperationFacts): ReadonlySet<number> {
  // Built-in tables have neither keys nor tombstones.
  const hasKey = belowItems.includes(kind) && kind !== 'ownAction'
  return new Set([
    ...Object.keys(facts.gives).map(Number),
    ...redirectionsOf(facts, hasKey),
    ...refusalsOf(method, facts, {
      callers: [401, 403],
      isNamed: named.includes(kind),
      hasTombstones: hasKey,
      requiresConditions: true,
    }),
  ])
}

test('the recording has no status that the table lacks', () => {
  const known = new Map(rows.map(({ name, statuses }) => [name, statuses]))
  const recorded = recordedStatuses()
  const unknown = recorded.filter(
    ({ operation, status }) => !known.get(operation)?.has(status) && !general.has(status),
  )
  assert.deepEqual(unknown, [])
  assert.ok(recorded.length > 3000, String(recorded.length))
})

test('each status of each operation has an exchange', async () => {
  await using atlas = await openAtlas()
  await using limited = await openAtlas({ rate: 100 })
  const seen = new Set(recordedStatuses().map(({ operation, status }) => `${operation} ${status}`))
  const wrong: string[] = []
  for (const { name, kind, method, statuses } of rows) {
    for (const status of [...statuses].filter((one) => !seen.has(`${name} ${one}`))) {
      const place = status === 429 ? limited : atlas
      const rows: Readonly<Record<string, Sample>> = place.samples[kind as keyof typeof operations]
      const reply = await provoke(place, { method, name, sample: rows[method]! }, status)
      if (reply?.status !== status)
        wrong.push(`${name} ${status}: ${reply?.status} ${reply?.text.slice(0, 200)}`)
    }
  }
  assert.deepEqual(wrong, [])
})

interface Sent {
  readonly method: string
  readonly name: string
  readonly sample: Sample
}

type Provoke = (atlas: Atlas, sent: Sent) => Promise<Reply>

function provoke(atlas: Atlas, sent: Sent, status: number): Promise<Reply> | undefined {
  return (special[`${sent.name} ${status}`] ?? provocations[status])?.(atlas, sent)
}

/** Sends the sample with these changes. */
function send({ s }: Atlas, { method, sample }: Sent, changes: Partial<Sample> = {}): Promise<Reply> {
  const { uri, fields, body } = { ...sample, ...changes }
  return s.request(`${method} ${uri}`, { ...admin, ...fields }, body)
}

/** The status that follows from a change of the request, for every operation. */
const provocations: Readonly<Record<number, Provoke>> = {
  200: (atlas, sent) => send(atlas, sent),
  204: (atlas, sent) => send(atlas, sent, withFields(sent, { prefer: 'return=minimal' })),
  206: (atlas, sent) => send(atlas, sent, withFields(sent, { range: 'bytes=0-1' })),
  301: (atlas, sent) => send(atlas, sent, { uri: sent.sample.uri.replace('/one', '/old') }),
  async 304(atlas, sent) {
    const { fields } = await send(atlas, sent)
    return send(atlas, sent, withFields(sent, { 'if-none-match': String(fields.etag) }))
  },
  400: (atlas, sent) => send(atlas, sent, withFields(sent, { host: 'a b' })),
  401: (atlas, sent) => send(atlas, sent, withFields(sent, { authorization: 'Bearer none' })),
  403: (atlas, sent) => send(atlas, sent, withFields(sent, auditor)),
  404: (atlas, sent) => send(atlas, sent, { uri: sent.sample.uri.replace(/^\/(\w+)\/[^/]+/, '/$1/absent') }),
  409: withKeyInUse,
  410: (atlas, sent) => send(atlas, sent, { uri: sent.sample.uri.replace('/one', '/gone') }),
  412: (atlas, sent) => send(atlas, sent, withFields(sent, { 'if-match': '"none"' })),
  413: (atlas, sent) =>
    send(atlas, sent, { ...withFields(sent, typeOf(sent.sample)), body: 'x'.repeat(1_100_000) }),
  416: (atlas, sent) => send(atlas, sent, withFields(sent, { range: 'bytes=99-' })),
  415: (atlas, sent) =>
    send(atlas, sent, { ...withFields(sent, { 'content-type': 'image/x-none' }), body: 'x' }),
  422: (atlas, sent) => send(atlas, sent, { body: sent.sample.invalid }),
  async 428(atlas, sent) {
    const { 'if-match': _, ...fields } = sent.sample.fields ?? {}
    return send(atlas, sent, { fields })
  },
  async 429(atlas, sent) {
    for (;;) {
      const reply = await send(atlas, sent)
      if (reply.status === 429) return reply
    }
  },
  507: (atlas, sent) => withFullDisk(atlas, () => send(atlas, sent)),
}

function withFields({ sample }: Sent, fields: Readonly<Record<string, string>>): Pick<Sample, 'fields'> {
  return { fields: { ...sample.fields, ...fields } }
}

function typeOf({ fields }: Sample): Readonly<Record<string, string>> {
  return { 'content-type': fields?.['content-type'] ?? 'application/json' }
}

async function withFullDisk({ s }: Atlas, work: () => Promise<Reply>): Promise<Reply> {
  const { store } = s.service
  const { write } = store
  store.write = () => {
    throw new StoreUnavailable('full', 'SQLITE_FULL')
  }
  try {
    return await work()
  } finally {
    store.write = write
  }
}

/** A request with the key of another one, which is not complete. */
async function withKeyInUse(atlas: Atlas, sent: Sent): Promise<Reply> {
  const { store } = atlas.s.service
  const { findStoredResponse } = store
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  store.findStoredResponse = async (...given) => {
    reached.resolve()
    await released.promise
    return findStoredResponse.apply(store, given)
  }
  const keyed = withFields(sent, { 'idempotency-key': '"k"', ...typeOf(sent.sample) })
  const first = send(atlas, sent, keyed)
  try {
    await reached.promise
    return await send(atlas, sent, keyed)
  } finally {
    released.resolve()
    await first
    store.findStoredResponse = findStoredResponse
  }
}

/** The statuses that need a state or a target of their own. */
const special: Readonly<Record<string, Provoke>> = {
  // A PUT to a deleted item creates it, unless only existing items can be replaced.
  'item PUT 410': (atlas, sent) => send(atlas, sent, { uri: '/labels/gone', fields: {}, body: {} }),
  'item PUT 204': minimalDryRun,
  'collection POST 204': minimalDryRun,
  'subCollection POST 200': (atlas, sent) => send(atlas, sent, { uri: `${sent.sample.uri}?dry-run=true` }),
  'subCollection POST 202': ({ s }) =>
    s.request('POST /labels/red/people', {}, { email: 'new@example.org', password: 'correct horse' }),
  'subCollection POST 204': minimalDryRun,
  async 'element PUT 422'(atlas, sent) {
    await send(atlas, sent)
    return send(atlas, sent, { uri: sent.sample.uri.replace('red', 'blue') })
  },
  'action POST 303': (atlas, sent) => send(atlas, sent, { body: { reason: 'elsewhere' } }),
  'result POST 201': (atlas, sent) => send(atlas, sent, { body: { unit: 'notes' } }),
  'madeFile POST 201': (atlas, sent) => send(atlas, sent, { body: { how: 'in notes' } }),
  'madeFile POST 303': (atlas, sent) => send(atlas, sent, { body: { how: 'elsewhere' } }),
  'result POST 303': (atlas, sent) => send(atlas, sent, { body: { unit: 'elsewhere' } }),
  'job POST 200': (atlas, sent) => send(atlas, sent, withFields(sent, { prefer: 'wait=20' })),
  'job POST 204': (atlas, sent) => send(atlas, sent, withFields(sent, { prefer: 'wait=20, return=minimal' })),
  'ownAction POST 204': (atlas, sent) =>
    send(atlas, sent, { uri: `${sent.sample.uri.replace('rotate', 'ping')}?dry-run=true` }),
  // The content is no image.
  'file PUT 422': (atlas, sent) => send(atlas, sent, withFields(sent, { 'content-type': 'image/png' })),
  'fileList POST 204': minimalDryRun,
  'postedDocument HEAD 404': (atlas, sent) => send(atlas, sent, { uri: '/verifications/absent' }),
  async 'upload PATCH 412'(atlas, sent) {
    const uri = await begin(atlas, 'PUT /notes/one/cover', { 'if-match': '*' })
    await atlas.s.request('DELETE /notes/one/cover', { ...admin, 'if-match': '*' })
    return send(atlas, sent, { uri })
  },
  async 'upload PATCH 413'(atlas, sent) {
    const uri = await begin(atlas, 'POST /notes/one/pages')
    return send(atlas, sent, { uri, body: 'x'.repeat(2000) })
  },
  async 'upload PATCH 422'(atlas, sent) {
    const uri = await begin(atlas, 'POST /notes/one/pages', { 'content-type': 'image/png' })
    return send(atlas, sent, { uri })
  },
  async 'upload PATCH 507'(atlas, sent) {
    const uri = await begin(atlas, 'POST /notes/one/pages')
    return withFullDisk(atlas, () => send(atlas, sent, { uri }))
  },
}

/** The path of a new upload. */
async function begin({ s }: Atlas, line: string, fields: Readonly<Record<string, string>> = {}) {
  const begun = await s.request(line, { ...admin, ...beginUpload, ...fields })
  assert.equal(begun.status, 201, begun.text)
  return new URL(String(begun.fields.location), s.url).pathname
}

function minimalDryRun(atlas: Atlas, sent: Sent): Promise<Reply> {
  const uri = `${sent.sample.uri}?dry-run=true`
  return send(atlas, sent, { ...withFields(sent, { prefer: 'return=minimal' }), uri })
}
