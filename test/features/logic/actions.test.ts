/** Actions: operations on an item or on a collection that code of the definition performs (docs/guide/logic.md). */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { admin, adminPassword, basic, type Reply, serve, type TestService } from '../../service.ts'
import office from './fixtures/office.ts'

interface Office extends AsyncDisposable {
  readonly s: TestService
  readonly user: Record<string, string>
  readonly manager: Record<string, string>
  readonly userId: string
  /** The URI of a task of the user, and its entity tag. */
  readonly task: string
  readonly tag: string
}

async function openOffice(): Promise<Office> {
  const s = await serve(office)
  const person = async (login: string, role: string) => {
    const made = await s.request('POST /users', admin, { email: login, password: adminPassword, role })
    assert.equal(made.status, 201, made.text)
    return made.json.id as string
  }
  const userId = await person('user@example.org', 'user')
  await person('manager@example.org', 'manager')
  const user = basic('user@example.org', adminPassword)
  const manager = basic('manager@example.org', adminPassword)
  const made = await s.request('POST /tasks', user, { title: 'Buy paper' })
  const task = String(made.fields.location)
  const tag = String(made.fields.etag)
  return { s, user, manager, userId, task, tag, [Symbol.asyncDispose]: () => s[Symbol.asyncDispose]() }
}

const failures = ({ s }: Office) =>
  s.observations.flatMap((one) => (one.kind === 'logic-failed' ? [(one.cause as Error).message] : []))

const pointers = ({ json }: Reply) => json.errors.map(({ pointer }: { pointer: string }) => pointer)

