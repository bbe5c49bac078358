/** `/{collection}/{id}/-/files/{key}`: a file that an item has, or had in a version, by its content. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  anyone,
  choice,
  email,
  file,
  list,
  owner,
  password,
  ref,
  resource,
  role,
  service,
  signedIn,
  text,
  where,
} from '../../../src/index.ts'
import { pruneLog, retentionOf } from '../../../src/service/log-pruning.ts'
import { type Reply, serve, type TestService } from '../../service.ts'
import { digestOf, gallery, newAccount } from './gallery.ts'

const types = { types: ['text/*'], max: '1 kB' } as const
const open = { read: anyone, create: anyone, update: anyone, delete: anyone }

const archive = service({
  title: 'Archive',
  resources: {
    notes: resource(
      {
        slug: text({ max: 20 }),
        title: text().optional(),
        sketch: file(types).optional(),
        pages: list(file(types), { max: 3 }),
      },
      { key: 'slug', access: open, history: { keep: '1 year' }, tombstones: true },
    ),
    drafts: resource({ scan: file(types).optional() }, { access: open }),
  },
})

const named = (name: string, type = 'text/plain') => ({
  'content-type': type,
  'content-disposition': `attachment; filename="${name}"`,
})

/** The versions of the item, newest first, as they were. */
async function versionsOf({ request }: TestService, uri: string, fields = {}): Promise<readonly Reply[]> {
  const { json } = await request(`GET ${uri}/history`, fields)
  return Promise.all(
    json.map(({ version }: { version: string }) => request(`GET ${uri}/history/${version}`, fields)),
  )
}

/** A note whose sketch was `first`, then `second`; its URI and those of the two files. */
async function replacedSketch(s: TestService) {
  await s.request('POST /notes', {}, { slug: 'a', pages: [] })
  await s.request('PUT /notes/a/sketch', named('one.txt'), 'first')
  await s.request('PUT /notes/a/sketch', named('two.txt'), 'second')
  const [second, first] = await versionsOf(s, '/notes/a')
  return { uri: '/notes/a', first: String(first?.json.sketch.href), second: String(second?.json.sketch.href) }
}

describe('the file of a version', () => {
  test('its href has its content, whatever the item has now', async () => {
    await using s = await serve(archive)
    const { uri, first, second } = await replacedSketch(s)
    const old = await s.request(`GET ${first}`)
    assert.deepEqual([old.status, old.text], [200, 'first'])
    assert.equal(old.fields['content-disposition'], 'inline; filename="one.txt"')
    assert.equal(old.fields['repr-digest'], digestOf(Buffer.from('first')))
    assert.equal((await s.request(`GET ${second}`)).text, 'second')
    const { changes } = (await s.request(`GET ${uri}/history`)).json[0]
    assert.deepEqual([changes.sketch.from.href, changes.sketch.to.href], [first, second])
    await s.request(`DELETE ${uri}/sketch`)
    assert.equal((await s.request(`GET ${second}`)).text, 'second')
  })
  test('the same content with another name or type has another URI', async () => {
    await using s = await serve(archive)
    await s.request('POST /notes', {}, { slug: 'a', pages: [] })
    const hrefs: string[] = []
    for (const fields of [named('a.txt'), named('b.txt'), named('b.txt', 'text/markdown')]) {
      await s.request('PUT /notes/a/sketch', fields, 'same')
      hrefs.push(String((await s.request('GET /notes/a/sketch')).fields['content-location']))
    }
    const replies = await Promise.all(hrefs.map((href) => s.request(`GET ${href}`)))
    assert.deepEqual(
      replies.map(({ text: content, fields }) => [content, fields['content-disposition']]),
      [
        ['same', 'inline; filename="a.txt"'],
        ['same', 'inline; filename="b.txt"'],
        ['same', 'inline; filename="b.txt"'],
      ],
    )
    assert.equal(new Set(replies.map(({ fields }) => fields.etag)).size, 3)
  })
  test('restores the item, and can be copied into another one', async () => {
    await using s = await serve(archive)
    const { uri, first } = await replacedSketch(s)
    const [, old] = await versionsOf(s, uri)
    const restored = await s.request(`PUT ${uri}`, {}, { slug: 'a', sketch: old?.json.sketch, pages: [] })
    assert.deepEqual([restored.status, restored.json.sketch.href], [200, '/notes/a/sketch'])
    assert.equal((await s.request(`GET ${uri}/sketch`)).text, 'first')
    const copy = await s.request('POST /drafts', {}, { scan: { href: first } })
    assert.equal((await s.request(`GET ${copy.json.scan.href}`)).text, 'first')
    const other = await s.request('POST /drafts', {}, { scan: { href: first.replace(/.$/, '!') } })
    assert.equal(other.status, 422)
  })
  test('a file of a list is restored with its id', async () => {
    await using s = await serve(archive)
    await s.request('POST /notes', {}, { slug: 'a', pages: [] })
    const added = await s.request('POST /notes/a/pages', named('one.txt'), 'one')
    await s.request('POST /notes/a/pages', named('two.txt'), 'two')
    await s.request(`DELETE ${added.fields.location}`)
    const [, both] = await versionsOf(s, '/notes/a')
    assert.equal((await s.request(`GET ${both?.json.pages[0].href}`)).text, 'one')
    const restored = await s.request('PATCH /notes/a', {}, { pages: both?.json.pages })
    assert.deepEqual([restored.status, restored.json.pages[0].href], [200, added.fields.location])
  })
  test('the form that restores a version names the files by their URIs', async () => {
    await using s = await serve(archive)
    const { uri, first } = await replacedSketch(s)
    const [{ version: newest }, { version }] = (await s.request(`GET ${uri}/history`)).json
    const forms = { accept: 'application/prs.hal-forms+json' }
    const templatesOf = async (one: string) =>
      (await s.request(`GET ${uri}/history/${one}`, forms)).json._templates
    assert.match(JSON.stringify((await templatesOf(version)).restore), new RegExp(first))
    assert.equal((await templatesOf(newest))?.restore, undefined)
  })
})

