/** Writes in an older version of the interface: POST, PUT, PATCH, conditions, 422, dry runs, batches, actions. */

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { serve, type TestService } from '../service.ts'
import { present } from './tracker.ts'

const v1 = { accept: 'application/x.tracker.v1+json', 'content-type': 'application/x.tracker.v1+json' }

describe('a write in an older version', () => {
  let s: TestService
  before(async () => {
    s = await serve(present)
  })
  after(() => s[Symbol.asyncDispose]())

  const create = async () => {
    const made = await s.request(
      'POST /tasks',
      {},
      {
        title: 'Paint',
        deadline: '2027-03-01',
        firstName: 'Ada',
        lastName: 'King',
        progress: 'doing',
        estimate: 5,
      },
    )
    return { uri: String(made.fields.location), id: made.json.id as string, tag: String(made.fields.etag) }
  }
  const now = async (uri: string) => {
    const { id: _, createdAt: __, updatedAt: ___, ...members } = (await s.request(`GET ${uri}`)).json
    return members
  }

  it('POST creates the item that up returns, and shows it in the version', async () => {
    const ways: [string, Record<string, string>][] = [
      ['POST /tasks', v1],
      ['POST /tasks?api-version=v1', { 'content-type': 'application/json' }],
      ['POST /tasks', { accept: v1.accept, 'content-type': 'application/json' }],
      ['POST /tasks', { 'content-type': v1['content-type'] }],
    ]
    for (const [line, fields] of ways) {
      const made = await s.request(line, fields, {
        title: 'A',
        due: '2027-01-02',
        assignee: 'Ada King Lovelace',
        x: 7,
      })
      assert.equal(made.status, 201, made.text)
      assert.equal(made.json.assignee, 'Ada King Lovelace')
      const named = line.includes('?') ? '?api-version=v1' : ''
      assert.equal(made.fields.location, `/tasks/${made.json.id}${named}`, 'a version in the URI is kept')
      assert.equal(made.fields['content-location'], `/tasks/${made.json.id}?api-version=v1`)
      assert.equal(
        made.fields.etag,
        (await s.request(`GET /tasks/${made.json.id}`, { accept: v1.accept })).fields.etag,
      )
      assert.deepEqual(await now(`/tasks/${made.json.id}`), {
        title: 'A',
        deadline: '2027-01-02',
        firstName: 'Ada',
        lastName: 'King Lovelace',
        progress: 'open',
        place: '7,0',
      })
    }
  })

  it('POST of many items converts each', async () => {
    const items = [1, 2].map((x) => ({ title: `B${x}`, assignee: 'Ben', x }))
    const made = await s.request('POST /tasks', v1, items)
    assert.equal(made.status, 201, made.text)
    assert.deepEqual(
      made.json.map((one: { x: number }) => one.x),
      [1, 2],
    )
    const refused = await s.request('POST /tasks', v1, [
      items[0],
      { title: 'C', assignee: 'Ben', due: 'soon' },
    ])
    assert.equal(refused.status, 422)
    assert.deepEqual(
      refused.json.errors.map((one: { pointer: string }) => one.pointer),
      ['/1/due'],
    )
    const lacking = await s.request('POST /tasks', v1, [items[0], { title: 'C' }])
    assert.deepEqual(
      lacking.json.errors.map((one: { pointer: string }) => one.pointer),
      ['/1/assignee'],
    )
  })

  it('PUT keeps the fields that the version cannot express, and clears those that it leaves out', async () => {
    const { uri, id } = await create()
    const seen = (await s.request(`GET ${uri}`, { accept: v1.accept })).json
    const put = await s.request(`PUT ${uri}`, v1, { ...seen, title: 'Varnish' })
    assert.equal(put.status, 200, put.text)
    assert.equal(put.fields.etag, undefined)
    assert.equal(put.json.title, 'Varnish')
    const kept = {
      title: 'Varnish',
      firstName: 'Ada',
      lastName: 'King',
      progress: 'doing',
      place: '0,0',
      estimate: 5,
    }
    assert.deepEqual(await now(uri), { ...kept, deadline: '2027-03-01' })
    await s.request(`PUT ${uri}`, v1, { title: 'Varnish', assignee: 'Ada King' })
    assert.deepEqual(await now(uri), kept)
    await s.request(`PUT ${uri}`, v1, { title: 'Varnish', assignee: 'Ada King', done: true })
    assert.equal((await now(uri)).progress, 'done')
    const other = await s.request(`PUT ${uri}`, v1, { ...seen, id: `${id}0` })
    assert.equal(other.status, 422)
    assert.equal(other.json.errors[0].pointer, '/id')
    const required = await s.request(`PUT ${uri}`, v1, { assignee: 'Ada King' })
    assert.deepEqual(
      required.json.errors.map((one: { pointer: string }) => one.pointer),
      ['/title'],
    )
  })

  it('PUT of what a GET shows changes nothing', async () => {
    const { uri } = await create()
    const seen = await s.request(`GET ${uri}`, { accept: v1.accept })
    const put = await s.request(`PUT ${uri}`, { ...v1, 'if-match': String(seen.fields.etag) }, seen.json)
    assert.equal(put.status, 200, put.text)
    const after = await s.request(`GET ${uri}`, { ...v1, 'if-none-match': String(seen.fields.etag) })
    assert.equal(after.status, 304)
  })

  it('PATCH applies a merge patch to the old shape', async () => {
    const { uri } = await create()
    const patch = async (body: object, type = v1['content-type']) => {
      const reply = await s.request(`PATCH ${uri}`, { ...v1, 'content-type': type }, body)
      assert.equal(reply.status, 200, reply.text)
      return reply.json
    }
    assert.equal((await patch({ x: 9 })).x, 9)
    assert.equal((await patch({ assignee: 'Ben' }, 'application/merge-patch+json')).assignee, 'Ben')
    assert.equal((await patch({ due: null }, 'application/json')).due, undefined)
    const kept = { title: 'Paint', firstName: 'Ben', progress: 'doing', place: '9,0', estimate: 5 }
    assert.deepEqual(await now(uri), kept)
    await patch({ done: false })
    assert.deepEqual(await now(uri), kept, 'a value that is the same in the version changes nothing')
  })

  it('PATCH applies a JSON Patch to the old shape; 409 where it does not fit', async () => {
    const { uri } = await create()
    const patch = (body: object) =>
      s.request(`PATCH ${uri}?api-version=v1`, { 'content-type': 'application/json-patch+json' }, body)
    const reply = await patch([
      { op: 'test', path: '/assignee', value: 'Ada King' },
      { op: 'replace', path: '/due', value: '2028-01-01' },
      { op: 'copy', from: '/title', path: '/assignee' },
    ])
    assert.equal(reply.status, 200, reply.text)
    assert.equal(reply.json.assignee, 'Paint')
    assert.deepEqual(await now(uri), {
      title: 'Paint',
      deadline: '2028-01-01',
      firstName: 'Paint',
      progress: 'doing',
      place: '0,0',
      estimate: 5,
    })
    assert.equal((await patch([{ op: 'test', path: '/deadline', value: '2028-01-01' }])).status, 409)
    assert.equal((await patch([{ op: 'add', path: '/deadline', value: '2028-01-01' }])).status, 422)
  })

  it('conditions compare the version of the item, whichever representation its tag is from', async () => {
    const { uri, tag } = await create()
    const old = String((await s.request(`GET ${uri}`, { accept: v1.accept })).fields.etag)
    assert.notEqual(old, tag)
    const first = await s.request(`PATCH ${uri}`, { ...v1, 'if-match': tag }, { x: 1 })
    assert.equal(first.status, 200, first.text)
    assert.equal((await s.request(`PATCH ${uri}`, { ...v1, 'if-match': old }, { x: 2 })).status, 412)
    const second = await s.request(`PATCH ${uri}`, { ...v1, 'if-match': String(first.fields.etag) }, { x: 2 })
    assert.equal(second.status, 200)
    const deleted = await s.request(`DELETE ${uri}?api-version=v1`, {
      'if-match': String(second.fields.etag),
    })
    assert.equal(deleted.status, 204)
    assert.equal(deleted.fields.deprecation, '@1798761600')
  })

  it('422 names members by the names of the version', async () => {
    const { uri } = await create()
    const pointers = async (line: string, body: object) => {
      const reply = await s.request(line, v1, body)
      assert.equal(reply.status, 422, reply.text)
      assert.equal(reply.fields['content-type'], 'application/problem+json')
      return reply.json.errors.map((one: { pointer: string }) => one.pointer)
    }
    const task = { title: 'A', assignee: 'Ada' }
    assert.deepEqual(await pointers('POST /tasks', { ...task, due: 'soon', title: 5 }), ['/title', '/due'])
    assert.deepEqual(
      await pointers('POST /tasks', { ...task, owner: '019a84c2-7c1e-7b3a-9d52-0c6f1e8a4b37' }),
      ['/owner'],
    )
    assert.deepEqual(await pointers('POST /tasks', { ...task, deadline: '2027-01-01' }), ['/deadline'])
    assert.deepEqual(await pointers('POST /tasks', { ...task, estimate: 5 }), ['/estimate'])
    assert.deepEqual(await pointers('POST /tasks', { ...task, nothing: 5 }), ['/nothing'])
    assert.deepEqual(await pointers('POST /tasks', { title: 'A', assignee: 5 }), ['/assignee'])
    assert.deepEqual(await pointers('POST /tasks', { title: 'A' }), ['/assignee'])
    assert.deepEqual(await pointers(`PATCH ${uri}`, { due: 'soon' }), ['/due'])
    assert.deepEqual(await pointers(`PATCH ${uri}`, { createdAt: '2020-01-01T00:00:00.000Z' }), [
      '/createdAt',
    ])
    assert.deepEqual(await pointers(`PUT ${uri}`, { ...task, due: 5 }), ['/due'])
  })

  it('OPTIONS and a 415 of the present version name the media types of older ones', async () => {
    const { uri } = await create()
    const ofCollection = await s.request('OPTIONS /tasks')
    const ofItem = await s.request(`OPTIONS ${uri}`)
    const refused = await s.request('POST /tasks', { 'content-type': 'image/png' }, 'x')
    assert.equal(refused.status, 415)
    for (const value of [
      ofCollection.fields['accept-post'],
      ofCollection.fields['accept-query'],
      ofItem.fields['accept-patch'],
      refused.fields['accept-post'],
      refused.fields.accept,
    ]) {
      assert.match(String(value), /(^|, )application\/x\.tracker\.v1\+json(,|$)/)
    }
  })

  it('415 for content that is not JSON', async () => {
    const reply = await s.request(
      'POST /tasks?api-version=v1',
      { 'content-type': 'application/xml' },
      '<tasks/>',
    )
    assert.equal(reply.status, 415)
    assert.equal(reply.fields['accept-post'], 'application/x.tracker.v1+json, application/json')
  })

  it('a dry run shows the item in the version and changes nothing', async () => {
    const { uri } = await create()
    const before = await now(uri)
    const reply = await s.request(
      `PATCH ${uri}?dry-run=true&api-version=v1`,
      { 'content-type': 'application/json' },
      { x: 4 },
    )
    assert.equal(reply.status, 200, reply.text)
    assert.equal(reply.json.x, 4)
    assert.equal(reply.fields['content-location'], undefined)
    assert.deepEqual(await now(uri), before)
  })

  it('an Idempotency-Key replays the response in the version', async () => {
    const key = { ...v1, 'idempotency-key': '"once"' }
    const body = { title: 'Once', assignee: 'Ada' }
    const [first, again] = [
      await s.request('POST /tasks', key, body),
      await s.request('POST /tasks', key, body),
    ]
    assert.equal(again.status, 201)
    assert.equal(again.text, first.text)
    assert.equal(again.fields['content-type'], 'application/x.tracker.v1+json')
  })

  it('an action keeps its own input and shows the item in the version', async () => {
    const { uri } = await create()
    const reply = await s.request(`POST ${uri}/postpone?api-version=v1`, {}, { to: '2029-01-01' })
    assert.equal(reply.status, 200, reply.text)
    assert.equal(reply.json.due, '2029-01-01')
    assert.equal(reply.fields['content-location'], `${uri}?api-version=v1`)
  })

  it('a batch performs requests in the version that it, or their path, names', async () => {
    const { uri } = await create()
    const requests = [
      { id: 'a', method: 'POST', path: '/tasks', body: { title: 'In a batch', assignee: 'Cleo' } },
      { method: 'PATCH', path: uri, body: { x: 5 } },
    ]
    const whole = await s.request('POST /batch?api-version=v1', {}, { requests })
    assert.equal(whole.status, 200, whole.text)
    assert.deepEqual(
      whole.json.responses.map((one: { body: { assignee: string } }) => one.body.assignee),
      ['Cleo', 'Ada King'],
    )
    const paths = requests.map((one) => ({ ...one, path: `${one.path}?api-version=v1` }))
    const each = await s.request('POST /batch', {}, { requests: paths })
    assert.equal(each.status, 200, each.text)
    assert.equal(each.json.responses[1].body.x, 5)
    const mixed = [{ ...requests[1], path: `${uri}?api-version=v2` }]
    assert.equal((await s.request('POST /batch?api-version=v1', {}, { requests: mixed })).status, 422)
  })
})
