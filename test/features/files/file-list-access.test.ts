/** Lists of files: access, restored versions and resumable uploads. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { admin, serve } from '../../service.ts'
import { album, asText, serveTask } from './album.ts'
import { newAccount } from './gallery.ts'

describe('access', () => {
  test('a list has the rules of its field and item', async () => {
    await using t = await serveTask()
    const account = await newAccount(t.s.request, 'ada')
    const secret = await t.s.request(`POST ${t.task}/secrets`, { ...asText, ...account }, 'secret')
    assert.equal(secret.status, 201)
    const href = String(secret.fields.location)
    assert.equal((await t.s.request(`GET ${href}`, account)).text, 'secret')
    assert.equal((await t.s.request(`GET ${href}`)).status, 404)
    assert.equal((await t.s.request(`POST ${t.task}/secrets`, asText, 'x')).status, 404)
    assert.equal((await t.s.request(`GET ${t.task}`)).json.secrets, undefined)
    const copied = await t.s.request(`PATCH ${t.task}`, {}, { photos: [{ href }] })
    const absent = await t.s.request(`PATCH ${t.task}`, {}, { photos: [{ href: `${t.task}/secrets/none` }] })
    assert.deepEqual(copied.json.errors, absent.json.errors)
    assert.equal((await t.s.request(`POST ${t.task}/fixed`, asText, 'x')).status, 401)
    const fixed = await t.s.request(`POST ${t.task}/fixed`, { ...asText, ...account }, 'x')
    assert.equal(fixed.status, 201)
    const { json: item } = await t.s.request(`GET ${t.task}`)
    assert.equal((await t.s.request(`PUT ${t.task}`, {}, { ...item, title: 'B' })).status, 200)
    assert.equal((await t.s.request(`PUT ${t.task}`, {}, { ...item, fixed: [] })).status, 422)
  })

  test('the files of a hidden item are absent', async () => {
    await using s = await serve(album)
    const [ada, bob] = [await newAccount(s.request, 'ada'), await newAccount(s.request, 'bob')]
    const diary = String((await s.request('POST /diaries', ada, {})).fields.location)
    const href = String((await s.request(`POST ${diary}/pages`, { ...asText, ...ada }, 'x')).fields.location)
    assert.equal((await s.request(`GET ${href}`, ada)).text, 'x')
    for (const request of [`GET ${href}`, `DELETE ${href}`]) {
      assert.equal((await s.request(request, bob)).status, 404)
    }
    assert.equal((await s.request(`POST ${diary}/pages`, { ...asText, ...bob }, 'x')).status, 404)
    assert.equal((await s.request(`POST ${diary}/pages`, { ...asText, ...admin }, 'x')).status, 404)
  })
})

describe('history', () => {
  test('an earlier version is restored with its files and their URIs', async () => {
    await using t = await serveTask()
    const [a, b] = [await t.add('a'), await t.add('b')]
    const { json: before } = await t.s.request(`GET ${t.task}`)
    await t.s.request(`DELETE ${a}`)
    await t.s.request(`PUT ${b}`, asText, 'other')
    const [, , { version }] = (await t.s.request(`GET ${t.task}/history`)).json
    const { photos } = (await t.s.request(`GET ${t.task}/history/${version}`)).json
    const restored = await t.s.request(`PATCH ${t.task}`, {}, { photos })
    assert.equal(restored.status, 200, restored.text)
    assert.deepEqual(restored.json.photos, before.photos)
    assert.equal((await t.s.request(`GET ${a}`)).text, 'a')
    assert.equal((await t.s.request(`GET ${b}`)).text, 'b')
  })
})

describe('resumable uploads', () => {
  test('a POST to the list begins an upload, whose completion adds the file', async () => {
    await using t = await serveTask()
    const begin = { ...asText, 'upload-draft-interop-version': '8', 'upload-complete': '?0' }
    const begun = await t.s.request(`POST ${t.task}/photos`, begin, 'first ')
    assert.equal(begun.status, 201)
    const upload = String(begun.fields.location)
    assert.match(upload, /^\/uploads\//)
    assert.deepEqual(await t.photos(), [])
    const rest = {
      'content-type': 'application/partial-upload',
      'upload-offset': '6',
      'upload-complete': '?1',
    }
    const done = await t.s.request(`PATCH ${upload}`, rest, 'rest')
    assert.equal(done.status, 201, done.text)
    const [photo] = await t.photos()
    assert.equal(done.fields.location, photo?.href)
    assert.equal((await t.s.request(`GET ${photo?.href}`)).text, 'first rest')
    const whole = { ...begin, 'upload-complete': '?1' }
    const once = await t.s.request(`POST ${t.task}/photos`, whole, 'whole')
    assert.deepEqual([once.status, once.fields['upload-complete']], [201, '?1'])
    assert.equal(once.fields.location, (await t.photos())[1]?.href)
  })
})