describe('an action on an item', () => {
  it('is a POST below the item: 200 with the item, its entity tag and Content-Location', async () => {
    await using o = await openOffice()
    const reply = await o.s.request(`POST ${o.task}/assign`, o.manager, { person: o.userId })
    assert.equal(reply.status, 200, reply.text)
    assert.equal(reply.json.assignee, o.userId)
    assert.equal(reply.fields['content-location'], o.task)
    const read = await o.s.request(`GET ${o.task}`, o.manager)
    assert.equal(reply.fields.etag, read.fields.etag)
    assert.deepEqual(reply.json, read.json)
  })

  it('GET is 405 with Allow: POST, OPTIONS; OPTIONS shows the media types', async () => {
    await using o = await openOffice()
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'QUERY']) {
      const reply = await o.s.request(`${method} ${o.task}/assign`, o.manager)
      assert.deepEqual([reply.status, reply.fields.allow], [405, 'POST, OPTIONS'], method)
    }
    const { status, fields } = await o.s.request(`OPTIONS ${o.task}/assign`)
    assert.deepEqual([status, fields.allow], [204, 'POST, OPTIONS'])
    assert.match(
      String(fields['accept-post']),
      /application\/json.*application\/xml|application\/xml.*application\/json/,
    )
  })

  it('input is validated like any content, in every media type', async () => {
    await using o = await openOffice()
    const send = (fields: object, body: unknown) =>
      o.s.request(`POST ${o.task}/estimate2`, { ...o.user, ...fields }, body)
    const xml = { 'content-type': 'application/xml' }
    const form = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
    assert.equal((await send({}, { estimate: 3 })).json.estimate, 3)
    assert.equal((await send(xml, '<estimate2><estimate>4</estimate></estimate2>')).json.estimate, 4)
    assert.equal((await send(form, 'estimate=5')).json.estimate, 5)
    const timed = await send({}, { estimate: 3, at: '2026-02-28T12:00:00Z' })
    assert.equal(timed.json.note, '2026-02-28T12:00:00.000Z')
    for (const [fields, body, expected] of [
      [{}, {}, ['/estimate']],
      [{}, { estimate: 'x', titel: 1 }, ['/titel', '/estimate']],
      [{}, [], ['']],
      [xml, '<estimate2><estimate>x</estimate></estimate2>', ['/estimate']],
      [form, 'estimate=x', ['/estimate']],
      [form, '', ['/estimate']],
    ] as const) {
      const reply = await send(fields, body)
      assert.equal(reply.status, 422, reply.text)
      assert.deepEqual(pointers(reply), expected)
    }
    const none = await o.s.request(`POST ${o.task}/estimate2`, o.user)
    assert.deepEqual([none.status, none.json.detail], [400, 'POST needs content.'])
    const csv = await send({ 'content-type': 'text/csv' }, 'estimate\n1\n')
    assert.equal(csv.status, 415)
    assert.equal(csv.fields['accept-post'], csv.fields.accept)
    assert.equal((await send({ 'content-type': 'application/json' }, '{')).status, 400)
  })

  it('a reference in the input to an absent item is 422', async () => {
    await using o = await openOffice()
    const person = '01890a5d-ac96-774b-bcce-b302099a8057'
    const reply = await o.s.request(`POST ${o.task}/assign`, o.manager, { person })
    assert.deepEqual([reply.status, pointers(reply)], [422, ['/person']])
    const wrong = await o.s.request(`POST ${o.task}/assign`, o.manager, { person: 'zz' })
    assert.deepEqual([wrong.status, pointers(wrong)], [422, ['/person']])
  })

  it('needs no content without input', async () => {
    await using o = await openOffice()
    assert.equal((await o.s.request(`POST ${o.task}/close`, o.user)).json.status, 'done')
    assert.equal((await o.s.request(`POST ${o.task}/announce`, o.user)).json.text, 'Buy paper: Look at this.')
  })

  it('201 with the Location of an item that it made and returns', async () => {
    await using o = await openOffice()
    const reply = await o.s.request(`POST ${o.task}/announce`, o.manager, { text: 'Soon.' })
    assert.equal(reply.status, 201, reply.text)
    const location = String(reply.fields.location)
    assert.match(location, /^\/notices\//)
    assert.equal(reply.fields['content-location'], location)
    const read = await o.s.request(`GET ${location}`)
    assert.deepEqual(read.json, reply.json)
    assert.equal(read.fields.etag, reply.fields.etag)
    assert.equal((await o.s.request(`GET ${o.task}`, o.user)).json.note, 'Soon.')
  })

  it('204 where the item is deleted, or hidden from the caller afterwards', async () => {
    await using o = await openOffice()
    const other = (await o.s.request('GET /users?email=manager@example.org', admin)).json[0].id
    const given = await o.s.request(`POST ${o.task}/give`, o.user, { person: other })
    assert.deepEqual([given.status, given.text, given.fields.etag], [204, '', undefined])
    assert.equal((await o.s.request(`GET ${o.task}`, o.user)).status, 404)
    const discarded = await o.s.request(`POST ${o.task}/discard`, o.manager)
    assert.equal(discarded.status, 204)
    assert.equal((await o.s.request(`GET ${o.task}`, o.manager)).status, 404)
  })

  it('404 where the item is 404 for the caller, 403 where the rule denies it, 401 without credentials', async () => {
    await using o = await openOffice()
    const { s, task, manager, user, userId } = o
    const hidden = (await s.request('POST /tasks', manager, { title: 'Hidden' })).fields.location
    const absent = '/tasks/01890a5d-ac96-774b-bcce-b302099a8057'
    const status = async (uri: string, caller: Record<string, string>, body = {}) =>
      (await s.request(`POST ${uri}`, caller, body)).status
    assert.equal(await status(`${hidden}/discard`, user), 404)
    assert.equal(await status(`${absent}/discard`, user), 404)
    assert.equal(await status(`${task}/assign`, user, { person: userId }), 403)
    assert.equal(await status(`${task}/estimate2`, manager, { estimate: 1 }), 403)
    assert.equal(await status(`${task}/estimate2`, manager, { estimate: 'x' }), 403)
    assert.equal(await status(`${task}/discard`, {}), 401)
    for (const name of ['forbidden', 'never']) assert.equal(await status(`${task}/${name}`, admin), 403)
    assert.equal(await status(`${task}/nothing`, manager), 404)
    assert.equal(await status(`${task}/import`, manager), 404)
    assert.equal(await status('/tasks/assign', manager), 405)
  })

  it('If-Match means the entity tag of the item', async () => {
    await using o = await openOffice()
    const close = (tag: string) => o.s.request(`POST ${o.task}/close`, { ...o.user, 'if-match': tag })
    assert.equal((await close('"other"')).status, 412)
    assert.equal((await close(o.tag)).status, 200)
    const again = await close(o.tag)
    assert.equal(again.status, 412)
    assert.equal(again.json.entityTag, (await o.s.request(`GET ${o.task}`, o.user)).fields.etag)
    assert.equal((await close('*')).status, 409)
  })

  it('a repetition with the same Idempotency-Key runs once', async () => {
    await using o = await openOffice()
    const announce = (text: string) =>
      o.s.request(`POST ${o.task}/announce`, { ...o.user, 'idempotency-key': 'k' }, { text })
    const [first, second] = [await announce('a'), await announce('a')]
    assert.deepEqual([first.status, second.status, second.fields.location], [201, 201, first.fields.location])
    assert.deepEqual(second.json, first.json)
    assert.equal((await o.s.request('GET /notices')).json.length, 1)
    assert.equal((await announce('b')).status, 422)
  })

  it('a refusal of the code is the response, and nothing is written', async () => {
    await using o = await openOffice()
    const reply = await o.s.request(`POST ${o.task}/announce`, o.user, { text: 'secret' })
    assert.deepEqual([reply.status, reply.json.detail], [409, 'This is secret.'])
    const wrong = await o.s.request(`POST ${o.task}/estimate2`, o.user, { estimate: -1 })
    assert.equal(wrong.status, 422)
    assert.deepEqual(wrong.json.errors, [
      { pointer: '/estimate', rule: 'check', detail: 'Must be positive.' },
    ])
    await o.s.request(`POST ${o.task}/close`, o.user)
    assert.equal((await o.s.request(`POST ${o.task}/close`, o.user)).status, 409)
    assert.deepEqual(failures(o), [])
  })

  it('a write of the action that breaks a limit of a field is 422, as one that fails a check is', async () => {
    await using o = await openOffice()
    const rename = (title: unknown) => o.s.request(`POST ${o.task}/rename`, o.user, { title })
    const refused = await rename('x'.repeat(51))
    assert.deepEqual([refused.status, pointers(refused)], [422, ['/title']])
    assert.equal(refused.json.errors[0].rule, 'maxLength')
    const elsewhere = await o.s.request(`POST ${o.task}/number`, o.user, { number: 3 })
    assert.deepEqual([elsewhere.status, pointers(elsewhere)], [422, ['']])
    assert.deepEqual(failures(o), [])
    assert.equal((await o.s.request(`GET ${o.task}`, o.user)).json.title, 'Buy paper')
    assert.equal((await rename('Buy pens')).json.title, 'Buy pens')
  })

  it('code that throws is 500, logged with the name of the action, and nothing is written', async () => {
    await using o = await openOffice()
    assert.equal((await o.s.request(`POST ${o.task}/fail`, o.user)).status, 500)
    assert.deepEqual(failures(o), ['tasks.actions.fail failed: Out of paper.'])
    assert.equal((await o.s.request(`GET ${o.task}`, o.user)).json.title, 'Buy paper')
  })

  it('the history names the action, and the caller is its actor', async () => {
    await using o = await openOffice()
    await o.s.request(`POST ${o.task}/assign`, o.manager, { person: o.userId })
    await o.s.request(`POST ${o.task}/close`, o.manager)
    const { json } = await o.s.request(`GET ${o.task}/history`, o.user)
    const kinds = json.map(({ kind }: { kind: string }) => kind)
    assert.deepEqual(kinds, ['close', 'assign', 'created'])
    const actors = (await o.s.service.store.readChanges(0, 100))
      .slice(-2)
      .map(({ actor }) => JSON.stringify(actor))
    assert.equal(new Set(actors).size, 1)
    assert.match(String(actors[0]), /account/)
    const audit = await o.s.request('GET /audit?collection=tasks', admin)
    assert.equal(audit.status, 200)
  })

  it('a token needs the scope to update the collection', async () => {
    await using o = await openOffice()
    const token = async (scopes: readonly string[]) => {
      const made = await o.s.request('POST /tokens', o.user, { scopes })
      return { authorization: `Bearer ${made.json.token}` }
    }
    const status = async (scopes: readonly string[]) =>
      (await o.s.request(`POST ${o.task}/announce`, await token(scopes), {})).status
    assert.equal(await status(['tasks:read']), 403)
    assert.equal(await status(['tasks:update']), 403)
    assert.equal(await status(['tasks:read', 'tasks:update']), 201)
  })

  it('keeps up with other writers: each of many concurrent actions is applied', async () => {
    await using o = await openOffice()
    const numbers = [1, 2, 3, 4, 5, 6, 7, 8]
    const replies = await Promise.all(
      numbers.map((estimate) => o.s.request(`POST ${o.task}/estimate2`, o.user, { estimate })),
    )
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200])
    assert.equal((await o.s.request(`GET ${o.task}/history`, o.user)).json.length, 9)
  })
})

