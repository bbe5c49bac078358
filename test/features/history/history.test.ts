/** The history of items: versions with their changes, each version as it was, and restoring one. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anyone, resource, service, state, text } from 'restwell'
import { pruneLog, retentionOf } from '../../../src/service/log-pruning.ts'
import { type Reply, serve, type TestService } from '../../service.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }

const noteFields = {
  title: text(),
  body: text().optional(),
  status: state({
    initial: 'open',
    transitions: { finish: { from: 'open', to: 'done' }, reopen: { from: 'done', to: 'open' } },
  }),
}

const notes = service({
  title: 'Notes',
  resources: { notes: resource(noteFields, { access: open, history: { keep: '1 year' } }) },
})

const linkOf = ({ fields }: Reply, rel: string) =>
  new RegExp(`<([^>]*)>; rel="?${rel}"?`).exec(String(fields.link))?.[1] ?? ''
const kindsOf = ({ json }: Reply) => json.map(({ kind }: { kind: string }) => kind)

/** A note with four versions: created, a title, a transition, another title. */
async function createNote({ request }: TestService): Promise<string> {
  const created = await request('POST /notes', {}, { title: 'A', body: 'text' })
  const uri = String(created.fields.location)
  await request(`PUT ${uri}`, {}, { title: 'B' })
  await request(`PATCH ${uri}`, {}, { status: 'done' })
  await request(`PATCH ${uri}`, {}, { title: 'C' })
  return uri
}

describe('/{collection}/{id}/history', () => {
  test('has every version, newest first, with what it changed', async () => {
    await using s = await serve(notes)
    const uri = await createNote(s)
    const reply = await s.request(`GET ${uri}/history`)
    assert.equal(reply.status, 200)
    assert.deepEqual(kindsOf(reply), ['updated', 'finish', 'updated', 'created'])
    assert.deepEqual(
      reply.json.map(({ changes }: { changes: object }) => changes),
      [
        { title: { from: 'B', to: 'C' } },
        { status: { from: 'open', to: 'done' } },
        { title: { from: 'A', to: 'B' }, body: { from: 'text' } },
        { title: { to: 'A' }, body: { to: 'text' }, status: { to: 'open' } },
      ],
    )
    assert.deepEqual(Object.keys(reply.json[0]), ['version', 'at', 'kind', 'changes'])
    assert.equal(new Set(reply.json.map(({ version }: { version: string }) => version)).size, 4)
  })

  test('is paged like other lists, by limit and after', async () => {
    await using s = await serve(notes)
    const uri = await createNote(s)
    const first = await s.request(`GET ${uri}/history?limit=3`)
    assert.deepEqual(kindsOf(first), ['updated', 'finish', 'updated'])
    const second = await s.request(`GET ${linkOf(first, 'next')}`)
    assert.deepEqual([kindsOf(second), linkOf(second, 'next')], [['created'], ''])
    assert.equal((await s.request(`GET ${uri}/history?limit=0`)).status, 400)
    assert.equal((await s.request(`GET ${uri}/history?after=x`)).status, 400)
    assert.equal((await s.request(`GET ${uri}/history?title=A`)).status, 400)
  })

  test('has an entity tag, which changes with the next version', async () => {
    await using s = await serve(notes)
    const uri = await createNote(s)
    const { etag = '' } = (await s.request(`GET ${uri}/history`)).fields
    assert.equal((await s.request(`GET ${uri}/history`, { 'if-none-match': etag })).status, 304)
    await s.request(`PATCH ${uri}`, {}, { title: 'D' })
    assert.equal((await s.request(`GET ${uri}/history`, { 'if-none-match': etag })).status, 200)
  })

  test('exists only below items of resources that declare it', async () => {
    await using s = await serve(
      service({ title: 'Notes', resources: { notes: resource({ title: text() }, { access: open }) } }),
    )
    const { location } = (await s.request('POST /notes', {}, { title: 'A' })).fields
    assert.equal((await s.request(`GET ${location}/history`)).status, 404)
    assert.doesNotMatch(String((await s.request(`GET ${location}`)).fields.link), /version-history/)
  })

  test('of a deleted item is 404 where the item itself is 410', async () => {
    const kept = resource(noteFields, { access: open, history: {}, tombstones: true })
    await using s = await serve(service({ title: 'Notes', resources: { notes: kept } }))
    const uri = await createNote(s)
    const [latest] = (await s.request(`GET ${uri}/history`)).json
    await s.request(`DELETE ${uri}`)
    const statusOf = async (line: string) => (await s.request(line)).status
    assert.equal(await statusOf(`GET ${uri}`), 410)
    assert.equal(await statusOf(`GET ${uri}/history`), 404)
    assert.equal(await statusOf(`HEAD ${uri}/history/${latest.version}`), 404)
  })

  test('of a deleted item is 404, and an item with its id begins a new one', async () => {
    const options = { access: open, put: 'create', history: {} } as const
    await using s = await serve(
      service({ title: 'Notes', resources: { notes: resource({ title: text() }, options) } }),
    )
    const uri = '/notes/01890a5d-ac96-774b-bcce-b302099a8057'
    await s.request(`PUT ${uri}`, {}, { title: 'A' })
    const [former] = (await s.request(`GET ${uri}/history`)).json
    await s.request(`DELETE ${uri}`)
    assert.equal((await s.request(`GET ${uri}/history`)).status, 404)
    assert.equal((await s.request(`GET ${uri}/history/${former.version}`)).status, 404)
    await s.request(`PUT ${uri}`, {}, { title: 'B' })
    assert.deepEqual(kindsOf(await s.request(`GET ${uri}/history`)), ['created'])
    assert.equal((await s.request(`GET ${uri}/history/${former.version}`)).status, 404)
  })

  test('redirects with 301 where the item has another id now', async () => {
    const fields = { slug: text({ max: 20 }).unique(), title: text() }
    const options = { key: 'slug', access: open, history: {} } as const
    await using s = await serve(service({ title: 'Notes', resources: { notes: resource(fields, options) } }))
    await s.request('POST /notes', {}, { slug: 'one', title: 'A' })
    await s.request('PATCH /notes/one', {}, { slug: 'two' })
    const { status, fields: sent } = await s.request('GET /notes/one/history?limit=2')
    assert.deepEqual([status, sent.location], [301, '/notes/two/history?limit=2'])
    const { json } = await s.request('GET /notes/two/history')
    assert.deepEqual(json[0].changes, { slug: { from: 'one', to: 'two' } })
  })
})