describe('a permanent URI', () => {
  test('is Content-Location of the present file, and has its tag, ranges and conditions (RFC 9110 §8.7)', async () => {
    await using s = await serve(archive)
    const { uri, second } = await replacedSketch(s)
    const present = await s.request(`GET ${uri}/sketch`)
    assert.equal(present.fields['content-location'], second)
    const etag = String(present.fields.etag)
    const notModified = await s.request(`GET ${uri}/sketch`, { 'if-none-match': etag })
    assert.deepEqual([notModified.status, notModified.fields['content-location']], [304, second])
    const whole = await s.request(`GET ${second}`)
    assert.deepEqual([whole.fields.etag, whole.fields['content-location']], [etag, undefined])
    const part = await s.request(`GET ${second}`, { range: 'bytes=0-2', 'if-range': etag })
    assert.deepEqual([part.status, part.text, part.fields['content-range']], [206, 'sec', 'bytes 0-2/6'])
    assert.equal((await s.request(`GET ${second}`, { range: 'bytes=9-' })).status, 416)
    assert.equal((await s.request(`GET ${second}`, { 'if-none-match': etag })).status, 304)
    assert.equal((await s.request(`GET ${second}`, { 'if-match': '"x"' })).status, 412)
    const head = await s.request(`HEAD ${second}`)
    assert.deepEqual([head.status, head.fields['content-length'], head.text], [200, '6', ''])
    assert.equal((await s.request(`OPTIONS ${second}`)).fields.allow, 'GET, HEAD, OPTIONS')
    assert.equal((await s.request(`PUT ${second}`, named('a.txt'), 'x')).status, 405)
    assert.equal((await s.request(`GET ${second}?format=json`)).status, 400)
  })
  test('is cached without questions for a day, and varies by nothing where all callers get it (RFC 8246)', async () => {
    await using s = await serve(archive)
    const { uri, first } = await replacedSketch(s)
    const { etag = '', ...fields } = (await s.request(`GET ${first}`, { accept: 'text/html' })).fields
    const cached = ['no-transform, max-age=86400, immutable', undefined]
    assert.deepEqual([fields['cache-control'], fields.vary], cached)
    const notModified = (await s.request(`GET ${first}`, { 'if-none-match': etag })).fields
    assert.deepEqual([notModified['cache-control'], notModified.vary], cached)
    assert.equal((await s.request(`GET ${uri}/sketch`)).fields.vary, undefined)
    const absent = (await s.request(`GET ${first.replace(/.$/, '!')}`)).fields
    assert.deepEqual([absent['cache-control'], absent.vary], ['no-cache', 'Accept'])
  })
  test('keeps the id of the item that it has now, and redirects from its former key', async () => {
    await using s = await serve(archive)
    const { first } = await replacedSketch(s)
    await s.request('PATCH /notes/a', {}, { slug: 'b' })
    const [, , old] = await versionsOf(s, '/notes/b')
    assert.equal(old?.json.sketch.href, first.replace('/notes/a/', '/notes/b/'))
    const moved = await s.request(`GET ${first}`)
    assert.deepEqual([moved.status, moved.fields.location], [301, old?.json.sketch.href])
    assert.equal(
      (await s.request(`GET ${first.replace('/-/', '/%2D/').replace('/a/', '/b/')}`)).text,
      'first',
    )
  })
  test('is 404 for a file that the item never had, and 410 below a deleted item', async () => {
    await using s = await serve(archive)
    const { first } = await replacedSketch(s)
    await s.request('POST /notes', {}, { slug: 'other', pages: [] })
    await s.request('PUT /notes/other/sketch', named('two.txt'), 'second')
    const [key = ''] = first.split('/').slice(-1)
    const wrong = [`${key}a`, key.slice(0, -1), key.replace('.', '-'), 'x', `${key}/`, `${key}/x`, '']
    for (const one of [`/notes/other/-/files/${key}`, ...wrong.map((end) => `/notes/a/-/files/${end}`)]) {
      assert.equal((await s.request(`PUT ${one}`, named('a.txt'), 'x')).status >= 404, true, one)
      if (!one.endsWith('/')) assert.equal((await s.request(`GET ${one}`)).status, 404, one)
    }
    await s.request('DELETE /notes/a')
    assert.equal((await s.request(`GET ${first}`)).status, 410)
  })
  test('of a resource without history is there as long as the item has the file', async () => {
    await using s = await serve(archive)
    const { id } = (await s.request('POST /drafts', {}, {})).json
    await s.request(`PUT /drafts/${id}/scan`, named('a.txt'), 'first')
    const href = (await s.request(`GET /drafts/${id}/scan`)).fields['content-location']
    assert.equal((await s.request(`GET ${href}`)).text, 'first')
    await s.request(`PUT /drafts/${id}/scan`, named('a.txt'), 'second')
    assert.equal((await s.request(`GET ${href}`)).status, 404)
  })
  test('ends with the version: pruned by the age of the history, it is 404', async () => {
    await using s = await serve(archive)
    const { first, second } = await replacedSketch(s)
    const { model, store } = s.service
    s.advance(366 * 86_400_000)
    const clock = { now: () => Date.now() + 366 * 86_400_000 }
    await pruneLog({ store, clock, ...retentionOf(model) }, new AbortController().signal)
    assert.equal((await s.request(`GET ${first}`)).status, 404)
    assert.equal((await s.request(`GET ${second}`)).text, 'second')
  })
  test('finds the file behind hundreds of later versions', async () => {
    await using s = await serve(archive)
    const { uri, first } = await replacedSketch(s)
    for (let n = 0; n < 250; n += 1) await s.request(`PATCH ${uri}`, {}, { title: String(n) })
    assert.equal((await s.request(`GET ${first}`)).text, 'first')
  })
})

