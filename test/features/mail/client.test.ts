/** The client's methods for links in mails (docs/guide/client.md, "Use the links in mails"). */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { type ClientOptions, client } from 'restwell/client'
import { service } from '../../../src/index.ts'
import { admin, basic, serve } from '../../service.ts'
import { accounts, people } from './fixtures/people.ts'
import { type MailServer, startMailServer } from './mail-server.ts'

const publicUrl = 'https://people.example'
const mail = { from: 'service@example.org' }
const [first, second] = ['the first password', 'the second password']
const ada = 'ada@example.org'
const byMail = { ...accounts, signUp: 'by-mail' } as const
const definition = service({ title: 'People', accounts: byMail, mail, resources: { people } })

async function secretIn(mails: MailServer, count: number): Promise<string> {
  await mails.reached(count)
  return mails.received[count - 1]?.secrets[0] ?? ''
}

test('a person signs up, sets a new password, changes the address and accepts an invitation', async () => {
  await using mails = await startMailServer()
  await using s = await serve(definition, { publicUrl, mail: mails.url })
  const connect = (options: ClientOptions = {}) => client<typeof definition>(s.url, options)
  const statusFor = async (login: string, password: string) =>
    (await s.request('GET /people', basic(login, password))).status
  const api = connect()

  await api.people.create({ email: ada, password: first })
  const signUp = await secretIn(mails, 1)
  await assert.rejects(api.confirmAddress(signUp, {}), { name: 'Problem', status: 422 })
  assert.equal(await api.confirmAddress(signUp, { password: first }), undefined)
  assert.equal(await statusFor(ada, first), 200)

  assert.equal(await api.requestPasswordReset({ login: 'nobody@example.org' }), undefined)
  assert.equal(await api.requestPasswordReset({ login: ada }), undefined)
  const reset = await secretIn(mails, 2)
  await assert.rejects(api.resetPassword(reset, { password: 'short' }), { name: 'Problem', status: 422 })
  await api.resetPassword(reset, { password: second })
  await assert.rejects(api.resetPassword(reset, { password: first }), { name: 'Problem', status: 404 })
  assert.deepEqual([await statusFor(ada, first), await statusFor(ada, second)], [401, 200])
  await mails.reached(3)

  const signedIn = connect(basic(ada, second))
  await signedIn.requestVerification({ login: 'ada@example.net', currentPassword: second })
  await signedIn.confirmAddress(await secretIn(mails, 4), {})
  assert.equal(await statusFor('ada@example.net', second), 200)
  await mails.reached(5)

  await connect(admin).invitations.create({ email: 'tom@example.org', role: 'admin' })
  await api.acceptInvitation(await secretIn(mails, 6), { password: first })
  assert.equal(await statusFor('tom@example.org', first), 200)
  const again = api.acceptInvitation(await secretIn(mails, 6), { password: first })
  await assert.rejects(again, { name: 'Problem', status: 404 })
})

test('a page of a listed origin may request a mail, on the same site or not; it may not sign anyone in', async () => {
  const origin = 'https://app.people.example'
  const listed = service({ title: 'People', accounts, mail, origins: [origin], resources: { people } })
  await using s = await serve(listed, { publicUrl })
  const from = (site: string) => {
    const send = (request: Request) => {
      const fields = { ...Object.fromEntries(request.headers), origin, 'sec-fetch-site': site }
      return request
        .text()
        .then((body) => fetch(request.url, { method: request.method, headers: fields, body }))
    }
    return client<typeof listed>(s.url, { fetch: send })
  }
  assert.equal(await from('same-site').requestPasswordReset({ login: ada }), undefined)
  assert.equal(await from('cross-site').requestPasswordReset({ login: ada }), undefined)
  const form = { origin, 'sec-fetch-site': 'cross-site', 'content-type': 'application/x-www-form-urlencoded' }
  assert.equal((await s.request('POST /sign-in', form, 'login=a&password=b')).status, 403)
  const unlisted = { ...form, origin: 'https://other.example' }
  assert.equal((await s.request('POST /password-resets', unlisted, `login=${ada}`)).status, 403)
})

test('a client with dryRun requests no mail, and a secret that names another resource is not sent', async () => {
  await using s = await serve(definition, { publicUrl })
  const trial = client<typeof definition>(s.url, { dryRun: true })
  await assert.rejects(trial.requestPasswordReset({ login: ada }), { name: 'Problem', status: 400 })
  assert.equal(await s.service.store.count('account_mails', { kind: 'always' }), 0)
  for (const secret of ['', '.', '..']) {
    assert.throws(() => trial.resetPassword(secret, { password: first }), TypeError)
  }
})

test('/client.js has the methods for links in mails, at moved paths and in every version', async () => {
  await using mails = await startMailServer()
  const paths = { 'password-resets': 'resets', verifications: 'proofs', invitations: 'invites' }
  const versions = { v1: { people: { renamed: { address: 'email' } } } } as const
  const options = { title: 'People', name: 'people', accounts, mail, paths, versions }
  const moved = service({ ...options, resources: { people } })
  await using s = await serve(moved, { publicUrl, mail: mails.url })
  const folder = mkdtempSync(join(tmpdir(), 'restwell-client-'))
  try {
    const file = join(folder, 'client.mjs')
    writeFileSync(file, (await s.request('GET /client.js?api-version=v1')).text)
    const module = await import(pathToFileURL(file).href)
    await module.client(s.url, admin).invites.create({ email: ada, role: 'member' })
    await module.client(s.url).acceptInvitation(await secretIn(mails, 1), { password: first })
    await module.client(s.url).requestPasswordReset({ login: ada })
    await client<typeof moved>(s.url, { paths }).requestVerification({ login: ada })
    await mails.reached(3)
    const links = mails.received.map(({ text }) => /people\.example\/(\w+)\//.exec(text)?.[1])
    assert.deepEqual(links.toSorted(), ['invites', 'proofs', 'resets'])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
