/** Representations in an older version of the interface: items, lists, HAL, sub-collections, history. */

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { admin, type Reply, serve, type TestService } from '../service.ts'
import { present } from './tracker.ts'

const asV1 = { accept: 'application/x.tracker.v1+json' }

describe('an older version', () => {
  let s: TestService
  let task: string
  let project: string

  before(async () => {
    s = await serve(present)
    project = (await s.request('POST /projects', {}, { title: 'House' })).json.id
    const made = await s.request('POST /tasks', admin, {
      title: 'Paint',
      deadline: '2027-03-01',
      firstName: 'Ada',
      lastName: 'Lovelace',
      progress: 'doing',
      place: '3,4',
      estimate: 5,
      note: 'hidden',
      project,
    })
    assert.equal(made.status, 201, made.text)
    task = made.json.id
    for (const deadline of ['2027-01-01', '2027-02-01']) {
      await s.request('POST /tasks', {}, { title: `Due ${deadline}`, deadline, firstName: 'Ben' })
    }
  })
  after(() => s[Symbol.asyncDispose]())

  const old = () => ({
    id: task,
    title: 'Paint',
    due: '2027-03-01',
    assignee: 'Ada Lovelace',
    done: false,
    x: 3,
    y: 4,
    archived: false,
    owner: project,
  })
  const shape = ({ createdAt: _, updatedAt: __, ...members }: Record<string, unknown>) => members

  it('is negotiated by its media type', async () => {
    const reply = await s.request(`GET /tasks/${task}`, asV1)
    assert.equal(reply.status, 200, reply.text)
    assert.equal(reply.fields['content-type'], 'application/x.tracker.v1+json')
    assert.deepEqual(shape(reply.json), old())
    assert.equal(reply.fields['content-location'], `/tasks/${task}?api-version=v1`)
    assert.match(String(reply.fields.vary), /(^|, )Accept(,|$)/)
  })

  it('is chosen by api-version, in the media type that the client accepts', async () => {
    const types = {
      '*/*': 'application/x.tracker.v1+json',
      'application/json': 'application/json',
      'application/x.tracker.v1+json, application/json;q=0.5': 'application/x.tracker.v1+json',
    }
    for (const [accept, type] of Object.entries(types)) {
      const reply = await s.request(`GET /tasks/${task}?api-version=v1`, { accept })
      assert.equal(reply.fields['content-type'], type)
      assert.deepEqual(shape(reply.json), old())
      assert.equal(reply.fields['content-location'], `/tasks/${task}?api-version=v1`)
    }
    const xml = await s.request(`GET /tasks/${task}?api-version=v1`, { accept: 'application/xml' })
    assert.equal(xml.status, 406)
    assert.match(
      xml.text,
      /Accept one of: application\/x.tracker.v1\+json, application\/json, application\/hal\+json/,
    )
  })

  it('is named by a 406 of the present version (§15.5.7)', async () => {
    for (const path of ['/tasks', `/tasks/${task}`]) {
      const reply = await s.request(`GET ${path}`, { accept: 'image/png' })
      assert.ok(reply.json.offered.includes('application/x.tracker.v1+json'), reply.text)
      assert.match(reply.json.detail, /application\/x\.tracker\.v1\+json/)
    }
    const script = await s.request('GET /client.js', { accept: 'image/png' })
    assert.doesNotMatch(script.text, /tracker\.v1/)
  })

  it('is the present one unless the client prefers another', async () => {
    for (const accept of ['*/*', 'application/json, application/x.tracker.v1+json;q=0.9']) {
      const reply = await s.request(`GET /tasks/${task}`, { accept })
      assert.equal(reply.json.deadline, '2027-03-01')
      assert.equal(reply.fields.deprecation, undefined)
    }
  })

  it('400 for an unknown version, for two versions and for a repeated parameter', async () => {
    const refused = async (line: string, fields = {}) => {
      const reply = await s.request(line, fields)
      assert.equal(reply.status, 400, reply.text)
      return reply.json.detail as string
    }
    assert.match(await refused('GET /tasks?api-version=v9'), /must be one of: v1, v2/)
    assert.match(await refused('GET /tasks?api-version='), /must be one of: v1, v2/)
    assert.match(await refused('GET /tasks?api-version=v2', asV1), /v2 and v1/)
    await refused('GET /tasks?api-version=v1&api-version=v1')
    const json = { 'content-type': 'application/x.tracker.v1+json' }
    assert.match(await refused('POST /tasks?api-version=v2', json), /v2 and v1/)
    assert.match(
      await refused('POST /tasks', { ...json, accept: 'application/x.tracker.v2+json' }),
      /v1 and v2/,
    )
    assert.equal((await s.request('GET /tasks', { accept: 'application/x.tracker.v9+json' })).status, 406)
  })

  it('has Deprecation (RFC 9745), Sunset (RFC 8594) and a link to a page about it', async () => {
    const reply = await s.request(`GET /tasks/${task}`, asV1)
    assert.equal(reply.fields.deprecation, '@1798761600')
    assert.equal(reply.fields.sunset, 'Thu, 01 Jul 2027 00:00:00 GMT')
    const link = links(reply).find(({ rel }) => rel === 'deprecation')
    assert.equal(link?.target, '/docs?api-version=v1')
    const page = await s.request(`GET ${link?.target}`, { accept: 'text/html' })
    assert.equal(page.status, 200)
    assert.match(page.text, /Version v1 is deprecated from <time>2027-01-01<\/time> on/)
    assert.equal((await s.request('GET /tasks?api-version=v2')).fields.deprecation, undefined)
  })

  it('is deprecated where it describes something: not the entry point, health and the catalogue (RFC 9745 §2)', async () => {
    const statusOf = async (target: string) => {
      const { status, fields } = await s.request(`GET ${target}?api-version=v1`)
      assert.equal(status, 200, target)
      return [fields.deprecation, fields.sunset].some((field) => field !== undefined)
    }
    for (const target of ['/', '/health/live', '/health/ready', '/.well-known/api-catalog', '/problems']) {
      assert.equal(await statusOf(target), false, target)
    }
    for (const target of [`/tasks/${task}`, '/tasks', '/openapi.json', '/schemas/tasks', '/events']) {
      assert.equal(await statusOf(target), true, target)
    }
  })

  it('stays in the version that a URI names: Location, links, embedded items (POST, GET and HAL)', async () => {
    await using own = await serve(present)
    const named = /[?&]api-version=v1(?:&|$)/
    const made = await own.request('POST /tasks?api-version=v1', {}, { title: 'Stay', assignee: 'Ada King' })
    assert.equal(made.status, 201, made.text)
    assert.match(String(made.fields.location), named)
    assert.equal((await own.request(`GET ${made.fields.location}`)).json.assignee, 'Ada King')
    for (const { rel, target } of links(made)) assert.match(String(target), named, String(rel))
    const page = await s.request('GET /tasks?limit=1&api-version=v1')
    for (const { rel, target } of links(page)) assert.match(String(target), named, String(rel))
    const hal = { accept: 'application/hal+json' }
    const shown = (await s.request(`GET /tasks/${task}?api-version=v1&embed=owner`, hal)).json
    const { curies: _, ...shownLinks } = shown._links
    const hrefs = Object.values<{ href: string }>(shownLinks).map(({ href }) => href)
    assert.ok(hrefs.length > 2, hrefs.join())
    for (const href of hrefs) assert.match(href, named)
    // A version that a media type names is not in URIs: the client goes on with the media type.
    const byType = await own.request(
      'POST /tasks',
      { ...asV1, 'content-type': asV1.accept },
      { title: 'Stay', assignee: 'Ada' },
    )
    assert.equal(byType.fields.location, `/tasks/${byType.json.id}`)
  })

  it('links the present version as alternate, in its linkset', async () => {
    const uri = `/tasks/${task}`
    const linkset = links(await s.request(`GET ${uri}`, asV1)).find(({ rel }) => rel === 'linkset')?.target
    assert.equal(linkset, `${uri}/-/links?api-version=v1`)
    const [context] = (await s.request(`GET ${linkset}`)).json.linkset
    assert.deepEqual(context.alternate[0], { href: uri, type: 'application/json' })
    const list = links(await s.request('GET /tasks?due[gte]=2027-02-01&sort=-due&limit=1&api-version=v1'))
    assert.match(
      list.find(({ rel }) => rel === 'describedby')?.target ?? '',
      /^\/schemas\/tasks\?api-version=v1$/,
    )
  })

  it('has entity tags of its own, which are stable and make 304', async () => {
    const uris = [`/tasks/${task}`, '/tasks', '/tasks?limit=1', `/projects/${project}/tasks`]
    for (const uri of uris) {
      const [now, then] = [await s.request(`GET ${uri}`), await s.request(`GET ${uri}`, asV1)]
      assert.notEqual(now.fields.etag, then.fields.etag)
      const again = { ...asV1, 'if-none-match': String(then.fields.etag) }
      const reply = await s.request(`GET ${uri}`, again)
      assert.equal(reply.status, 304, uri)
      assert.equal(reply.fields.etag, then.fields.etag)
      assert.equal(reply.fields['content-location'], then.fields['content-location'])
      const other = await s.request(`GET ${uri}`, { ...asV1, 'if-none-match': String(now.fields.etag) })
      assert.equal(other.status, 200, uri)
    }
  })

  it('shows lists, sub-collections, QUERY and HAL in its shape', async () => {
    const list = await s.request('GET /tasks?sort=due', asV1)
    assert.deepEqual(
      list.json.map((one: { due: string }) => one.due),
      ['2027-01-01', '2027-02-01', '2027-03-01'],
    )
    const below = await s.request(`GET /projects/${project}/tasks`, asV1)
    assert.deepEqual(below.json.map(shape), [old()])
    const query = await s.request('QUERY /tasks?api-version=v1', {}, { any: [{ due: '2027-03-01' }] })
    assert.deepEqual(query.json.map(shape), [old()])
    const flat = await s.request('QUERY /tasks', asV1, { due: '2027-03-01' })
    assert.deepEqual(flat.json.map(shape), [old()])
    const hal = await s.request(`GET /tasks/${task}?api-version=v1&embed=owner`, {
      accept: 'application/hal+json',
    })
    const { _links, _embedded, ...members } = hal.json
    assert.deepEqual(shape(members), old())
    assert.equal(_links['rw:owner'].href, `/projects/${project}?api-version=v1`)
    assert.equal(_embedded['rw:owner'].title, 'House')
    assert.equal(hal.fields['content-location'], `/tasks/${task}?embed=owner&api-version=v1&format=hal`)
    const embedded = await s.request(`GET /projects/${project}?embed=tasks`, asV1)
    assert.deepEqual(embedded.json._embedded.tasks.map(shape), [old()])
  })

  it('has links of HAL in its names: the schema, and a search that works', async () => {
    const { _links, _embedded } = (await s.request('GET /tasks?api-version=v1&format=hal')).json
    assert.equal(_links.describedby.href, '/schemas/tasks?api-version=v1')
    assert.equal(_embedded.item[0]._links.describedby.href, '/schemas/tasks?api-version=v1')
    const [path, variables = ''] = _links.search.href.split('{&')
    assert.equal(path, '/tasks?api-version=v1')
    assert.ok(variables.split(',').includes('due'), variables)
    assert.ok(!variables.split(',').includes('deadline'), variables)
    assert.equal((await s.request(`GET ${path}&due=2027-03-01`)).json.length, 1)
  })

  it('follows the pages of a list with the parameters of the client', async () => {
    const first = await s.request('GET /tasks?sort=due&limit=2&api-version=v1')
    const next = links(first).find(({ rel }) => rel === 'next')?.target ?? ''
    assert.match(next, /sort=due/)
    const second = await s.request(`GET ${next}`)
    assert.deepEqual(second.json.map(shape), [old()])
  })

  it('filters, sorts and groups by renamed and unchanged fields; 400 for other changed names', async () => {
    const count = async (query: string) => (await s.request(`GET /tasks?${query}`, asV1)).json.length
    assert.equal(await count('due=2027-03-01'), 1)
    assert.equal(await count('due[lt]=2027-03-01&title[contains]=Due'), 2)
    assert.equal(await count(`owner=${project}`), 1)
    assert.equal(await count('owner.title=House'), 1)
    assert.equal(await count('q=paint'), 1)
    const groups = await s.request('GET /tasks/-/aggregate?group-by=due.year&aggregate=count', asV1)
    assert.deepEqual(groups.json, [{ 'due.year': '2027', count: 3 }])
    for (const query of [
      'deadline=2027-03-01',
      'progress=open',
      'done=true',
      'assignee=Ada',
      'sort=deadline',
    ]) {
      const reply = await s.request(`GET /tasks?${query}`, asV1)
      assert.equal(reply.status, 400, query)
      assert.doesNotMatch(reply.text, /"known":\[[^\]]*(deadline|progress|firstName)/)
    }
    assert.equal((await s.request('GET /tasks?due=2027-03-01')).status, 400)
  })

  it('shows the chosen fields by its own names', async () => {
    const item = await s.request(`GET /tasks/${task}?fields=due,assignee`, asV1)
    assert.deepEqual(item.json, { id: task, due: '2027-03-01', assignee: 'Ada Lovelace' })
    const list = await s.request('GET /tasks?fields=done&sort=due&limit=1', asV1)
    assert.deepEqual(Object.keys(list.json[0]), ['id', 'done'])
    const whole = await s.request(`GET /tasks/${task}`, asV1)
    assert.notEqual(item.fields.etag, whole.fields.etag)
    for (const fields of ['deadline', 'firstName', 'note', 'nothing']) {
      assert.equal((await s.request(`GET /tasks/${task}?fields=${fields}`, asV1)).status, 400, fields)
    }
    const renamed = await s.request(`GET /tasks/${task}?api-version=v2&fields=due`)
    assert.deepEqual(renamed.json, { id: task, due: '2027-03-01' })
  })

  it('shows the history in its shape', async () => {
    await s.request(`PATCH /tasks/${task}`, {}, { estimate: 6 })
    await s.request(`PATCH /tasks/${task}`, {}, { progress: 'done' })
    const reply = await s.request(`GET /tasks/${task}/history?api-version=v1`)
    assert.equal(reply.status, 200, reply.text)
    const changes = reply.json.map((one: { changes: unknown }) => one.changes)
    assert.deepEqual(changes[0], { done: { from: false, to: true } })
    assert.equal(changes.at(-1).due.to, '2027-03-01')
    assert.equal(changes.length, 2, 'a change that the version cannot show is not in its history')
    const first = await s.request(`GET /tasks/${task}/history/${reply.json.at(-1).version}?api-version=v1`)
    assert.deepEqual(shape(first.json), old())
    await s.request(`PATCH /tasks/${task}`, {}, { progress: 'doing', estimate: 5 })
  })

  it('a document that takes forms takes no JSON in an older version either: 415', async () => {
    for (const body of ['{}', 'null', '"x"', '[["id","1"]]']) {
      const json = { 'content-type': 'application/json' }
      const reply = await s.request('POST /batch/tasks?api-version=v1', json, body)
      assert.deepEqual([reply.status, reply.fields.accept], [415, 'application/x-www-form-urlencoded'], body)
    }
  })
})

function links(reply: Reply) {
  const value = String(reply.fields.link ?? '')
  return [...value.matchAll(/<([^>]*)>((?:; [^,;]+(?:="[^"]*")?)*)/g)].map(([, target = '', rest = '']) => ({
    target,
    ...Object.fromEntries(
      [...rest.matchAll(/; ([a-z]+)="?([^";]*)"?/g)].map(([, name, text]) => [name, text]),
    ),
  })) as { target: string; rel?: string; type?: string }[]
}
