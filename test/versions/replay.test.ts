/** Exchanges with the original service, replayed in its version after the definition has changed. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Reply, serve } from '../service.ts'
import { original, present } from './tracker.ts'

/** An exchange whose target and condition may name what an earlier one created. */
interface Exchange {
  readonly method: string
  /** `{n}` is the id of the n-th task that was created, `{p}` of a project. */
  readonly target: string
  readonly fields: Readonly<Record<string, string>>
  readonly body?: unknown
}

test('300 recorded v1 exchanges get the same octets, dates and ids aside', async () => {
  const exchanges = makeExchanges(300)
  const [recorded, replayed] = [
    await play(original, exchanges, ''),
    await play(present, exchanges, 'api-version=v1'),
  ]
  let refused = 0
  for (const [at, exchange] of exchanges.entries()) {
    assert.deepEqual(replayed[at], recorded[at], `${at}: ${JSON.stringify(exchange)}`)
    if (Number(recorded[at]?.status) >= 400) refused += 1
  }
  assert.ok(refused > 30 && refused < 200, `${refused} refusals`)
})

/** What a client compares: the status, the fields that it acts on, and the content. */
interface Recorded {
  readonly status: number
  readonly type: string | undefined
  readonly location: string | undefined
  readonly total: string | undefined
  readonly text: string
}

async function play(
  definition: unknown,
  exchanges: readonly Exchange[],
  parameter: string,
): Promise<Recorded[]> {
  await using s = await serve(definition)
  const names = new Map<string, string>()
  const tasks: string[] = []
  const tags: string[] = []
  const project = await s.request('POST /projects', {}, { title: 'House' })
  names.set(project.json.id, '{p}')
  const recorded: Recorded[] = []
  for (const { method, target, fields, body } of exchanges) {
    const place = (text: string) =>
      text
        .replaceAll('{p}', project.json.id)
        .replaceAll(/\{(\d+)\}/g, (_, at) => tasks[Number(at) % Math.max(1, tasks.length)] ?? 'none')
        .replaceAll(/\{tag(\d+)\}/g, (_, at) => tags[Number(at) % Math.max(1, tags.length)] ?? '"none"')
    const uri = withParameter(place(target), parameter)
    const sent = body === undefined ? undefined : place(JSON.stringify(body))
    const own = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, place(value)]))
    const type = sent === undefined ? {} : { 'content-type': 'application/json' }
    const reply = await s.request(`${method} ${uri}`, { accept: 'application/json', ...type, ...own }, sent)
    if (method === 'POST' && reply.status === 201) {
      names.set(reply.json.id, `{${tasks.length}}`)
      tasks.push(reply.json.id)
    }
    if (method === 'GET' && reply.status === 200 && reply.fields.etag) tags.push(String(reply.fields.etag))
    recorded.push(normalise(reply, names))
  }
  return recorded
}

function withParameter(uri: string, parameter: string): string {
  if (parameter === '') return uri
  return `${uri}${uri.includes('?') ? '&' : '?'}${parameter}`
}

function normalise(reply: Reply, names: ReadonlyMap<string, string>): Recorded {
  const plain = (text: string) =>
    [...names]
      .reduce((one, [id, name]) => one.replaceAll(id, name), text)
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '{time}')
      .replaceAll(/urn:uuid:[0-9a-f-]+/g, '{instance}')
      .replaceAll(/"entityTag":"(?:[^"\\]|\\.)*"/g, '"entityTag":"{tag}"')
      .replaceAll(/"version":"[^"]*"/g, '"version":"{version}"')
      // A request whose URI names the version gets URIs that name it.
      .replaceAll(/[?&]api-version=v1/g, '')
  const field = (name: string) => {
    const value = reply.fields[name]
    return value === undefined ? undefined : plain(String(value))
  }
  return {
    status: reply.status,
    type: field('content-type'),
    location: field('location'),
    total: field('total-count'),
    text: plain(reply.text),
  }
}