describe('an action on a collection', () => {
  it('is a POST below the collection: 204, or 201 with what it made', async () => {
    await using o = await openOffice()
    const reply = await o.s.request('POST /tasks/import', o.user, { titles: ['A', 'B'], note: 'n' })
    assert.equal(reply.status, 204, reply.text)
    const { json } = await o.s.request('GET /tasks?note=n', o.user)
    assert.deepEqual(json.map(({ title }: { title: string }) => title).sort(), ['A', 'B'])
    const first = await o.s.request('POST /tasks/first', o.manager)
    assert.equal(first.status, 201)
    assert.equal((await o.s.request(`GET ${first.fields.location}`, o.manager)).json.title, 'First')
  })

  it('refuses other methods, callers and content', async () => {
    await using o = await openOffice()
    const get = await o.s.request('GET /tasks/import', o.user)
    assert.deepEqual([get.status, get.fields.allow], [405, 'POST, OPTIONS'])
    assert.equal((await o.s.request('POST /tasks/import', admin, { titles: [] })).status, 403)
    assert.equal((await o.s.request('POST /tasks/import', {}, { titles: [] })).status, 401)
    const reply = await o.s.request('POST /tasks/import', o.user, { titles: ['x'.repeat(51)] })
    assert.deepEqual([reply.status, pointers(reply)], [422, ['/titles/0']])
    const tagged = await o.s.request('POST /tasks/import', { ...o.user, 'if-match': '*' }, { titles: [] })
    assert.equal(tagged.status, 412)
  })
})
