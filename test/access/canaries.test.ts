/** Twelve planted secrets and the content of hidden files never appear in a log or a response. */

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { logTo } from '../../src/operation/log.ts'
import { gallery, newAccount } from '../features/files/gallery.ts'
import { admin, adminPassword, basic, type Reply, serve } from '../service.ts'
import { account, as, bearer, definition } from './sample.ts'

test('no log line, response or problem contains a password, a hash, a token or an Authorization', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  const replies: Reply[] = []
  const request: typeof s.request = async (...request) => {
    const reply = await s.request(...request)
    replies.push(reply)
    return reply
  }
  const chosen = 'canary-chosen-password'
  const created = await s.request('POST /users', {}, { email: 'c@example.org', name: 'C', password: chosen })
  const own = basic('c@example.org', chosen)
  const token: string = (await s.request('POST /tokens', own, {})).json.token
  const other: string = (await s.request('POST /tokens', admin, {})).json.token
  const stored = await storedSecrets(s.service.store, s.service.model)
  const tried = 'canary-wrong-password'
  const changed = 'canary-changed-password'

  for (const caller of [
    own,
    as(ada),
    admin,
    bearer(token),
    bearer(other),
    basic('c@example.org', tried),
    bearer(`${token.slice(0, -1)}!`),
    {},
  ]) {
    for (const path of [
      '/',
      '/users',
      `/users/${created.json.id}`,
      `/users/${created.json.id}/history`,
      '/tokens',
      '/articles',
      '/vaults',
      '/nothing',
      `/users?password=${tried}`,
      `/tokens?token=${token}`,
    ]) {
      await request(`GET ${path}`, caller)
    }
  }
  await request('POST /users', {}, { email: 'bad', name: '', password: tried, nosuch: tried })
  await request('POST /users', { 'content-type': 'application/json' }, `{"password":"${tried}"`)
  await request(`PATCH /users/${created.json.id}`, own, { password: changed, role: 'admin' })
  await request(`PATCH /users/${created.json.id}`, own, { password: changed })
  await request(`PUT /users/${created.json.id}`, basic('c@example.org', changed), { password: tried })
  await request('POST /tokens', { ...own, authorization: `Bearer ${tried}` }, { token: tried })

  const secrets = [
    chosen,
    changed,
    adminPassword,
    token,
    other,
    ...stored,
    own.authorization,
    admin.authorization,
    basic('c@example.org', tried).authorization.slice(6),
  ]
  assert.ok(secrets.length >= 12, `${secrets.length} secrets`)
  const lines: string[] = []
  const log = logTo({ write: (line) => lines.push(line) }, 'trace', Date.now)
  for (const observation of s.observations) log(observation)
  const texts = [...lines, ...replies.map(({ fields, text }) => JSON.stringify(fields) + text)]
  assert.ok(texts.length > 100)
  for (const secret of secrets) {
    const leak = texts.find((one) => one.includes(secret))
    // A query is echoed only to the client that sent it.
    assert.equal(leak, undefined, `${secret} in ${leak}`)
  }
  assert.ok(!lines.some((line) => line.includes(tried)), 'no log line holds what was tried')
  for (const text of texts) assert.doesNotMatch(text, /node_modules|\.ts:\d|select |insert into|argon2/i)
})

test('no log line and no response to others has the content, the name or the digest of a hidden file', async () => {
  await using s = await serve(gallery)
  const [ada, eve] = [await newAccount(s.request, 'ada'), await newAccount(s.request, 'eve')]
  const [content, name] = ['canary content of a file', 'canary-name.txt']
  const digest = `sha-256=:${hash('sha256', content, 'base64')}:`
  const fields = { 'content-type': 'text/plain', 'content-disposition': `attachment; filename="${name}"` }
  const diary = String((await s.request('POST /diaries', ada, { title: 'Mine' })).fields.location)
  const picture = String((await s.request('POST /pictures', {}, { title: 'Seen' })).fields.location)
  assert.equal((await s.request(`PUT ${diary}/scan`, { ...ada, ...fields }, content)).status, 201)
  assert.equal((await s.request(`PUT ${picture}/original`, { ...admin, ...fields }, content)).status, 201)
  const replies: string[] = []
  for (const caller of [eve, {}]) {
    for (const uri of [`${diary}/scan`, diary, '/diaries', `${picture}/original`, picture, '/pictures']) {
      for (const format of ['application/json', 'application/prs.hal-forms+json', 'text/html', 'text/csv']) {
        const { fields: sent, text } = await s.request(`GET ${uri}`, { ...caller, accept: format })
        replies.push(JSON.stringify(sent) + text)
      }
    }
    // The digest is no way to the content, alone or beside a URI that is hidden, absent or another one's.
    for (const member of [
      { digest },
      { href: `${diary}/scan`, digest },
      { href: `${picture}/original`, digest },
      { href: `${picture}/image`, digest },
    ]) {
      const { status, text } = await s.request('POST /pictures', caller, { title: 'Copy', image: member })
      assert.equal(status, 422, text)
      replies.push(text.replaceAll(digest, ''))
    }
    const sent = { ...caller, 'content-type': 'text/plain', 'repr-digest': digest }
    assert.equal((await s.request(`PUT ${picture}/image`, sent, '')).status, 400)
  }
  const lines: string[] = []
  const log = logTo({ write: (line) => lines.push(line) }, 'trace', Date.now)
  for (const observation of s.observations) log(observation)
  assert.ok(lines.length > 0)
  for (const secret of [content, name, digest]) {
    assert.equal(
      [...lines, ...replies].find((one) => one.includes(secret)),
      undefined,
    )
  }
})

async function storedSecrets(
  store: Awaited<ReturnType<typeof serve>>['service']['store'],
  model: Awaited<ReturnType<typeof serve>>['service']['model'],
): Promise<string[]> {
  const secrets: string[] = []
  for (const [table, name] of [
    ['users', 'password'],
    ['tokens', 'token'],
    ['tokens', 'passwordMark'],
  ] as const) {
    const rows = await store.list({
      table,
      condition: { kind: 'always' },
      order: [{ column: '_identity', descending: false }],
      after: undefined,
      limit: 10,
      evaluated: [],
    })
    const at = model.resources.get(table)?.fieldByName.get(name)?.index ?? 0
    secrets.push(...rows.map((row) => String(row[at])))
  }
  return secrets
}
