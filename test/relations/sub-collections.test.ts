/** Sub-collections: the items that refer to an item, at /projects/{id}/tasks. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, email, owner, password, ref, resource, service, signedIn, text } from '../../src/index.ts'
import { maskPositions } from '../positions.ts'
import { admin, basic, serve } from '../service.ts'
import { createTasks, member, serveProjects, titles } from './projects.ts'

test('GET lists the items that refer to the parent, and no others', async () => {
  await using running = await serveProjects()
  const { request } = running
  await createTasks(request, 'alpha', ['a1', 'a2'])
  await createTasks(request, 'beta', ['b1'])
  const { status, json, fields } = await request('GET /projects/alpha/tasks')
  assert.deepEqual([status, titles(json)], [200, ['a1', 'a2']])
  assert.deepEqual(titles((await request('GET /projects/beta/tasks')).json), ['b1'])
  assert.match(String(fields.link), /<\/projects\/alpha\/tasks\/-\/links>; rel="linkset"/)
  const [links] = (await request('GET /projects/alpha/tasks/-/links')).json.linkset
  assert.deepEqual([links.anchor, links.up], ['/projects/alpha/tasks', [{ href: '/projects/alpha' }]])
})

test('§9.3.2: HEAD has the fields of GET, in every format', async () => {
  await using running = await serveProjects()
  const { request } = running
  await createTasks(request, 'alpha', ['a1', 'a2'])
  for (const format of ['json', 'hal', 'xml', 'csv', 'ndjson', 'html']) {
    const get = await request(`GET /projects/alpha/tasks?format=${format}`)
    const head = await request(`HEAD /projects/alpha/tasks?format=${format}`)
    const own = ({ date: _, 'request-id': __, 'transfer-encoding': ___, ...fields }: typeof get.fields) => {
      return { ...fields, link: maskPositions(String(fields.link)) }
    }
    assert.equal(get.status, 200, format)
    assert.match(get.text, /a2/, format)
    assert.deepEqual([head.status, own(head.fields), head.text], [200, own(get.fields), ''], format)
  }
})

test('filters, sort, search, selection, embedding, count and pages work as on the collection', async () => {
  await using running = await serveProjects()
  const { request } = running
  await createTasks(request, 'alpha', ['first', 'second', 'third'])
  await createTasks(request, 'beta', ['first'])
  const get = async (query: string) => titles((await request(`GET /projects/alpha/tasks?${query}`)).json)
  assert.deepEqual(await get('title=first'), ['first'])
  assert.deepEqual(await get('sort=-title'), ['third', 'second', 'first'])
  assert.deepEqual(await get('q=sec'), ['second'])
  assert.deepEqual(await get('project=beta'), [])
  const [item] = (await request('GET /projects/alpha/tasks?fields=title&embed=project&limit=1')).json
  assert.deepEqual(Object.keys(item), ['id', 'title', 'project', '_embedded'])
  assert.equal(item._embedded.project.name, 'Project alpha')
  const counted = await request('GET /projects/alpha/tasks?limit=1', { prefer: 'count=exact' })
  assert.deepEqual([counted.fields['total-count'], titles(counted.json)], ['3', ['first']])
  const queried = await request('QUERY /projects/alpha/tasks', {}, { title: { in: ['first', 'third'] } })
  assert.deepEqual([queried.status, titles(queried.json)], [200, ['first', 'third']])
  assert.equal((await request('GET /projects/alpha/tasks?nope=1')).status, 400)
})

test('aggregates are over the items of the sub-collection', async () => {
  await using running = await serveProjects()
  const { request } = running
  await createTasks(request, 'alpha', ['a', 'b'])
  await createTasks(request, 'beta', ['c'])
  await request('POST /projects/alpha/tasks', admin, { title: 'hidden', secret: true })
  const { status, json, fields } = await request('GET /projects/alpha/tasks/-/aggregate?aggregate=count')
  assert.deepEqual([status, json], [200, [{ count: 2 }]])
  assert.match(String(fields.link), /<\/projects\/alpha\/tasks>; rel="collection"/)
  const page = await request('GET /projects/alpha/tasks/-/aggregate?aggregate=count&format=html')
  assert.match(page.text, /<a href="\/projects\/alpha">Project alpha<\/a>/)
})

test('pages lead through the sub-collection, each item once', async () => {
  await using running = await serveProjects()
  const { request } = running
  const names = ['a', 'b', 'c', 'd', 'e']
  await createTasks(request, 'alpha', names)
  await createTasks(request, 'beta', ['x', 'y'])
  const seen: string[] = []
  for (let uri: string | undefined = '/projects/alpha/tasks?limit=2'; uri; ) {
    const { json, fields } = await request(`GET ${uri}`)
    seen.push(...titles(json))
    uri = /<([^>]*)>; rel="next"/.exec(String(fields.link))?.[1]
    if (uri) assert.match(uri, /^\/projects\/alpha\/tasks\?limit=2&after=/)
  }
  assert.deepEqual(seen, names)
})

test('a cursor is valid only for the sub-collection that issued it', async () => {
  await using running = await serveProjects()
  const { request } = running
  await createTasks(request, 'alpha', ['a', 'b'])
  const { fields } = await request('GET /projects/alpha/tasks?limit=1')
  const after = /after=([^>]*)>; rel="next"/.exec(String(fields.link))?.[1]
  assert.ok(after)
  assert.equal((await request(`GET /projects/alpha/tasks?limit=1&after=${after}`)).status, 200)
  for (const path of ['/projects/beta/tasks', '/tasks']) {
    const { status, json } = await request(`GET ${path}?limit=1&after=${after}`)
    assert.deepEqual([status, json.type], [400, '/problems/invalid-cursor'], path)
  }
  const whole = await request('GET /tasks?limit=1')
  const other = /after=([^>]*)>; rel="next"/.exec(String(whole.fields.link))?.[1]
  assert.equal((await request(`GET /projects/alpha/tasks?limit=1&after=${other}`)).status, 400)
})

test('hidden items are in no sub-collection, and a hidden parent has none', async () => {
  await using running = await serveProjects()
  const { request } = running
  await createTasks(request, 'alpha', ['seen'])
  await request('POST /projects/alpha/tasks', admin, { title: 'hidden', secret: true })
  await request('POST /projects/gamma/tasks', admin, { title: 'deep' })
  assert.deepEqual(titles((await request('GET /projects/alpha/tasks')).json), ['seen'])
  assert.deepEqual(titles((await request('GET /projects/alpha/tasks', admin)).json), ['seen', 'hidden'])
  assert.deepEqual(titles((await request('GET /projects/gamma/tasks', admin)).json), ['deep'])
  const bodyOf = async (line: string, body?: unknown) => {
    const { status, json } = await request(line, member, body)
    return [status, { ...json, instance: '' }]
  }
  for (const [line, body] of [
    ['GET /projects/PROJECT/tasks', undefined],
    ['QUERY /projects/PROJECT/tasks', {}],
    ['POST /projects/PROJECT/tasks', { title: 'x' }],
    ['POST /projects/PROJECT/tasks', { title: 7 }],
  ] as const) {
    const hidden = await bodyOf(line.replace('PROJECT', 'gamma'), body)
    assert.equal(hidden[0], 404)
    assert.deepEqual(hidden, await bodyOf(line.replace('PROJECT', 'absent'), body), line)
  }
})

test('§15.5.6: other methods are 405 with Allow; OPTIONS names what POST and QUERY accept', async () => {
  await using running = await serveProjects()
  const { request } = running
  for (const method of ['PUT', 'PATCH', 'DELETE']) {
    const { status, fields } = await request(`${method} /projects/alpha/tasks`, admin, {})
    assert.deepEqual([status, fields.allow], [405, 'GET, HEAD, POST, QUERY, OPTIONS'], method)
  }
  const options = await request('OPTIONS /projects/alpha/tasks')
  assert.deepEqual([options.status, options.fields.allow], [204, 'GET, HEAD, POST, QUERY, OPTIONS'])
  assert.match(String(options.fields['accept-post']), /application\/json.*text\/csv/)
  assert.match(String(options.fields['accept-query']), /application\/json/)
  assert.equal((await request('GET /projects/alpha/nothing')).status, 404)
  assert.equal((await request('GET /projects/alpha/tasks/1')).status, 404)
  assert.equal((await request('GET /tasks/1/project')).status, 404)
})

test('former names, trailing slashes and renamed parents lead to the present URI, with the query', async () => {
  await using running = await serveProjects()
  const { request } = running
  const moved = await request('GET /plans/alpha/tasks?sort=title')
  assert.deepEqual([moved.status, moved.fields.location], [301, '/projects/alpha/tasks?sort=title'])
  const slash = await request('GET /projects/alpha/tasks/?limit=1')
  assert.deepEqual([slash.status, slash.fields.location], [301, '/projects/alpha/tasks?limit=1'])
  await request('PATCH /projects/alpha', { ...admin, 'content-type': 'application/json' }, { slug: 'a z' })
  for (const method of ['GET', 'POST', 'QUERY']) {
    const body = method === 'GET' ? undefined : {}
    const { status, fields } = await request(`${method} /projects/alpha/tasks?format=json`, member, body)
    assert.deepEqual([status, fields.location], [301, '/projects/a%20z/tasks?format=json'], method)
  }
  assert.equal((await request('GET /projects/a%20z/%74asks')).status, 200)
})

test('the sub-collection of a deleted parent is 410, and of one that was hidden 404', async () => {
  await using running = await serveProjects()
  const { request } = running
  await request('DELETE /projects/alpha', admin)
  await request('DELETE /projects/gamma', admin)
  for (const [line, body] of [
    ['GET /projects/ID/tasks'],
    ['POST /projects/ID/tasks', { title: 'x' }],
  ] as const) {
    assert.equal((await request(line.replace('ID', 'alpha'), member, body)).status, 410)
    assert.equal((await request(line.replace('ID', 'gamma'), member, body)).status, 404)
  }
})

test('§13.1.2: an entity tag of one parent matches no other, even when another item takes its key', async () => {
  await using running = await serveProjects()
  const { request } = running
  await createTasks(request, 'alpha', ['a'])
  await createTasks(request, 'beta', ['b'])
  for (const format of ['json', 'hal', 'xml']) {
    const uri = (slug: string) => `GET /projects/${slug}/tasks?format=${format}`
    const tag = String((await request(uri('alpha'))).fields.etag)
    assert.equal((await request(uri('alpha'), { 'if-none-match': tag })).status, 304, format)
    assert.equal((await request(uri('beta'), { 'if-none-match': tag })).status, 200, format)
  }
  const before = await request('GET /projects/alpha/tasks')
  await request('GET /projects/alpha/tasks')
  const rename = (from: string, slug: string) => request(`PATCH /projects/${from}`, admin, { slug })
  await rename('alpha', 'x')
  await rename('beta', 'alpha')
  const after = await request('GET /projects/alpha/tasks')
  assert.deepEqual(titles(after.json), ['b'])
  assert.notEqual(after.fields.etag, before.fields.etag)
})

test('a sub-collection is private where its parent is not public', async () => {
  await using running = await serveProjects()
  const { request } = running
  const { fields } = await request('GET /projects/alpha/tasks', member)
  assert.equal(fields['cache-control'], 'private, no-cache')
  assert.match(String(fields.vary), /Authorization/)
})

test('metrics and logs name the route without the id', async () => {
  await using running = await serveProjects()
  await running.request('GET /projects/alpha/tasks')
  const routes = running.observations.flatMap((one) => (one.kind === 'request' ? [one.route] : []))
  assert.equal(routes.at(-1), '/projects/{id}/tasks')
})

test('a list of few fields is the same only for callers who see the same items', async () => {
  const hiding = service({
    title: 'Marks',
    accounts: { resource: 'users', login: 'email', password: 'password' },
    resources: {
      users: resource(
        { email: email().unique(), password: password() },
        { access: { read: anyone, create: anyone } },
      ),
      lists: resource({ name: text() }, { access: { read: anyone, create: anyone } }),
      marks: resource(
        {
          title: text(),
          author: ref('users').fromPrincipal(),
          list: ref('lists', { inverse: 'marks' }).visibleTo(owner('author')),
        },
        { access: { read: anyone, create: signedIn } },
      ),
    },
  })
  await using running = await serve(hiding)
  const { request } = running
  const other = basic('other@example.org', 'correct horse battery')
  await request('POST /users', {}, { email: 'other@example.org', password: 'correct horse battery' })
  const { json: list } = await request('POST /lists', {}, { name: 'L' })
  for (const [title, caller] of [
    ['mine', admin],
    ['other', other],
  ] as const) {
    assert.equal((await request(`POST /lists/${list.id}/marks`, caller, { title })).status, 201)
  }
  // Twice, because the response cache stores what is requested again.
  for (const _ of [1, 2]) {
    for (const [title, caller] of [
      ['mine', admin],
      ['other', other],
    ] as const) {
      const { json } = await request(`GET /lists/${list.id}/marks?fields=title`, caller)
      assert.deepEqual(titles(json), [title])
    }
  }
})
