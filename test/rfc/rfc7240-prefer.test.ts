/** RFC 7240: preferences, honoured, disregarded and refused. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, email, nobody, owner, password, ref, resource, service, signedIn, text } from 'restwell'
import { admin, serve } from '../service.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
const notes = service({
  title: 'Notes',
  resources: {
    notes: resource({ title: text({ max: 5000 }) }, { access: open }),
    named: resource({ name: text() }, { key: 'name', put: 'create', access: open }),
    dropbox: resource({ title: text() }, { access: { ...open, read: nobody } }),
  },
})

const minimal = { prefer: 'return=minimal' }
const full = { prefer: 'return=representation' }

test('return=minimal empties 201, and turns the 200 of PUT and PATCH into 204 (§4.2)', async () => {
  await using s = await serve(notes)
  const created = await s.request('POST /notes', minimal, { title: 'A' })
  assert.equal(created.status, 201)
  assert.equal(created.octets.length, 0)
  const uri = created.fields.location
  const put = await s.request(`PUT ${uri}`, minimal, { title: 'B' })
  const patched = await s.request(`PATCH ${uri}`, minimal, { title: 'C' })
  assert.deepEqual([put.status, patched.status], [204, 204])
  for (const { fields } of [created, put, patched]) {
    assert.equal(fields['preference-applied'], 'return=minimal')
    assert.equal(fields['content-type'], undefined)
    assert.equal(fields['content-location'], undefined)
  }
  assert.equal((await s.request(`GET ${uri}`)).json.title, 'C')
})

test('a response without content has the entity tag of GET, but not after PUT (RFC 9110 §9.3.4)', async () => {
  await using s = await serve(notes)
  for (const title of ['A', 'x'.repeat(2000)]) {
    const created = await s.request('POST /notes', minimal, { title })
    const uri = created.fields.location
    assert.equal(created.fields.etag, (await s.request(`GET ${uri}`)).fields.etag)
    const patched = await s.request(`PATCH ${uri}`, minimal, { title: `${title}!` })
    assert.equal(patched.fields.etag, (await s.request(`GET ${uri}`)).fields.etag)
    const put = await s.request(`PUT ${uri}`, minimal, { title })
    assert.equal(put.fields.etag, undefined)
    assert.equal(put.fields['last-modified'], undefined)
  }
})

test('return=minimal of a PUT that creates is an empty 201 (§4.2)', async () => {
  await using s = await serve(notes)
  const created = await s.request('PUT /named/a', minimal, {})
  assert.equal(created.status, 201, created.text)
  assert.equal(created.octets.length, 0)
  assert.equal(created.fields.location, '/named/a')
})

test('return=representation is what is done anyway, and is named where it was done (§4.2)', async () => {
  await using s = await serve(notes)
  const created = await s.request('POST /notes', full, { title: 'A' })
  assert.equal(created.fields['preference-applied'], 'return=representation')
  assert.equal(created.json.title, 'A')
  const plain = await s.request('POST /notes', {}, { title: 'A' })
  assert.equal(plain.fields['preference-applied'], undefined)
  const unseen = await s.request('POST /dropbox', full, { title: 'A' })
  assert.equal(unseen.status, 201)
  assert.equal(unseen.fields['preference-applied'], undefined)
  const deleted = await s.request(`DELETE ${created.fields.location}`, full)
  assert.equal(deleted.status, 204)
  assert.equal(deleted.fields['preference-applied'], undefined)
})

test('unknown and malformed preferences are disregarded (§2)', async () => {
  await using s = await serve(notes)
  for (const prefer of ['respond-async', 'return=neither', 'x; y=1', '=,;', 'wait=10', '']) {
    const created = await s.request('POST /notes', { prefer }, { title: 'A' })
    assert.equal(created.status, 201, prefer)
    assert.equal(created.fields['preference-applied'], undefined)
  }
})

test('the first of repeated preferences counts; names are case-insensitive (§2)', async () => {
  await using s = await serve(notes)
  const fields = { prefer: 'RETURN=minimal; foo="a,b", return=representation' }
  const created = await s.request('POST /notes', fields, { title: 'A' })
  assert.equal(created.fields['preference-applied'], 'return=minimal')
})

test('handling=strict refuses what cannot be honoured, before anything has an effect (§4.4)', async () => {
  await using s = await serve(notes)
  const { location } = (await s.request('POST /notes', {}, { title: 'A' })).fields
  const refused: [string, string][] = [
    ['POST /notes', 'respond-async'],
    ['POST /notes', 'return=neither'],
    ['POST /notes', 'constructor'],
    ['GET /notes', 'return=minimal'],
    [`DELETE ${location}`, 'return=representation'],
    [`PATCH ${location}`, 'wait=1, return=minimal'],
  ]
  for (const [line, prefer] of refused) {
    const body = /^P/.test(line) ? { title: 'B' } : undefined
    const reply = await s.request(line, { prefer: `handling=strict, ${prefer}` }, body)
    assert.equal(reply.status, 400, `${line} ${prefer}`)
    assert.deepEqual(reply.json.preferences, [prefer.split(/[=,]/)[0]])
  }
  assert.equal((await s.request('GET /notes')).json.length, 1)
  assert.equal((await s.request('GET /notes')).json[0].title, 'A')
})

test('handling=strict and handling=lenient are named where they were applied (§3, §4.4)', async () => {
  await using s = await serve(notes)
  const strict = { prefer: 'handling=strict, return=minimal' }
  const created = await s.request('POST /notes', strict, { title: 'A' })
  assert.equal(created.status, 201)
  assert.equal(created.fields['preference-applied'], 'handling=strict, return=minimal')
  const lenient = { prefer: 'handling=lenient, respond-async' }
  const other = await s.request('POST /notes', lenient, { title: 'A' })
  assert.equal(other.fields['preference-applied'], 'handling=lenient')
})

test('count=exact applies to lists only, and Preference-Applied names it (docs/reference/http/lists.md, Lists)', async () => {
  await using s = await serve(notes)
  const { location } = (await s.request('POST /notes', {}, { title: 'A' })).fields
  const strict = { prefer: 'count=exact, handling=strict' }
  const counted = await s.request('GET /notes', strict)
  assert.equal(counted.fields['total-count'], '1')
  assert.equal(counted.fields['preference-applied'], 'count=exact, handling=strict')
  assert.equal((await s.request(`GET ${location}`, strict)).status, 400)
  assert.equal((await s.request('POST /notes', strict, { title: 'B' })).status, 400)
  const guessed = { prefer: 'count=planned, handling=strict' }
  assert.equal((await s.request('GET /notes', guessed)).status, 400)
})

test('a cacheable response depends on preferences only if Vary names Prefer (§2)', async () => {
  await using s = await serve(notes)
  const { location } = (await s.request('POST /notes', {}, { title: 'A' })).fields
  for (const path of ['/notes', location, '/']) {
    const { fields } = await s.request(`GET ${path}`, { prefer: 'handling=lenient' })
    const varies = /\bPrefer\b/.test(fields.vary as string)
    assert.equal(fields['preference-applied'] !== undefined, varies, String(path))
  }
})

const diaries = service({
  title: 'Diaries',
  accounts: { resource: 'users', login: 'email', password: 'password' },
  resources: {
    users: resource({ email: email().unique(), password: password() }, { access: { read: anyone } }),
    days: resource(
      { title: text(), author: ref('users').fromPrincipal() },
      { access: { read: owner('author'), create: signedIn } },
    ),
  },
})

test('count=exact has an effect on a streamed list and on a 304 too (RFC 9110 §15.4.5)', async () => {
  await using s = await serve(diaries)
  const counting = { ...admin, prefer: 'count=exact' }
  await s.request('POST /days', admin, { title: 'A' })
  await s.request('POST /days', admin, { title: 'B' })
  assert.equal((await s.request('GET /days?format=csv', counting)).fields['total-count'], '2')
  const page = await s.request('GET /days?limit=1&sort=title', counting)
  assert.equal(page.fields['total-count'], '2')
  await s.request('POST /days', admin, { title: 'C' })
  const condition = { ...counting, 'if-none-match': page.fields.etag ?? '' }
  const again = await s.request('GET /days?limit=1&sort=title', condition)
  assert.deepEqual([again.status, again.fields['total-count']], [304, '3'])
})