/** Reads, writes and mistakes, always the same ones. */
function makeExchanges(count: number): readonly Exchange[] {
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((seed / 2 ** 31) * below)
  }
  const pick = <Value>(values: readonly Value[]): Value => values[random(values.length)] as Value
  const names = ['Ada', 'Ada King', 'Ada King Lovelace', 'Ben Ash']
  const members = () => ({
    ...(random(8) > 0 && { title: pick(['Paint', 'Varnish', 'Sand the floor', 'x'.repeat(51), 5]) }),
    ...(random(2) > 0 && { due: pick(['2027-01-01', '2027-02-15', '2028-03-31', 'soon']) }),
    assignee: pick(names),
    ...(random(2) > 0 && { done: pick([true, false]) }),
    ...(random(2) > 0 && { x: random(100) - 50 }),
    ...(random(2) > 0 && { y: random(100) - 50 }),
    ...(random(4) > 2 && { owner: '{p}' }),
  })
  // A member that the present version does not have is reported alone.
  const mistakes = [
    { title: 'Paint' },
    { title: 'Paint', assignee: 5 },
    { title: 'Paint', assignee: 'Ada', unknown: 1 },
  ]
  const id = () => `{${random(40)}}`
  const lists = [
    '/tasks',
    '/tasks?sort=due&limit=5',
    '/tasks?sort=-due,title',
    '/tasks?due%5Bgte%5D=2027-02-01',
    '/tasks?due%5Bmissing%5D=true&fields=title,due',
    '/tasks?owner={p}&embed=owner&limit=3',
    '/tasks?owner.title=House&limit=2',
    '/tasks?title%5Bcontains%5D=an',
    '/tasks?q=paint',
    '/tasks?fields=assignee,done',
    '/tasks/-/aggregate?group-by=due&aggregate=count',
    '/projects/{p}/tasks?sort=due',
    '/projects/{p}?embed=tasks',
    '/tasks?limit=0',
    '/tasks?sort=nothing',
  ]
  const make = (): Exchange => {
    switch (random(9)) {
      case 0:
      case 1:
        return {
          method: 'POST',
          target: '/tasks',
          fields: {},
          body: pick([members(), members(), ...mistakes]),
        }
      case 2:
        return { method: 'PUT', target: `/tasks/${id()}`, fields: {}, body: members() }
      case 3:
        return {
          method: 'PATCH',
          target: `/tasks/${id()}`,
          fields: pick([{}, {}, { 'if-match': '"none"' }]),
          body: { ...members(), ...(random(5) === 0 && { due: null }) },
        }
      case 4:
        return {
          method: 'PATCH',
          target: `/tasks/${id()}`,
          fields: { 'content-type': 'application/json-patch+json' },
          body: [
            { op: 'test', path: '/title', value: pick(['Paint', 'Varnish']) },
            {
              op: pick(['add', 'replace']),
              path: pick(['/due', '/assignee', '/title']),
              value: '2027-05-05',
            },
          ],
        }
      case 5:
        return {
          method: 'GET',
          target: `/tasks/${id()}`,
          fields: pick([{}, { 'if-none-match': `{tag${random(40)}}` }]),
        }
      case 6:
        return random(3) === 0
          ? { method: 'DELETE', target: `/tasks/${id()}`, fields: {} }
          : { method: 'GET', target: `/tasks/${id()}/history?limit=3`, fields: {} }
      case 7:
        return {
          method: 'QUERY',
          target: '/tasks?sort=due',
          fields: {},
          body: { any: [{ due: '2027-01-01' }, { title: 'Paint' }] },
        }
      default:
        return { method: 'GET', target: pick(lists), fields: pick([{}, { prefer: 'count=exact' }]) }
    }
  }
  const first = Array.from({ length: 10 }, (): Exchange => {
    return {
      method: 'POST',
      target: '/tasks',
      fields: {},
      body: { title: 'Paint', assignee: pick(names), ...{} },
    }
  })
  return [...first, ...Array.from({ length: count - first.length }, make)]
}