describe('a version', () => {
  test('is the item as it was, with the links of RFC 5829', async () => {
    await using s = await serve(notes)
    const uri = await createNote(s)
    const [links] = (await s.request(`GET ${uri}/-/links`)).json.linkset
    assert.deepEqual(links['version-history'], [{ href: `${uri}/history` }])
    const { json } = await s.request(`GET ${uri}/history`)
    const [latest, third, second, first] = json.map(
      ({ version }: { version: string }) => `${uri}/history/${version}`,
    )
    const reply = await s.request(`GET ${second}`)
    const { id, title, body, status } = reply.json
    assert.deepEqual([`/notes/${id}`, title, body, status], [uri, 'B', undefined, 'open'])
    const rels = ['latest-version', 'version-history', 'predecessor-version', 'successor-version']
    assert.deepEqual(
      rels.map((rel) => linkOf(reply, rel)),
      [uri, `${uri}/history`, first, third],
    )
    assert.equal(linkOf(await s.request(`GET ${latest}`), 'successor-version'), '')
    assert.equal((await s.request(`GET ${uri}/history/x`)).status, 404)
    assert.equal((await s.request(`PUT ${second}`, {}, { title: 'D' })).status, 405)
  })

  test('of another item is not found', async () => {
    await using s = await serve(notes)
    const [one, other] = [await createNote(s), await createNote(s)]
    const [{ version }] = (await s.request(`GET ${one}/history`)).json
    assert.equal((await s.request(`GET ${other}/history/${version}`)).status, 404)
  })

  test('has a template that PUTs it again, with the tag of the item in If-Match', async () => {
    await using s = await serve(notes)
    const uri = await createNote(s)
    const { json: versions } = await s.request(`GET ${uri}/history`)
    const forms = { accept: 'application/prs.hal-forms+json' }
    const { json } = await s.request(`GET ${uri}/history/${versions[3].version}`, forms)
    const { restore } = json._templates
    assert.deepEqual([restore.method, restore.target], ['PUT', uri])
    const content = Object.fromEntries(
      restore.properties.map(({ name, value }: { name: string; value: unknown }) => [name, value]),
    )
    assert.deepEqual(content, { title: 'A', body: 'text', status: 'open' })
    const { etag = '' } = (await s.request(`GET ${uri}`)).fields
    assert.equal((await s.request(`PUT ${uri}`, { 'if-match': '"x"' }, content)).status, 412)
    const restored = await s.request(`PUT ${uri}`, { 'if-match': etag }, content)
    assert.deepEqual([restored.status, restored.json.title, restored.json.body], [200, 'A', 'text'])
    const latest = await s.request(`GET ${uri}/history/${versions[0].version}`, forms)
    assert.ok(latest.json._templates.restore)
    const [now] = (await s.request(`GET ${uri}/history`)).json
    const present = await s.request(`GET ${uri}/history/${now.version}`, forms)
    assert.equal(present.json._templates, undefined)
  })

  test('can be restored by the form of its HTML page', async () => {
    await using s = await serve(notes)
    const uri = await createNote(s)
    const { json: versions } = await s.request(`GET ${uri}/history`)
    const page = await s.request(`GET ${uri}/history/${versions[2].version}`, { accept: 'text/html' })
    const [, action = ''] = /<form method="post" action="([^"]*)"/.exec(page.text) ?? []
    const inputs = page.text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)
    const form = new URLSearchParams([...inputs].map(([, name = '', value = '']) => [name, value]))
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const reply = await s.request(`POST ${action.replaceAll('&amp;', '&')}`, type, form.toString())
    assert.deepEqual([reply.status, reply.fields.location], [303, uri])
    const { json } = await s.request(`GET ${uri}`)
    assert.deepEqual([json.title, json.status], ['B', 'open'])
  })
})

