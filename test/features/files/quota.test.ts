/** The quota of files: what the files of each account may have together. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  anyone,
  choice,
  email,
  file,
  list,
  password,
  resource,
  role,
  service,
  text,
} from '../../../src/index.ts'
import { checkDefinition } from '../../../src/service/check-definition.ts'
import { admin, serve } from '../../service.ts'
import { newAccount } from './gallery.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
const note = file({ types: ['text/plain'], max: '2 kB' })

const notes = service({
  title: 'Notes',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  files: { quota: '1 kB' },
  resources: {
    users: resource(
      {
        email: email().unique(),
        password: password(),
        role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
      },
      { access: { read: role('admin'), create: anyone, update: role('admin') } },
    ),
    tasks: resource({ title: text(), cover: note.optional(), photos: list(note) }, { access }),
  },
})

const asText = { 'content-type': 'text/plain' }

async function serveNotes() {
  const s = await serve(notes)
  const ada = { ...asText, ...(await newAccount(s.request, 'ada')) }
  const create = async () => String((await s.request('POST /tasks', {}, { title: 'A' })).fields.location)
  return { s, ada, create, [Symbol.asyncDispose]: () => s[Symbol.asyncDispose]() }
}

test('files beyond the quota of the account are 413, with what is left', async () => {
  await using t = await serveNotes()
  const { request } = t.s
  const task = await t.create()
  assert.equal((await request(`PUT ${task}/cover`, t.ada, 'x'.repeat(600))).status, 201)
  const refused = await request(`POST ${task}/photos`, t.ada, 'x'.repeat(401))
  assert.equal(refused.status, 413, refused.text)
  const { type, quota, left, detail } = refused.json
  assert.deepEqual([type, quota, left], ['/problems/quota-exceeded', 1000, 400])
  assert.equal(detail, 'Of the 1 kB that your files may have, 400 B are left.')
  assert.equal((await request(`POST ${task}/photos`, t.ada, 'x'.repeat(400))).status, 201)
  // A replacement counts as the difference; other accounts and callers without one have their own.
  assert.equal((await request(`PUT ${task}/cover`, t.ada, 'y'.repeat(600))).status, 204)
  assert.equal((await request(`PUT ${task}/cover`, t.ada, 'y'.repeat(601))).status, 413)
  const bob = { ...asText, ...(await newAccount(request, 'bob')) }
  assert.equal((await request(`POST ${task}/photos`, bob, 'x'.repeat(1000))).status, 201)
  assert.equal((await request(`POST ${task}/photos`, asText, 'x'.repeat(2000))).status, 201)
  // A removed file, a replaced file and a deleted item no longer count.
  assert.equal((await request(`DELETE ${task}/cover`)).status, 204)
  assert.equal((await request(`POST ${task}/photos`, t.ada, 'x'.repeat(601))).status, 413)
  assert.equal((await request(`POST ${task}/photos`, t.ada, 'x'.repeat(600))).status, 201)
  assert.equal((await request(`DELETE ${task}`)).status, 204)
  assert.equal((await request(`PUT ${await t.create()}/cover`, t.ada, 'x'.repeat(1000))).status, 201)
})

test('copies, forms, chunked content, batches and resumable uploads count too', async () => {
  await using t = await serveNotes()
  const { request } = t.s
  const task = await t.create()
  await request(`PUT ${task}/cover`, t.ada, 'x'.repeat(600))
  const copy = { title: 'B', cover: { href: `${task}/cover` } }
  const { 'content-type': _, ...ada } = t.ada
  assert.equal((await request('POST /tasks', ada, copy)).json.type, '/problems/quota-exceeded')
  const part = 'Content-Disposition: form-data; name="photos"; filename="a.txt"\r\nContent-Type: text/plain'
  const body = `--b\r\n${part}\r\n\r\n${'x'.repeat(401)}\r\n--b--\r\n`
  const form = { ...ada, 'content-type': 'multipart/form-data; boundary=b' }
  for (const line of [`POST ${task}/photos`, `PATCH ${task}`]) {
    assert.equal((await request(line, form, body)).json.type, '/problems/quota-exceeded', line)
  }
  const patch = { method: 'PATCH', path: task, body: { photos: [{ href: `${task}/cover` }] } }
  const batch = await request('POST /batch', ada, { requests: [patch] })
  assert.deepEqual([batch.status, batch.json.problem.type], [422, '/problems/quota-exceeded'])
  const small = await t.create()
  await request(`PUT ${small}/cover`, asText, 'x'.repeat(300))
  const copies = [await t.create(), await t.create()].map((path) => {
    return { method: 'PATCH', path, body: { cover: { href: `${small}/cover` } } }
  })
  const together = await request('POST /batch', ada, { requests: copies })
  assert.deepEqual([together.status, together.json.type], [413, '/problems/quota-exceeded'])
  assert.equal((await request(`POST ${task}/photos?dry-run=true`, t.ada, 'x'.repeat(401))).status, 413)
  assert.equal((await request(`POST ${task}/photos?dry-run=true`, t.ada, 'x'.repeat(400))).status, 204)
  const begin = { ...t.ada, 'upload-draft-interop-version': '8', 'upload-complete': '?0' }
  const long = await request(`POST ${task}/photos`, { ...begin, 'upload-length': '401' }, 'x')
  assert.equal(long.json.type, '/problems/quota-exceeded')
  const begun = await request(`POST ${task}/photos`, begin, 'x'.repeat(300))
  assert.match(String(begun.fields['upload-limit']), /^max-size=400, max-age=86(?:400|3\d\d)$/)
  const second = await request(`POST ${task}/photos`, { ...begin, 'upload-length': '101' }, 'x')
  assert.equal(second.status, 413)
  const rest = { ...ada, 'content-type': 'application/partial-upload', 'upload-offset': '300' }
  const end = { ...rest, 'upload-complete': '?1' }
  await request(`POST ${task}/photos`, t.ada, 'x'.repeat(200))
  const over = await request(`PATCH ${begun.fields.location}`, end, 'y'.repeat(100))
  assert.equal(over.json.type, '/problems/quota-exceeded', 'decided again at completion')
})

test('racing requests of an account do not exceed the quota', async () => {
  await using t = await serveNotes()
  const tasks = await Promise.all(Array.from({ length: 8 }, () => t.create()))
  const replies = await Promise.all(
    tasks.map((task) => t.s.request(`PUT ${task}/cover`, t.ada, 'x'.repeat(300))),
  )
  const statuses = replies.map(({ status }) => status).sort()
  assert.deepEqual(statuses, [201, 201, 201, 413, 413, 413, 413, 413])
})

test('/status shows administrators the use of each account', async () => {
  await using t = await serveNotes()
  const task = await t.create()
  await t.s.request(`PUT ${task}/cover`, t.ada, 'x'.repeat(600))
  const { files } = (await t.s.request('GET /status', admin)).json
  const { accounts, ...sum } = files
  assert.deepEqual(sum, { quota: 1000, used: 600 })
  assert.match(accounts[0].account, /^\/users\//)
  assert.equal(accounts[0].used, 600)
  const page = await t.s.request('GET /status', { ...admin, accept: 'text/html' })
  assert.ok(page.text.includes(`${accounts[0].account}</a>: 600 B`), page.text)
})

test('a quota needs accounts and a size', () => {
  const tasks = resource({ cover: note.optional() }, { access })
  const faults = (files: object) => () =>
    checkDefinition(service({ title: 'T', files: files as never, resources: { tasks } }))
  assert.throws(faults({ quota: '1 kB' }), /A quota needs accounts/)
  assert.throws(faults({ quota: 1000 }), /'quota' must be a size/)
  assert.throws(faults({ quotas: '1 kB' }), /quotas/)
})