describe('rights at a permanent URI', () => {
  test('a field that the caller does not see is 404, and private', async () => {
    await using s = await serve(gallery)
    const admin = { authorization: `Basic ${btoa('admin@example.org:correct horse battery')}` }
    const { id } = (await s.request('POST /pictures', {}, { title: 'A' })).json
    await s.request(`PUT /pictures/${id}/original`, { ...named('a.txt'), ...admin }, 'secret')
    const own = await s.request(`GET /pictures/${id}/original`, admin)
    const href = own.fields['content-location']
    const seen = await s.request(`GET ${href}`, admin)
    assert.equal(seen.text, 'secret')
    assert.equal(seen.fields['cache-control'], 'private, no-transform, max-age=86400, immutable')
    assert.equal(seen.fields.vary, 'Authorization, Cookie')
    assert.equal((await s.request(`GET ${href}`)).status, 404)
    await s.request(`DELETE /pictures/${id}/original`, admin)
    assert.equal((await s.request(`GET ${href}`, admin)).text, 'secret')
    assert.equal((await s.request(`GET ${href}`)).status, 404)
  })
  test('a former file needs the right to the history, the present one does not', async () => {
    const definition = service({
      title: 'T',
      accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
      resources: {
        users: resource(
          {
            email: email().unique(),
            password: password(),
            role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
          },
          { access: { read: role('admin'), create: anyone } },
        ),
        papers: resource(
          { status: text(), scan: file(types).optional(), author: ref('users').fromPrincipal() },
          {
            access: {
              read: [where({ status: 'open' }), owner('author')],
              create: signedIn,
              update: signedIn,
            },
            history: { read: [owner('author'), role('admin')] },
          },
        ),
      },
    })
    await using s = await serve(definition)
    const [ada, bob] = [await newAccount(s.request, 'ada'), await newAccount(s.request, 'bob')]
    const { id } = (await s.request('POST /papers', ada, { status: 'open' })).json
    const hrefs: string[] = []
    for (const content of ['one', 'two']) {
      await s.request(`PUT /papers/${id}/scan`, { ...ada, ...named('a.txt') }, content)
      hrefs.push(String((await s.request(`GET /papers/${id}/scan`, ada)).fields['content-location']))
    }
    const statuses = async (fields: Record<string, string>) =>
      Promise.all(hrefs.map(async (href) => (await s.request(`GET ${href}`, fields)).status))
    assert.deepEqual(await statuses(ada), [200, 200])
    assert.deepEqual(await statuses(bob), [404, 200])
    await s.request(`PATCH /papers/${id}`, ada, { status: 'secret' })
    assert.deepEqual(await statuses(bob), [404, 404])
    assert.deepEqual(await statuses({}), [404, 404])
    assert.deepEqual(await statuses(ada), [200, 200])
  })
})