describe('every format', () => {
  test('shows a history', async () => {
    await using s = await serve(notes)
    const uri = await createNote(s)
    const { json } = await s.request(`GET ${uri}/history`)
    const hal = await s.request(`GET ${uri}/history?format=hal`)
    assert.deepEqual(hal.json._embedded.item, json)
    assert.equal(hal.json._links.item[0].href, `${uri}/history/${json[0].version}`)
    const csv = await s.request(`GET ${uri}/history?format=csv`)
    assert.equal(csv.text.split('\r\n')[0], 'version,at,by,kind,changes')
    assert.match(csv.text, /finish,"\{""status"":\{""from"":""open"",""to"":""done""\}\}"/)
    const ndjson = await s.request(`GET ${uri}/history?format=ndjson`)
    assert.deepEqual(
      ndjson.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
      json,
    )
    const xml = await s.request(`GET ${uri}/history?format=xml`)
    assert.match(xml.text, /<history><item><version>.*<title><from>B<\/from><to>C<\/to><\/title>/)
    const html = await s.request(`GET ${uri}/history?format=html`)
    assert.match(html.text, /<del>B<\/del> <ins>C<\/ins>/)
    const item = await s.request(`GET ${uri}?format=html`)
    assert.match(item.text, /<section class="referring" id="history">.*<ins>C<\/ins>/s)
    const former = await s.request(`GET ${uri}/history/${json[2].version}?format=xml`)
    assert.match(former.text, /<notes><id>.*<title>B<\/title>/)
  })
})

describe('retention', () => {
  const day = 86_400_000

  async function prune(s: TestService, days: number): Promise<void> {
    const { model, store } = s.service
    const clock = { now: () => Date.now() + days * day }
    await pruneLog({ store, clock, ...retentionOf(model) }, new AbortController().signal)
  }

  test('versions outlive the pruning of the log, up to `keep`', async () => {
    await using s = await serve(notes)
    const uri = await createNote(s)
    const before = await s.request(`GET ${uri}/history`)
    await prune(s, 40)
    assert.equal((await s.service.store.logExtent()).entries, 0)
    const after = await s.request(`GET ${uri}/history`)
    assert.deepEqual(after.json, before.json)
    await s.request(`PATCH ${uri}`, {}, { title: 'D' })
    const page = await s.request(`GET ${uri}/history?limit=2`)
    assert.deepEqual(page.json.slice(1), before.json.slice(0, 1))
    await prune(s, 400)
    assert.deepEqual((await s.request(`GET ${uri}/history`)).json, [])
  })

  test('versions older than `keep` are not shown, also where the log still has them', async () => {
    const options = { access: open, history: { keep: '1 day' } }
    await using s = await serve(
      service({ title: 'Notes', resources: { notes: resource({ title: text() }, options) } }),
    )
    const { location } = (await s.request('POST /notes', {}, { title: 'A' })).fields
    s.advance(2 * day)
    assert.deepEqual((await s.request(`GET ${location}/history`)).json, [])
    await s.request(`PATCH ${location}`, {}, { title: 'B' })
    assert.deepEqual(kindsOf(await s.request(`GET ${location}/history`)), ['updated'])
  })
})
