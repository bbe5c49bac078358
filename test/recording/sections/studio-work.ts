/** Files of the studio, jobs, code that runs later, webhooks that arrive, callers with a JWT, pages of other origins. */

import { curve, jwt } from '../../access/jwt-issuer.ts'
import { startReceiver } from '../../features/webhooks/receiver.ts'
import { basic } from '../../service.ts'
import { openStudio, password, type World } from '../worlds.ts'
import type { Section } from './sections.ts'

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3])

async function useFiles(p: World): Promise<void> {
  const ann = { as: 'ann' }
  const made = await p.send('POST /pictures', ann, { title: 'Sea' })
  const picture = String(made.fields.location)
  const second = String((await p.send('POST /pictures', { as: 'bob' }, { title: 'Sky' })).fields.location)
  await p.send(`PUT ${picture}/image`, { ...ann, 'content-type': 'image/png', 'if-none-match': '*' }, png)
  await p.send(`PUT ${picture}/image`, { ...ann, 'content-type': 'image/png', 'if-none-match': '*' }, png)
  await p.send(`PUT ${picture}/image`, { ...ann, 'content-type': 'image/png' }, png)
  await p.send(`PUT ${picture}/image`, { ...ann, 'content-type': 'text/plain' }, 'x'.repeat(1001))
  await p.send(`PUT ${picture}/image`, { ...ann, 'content-type': 'text/html' }, '<script>')
  await p.send(`PUT ${picture}/image`, { as: 'bob', 'content-type': 'image/png' }, png)
  await p.send(`PUT ${picture}/locked`, { ...ann, 'content-type': 'image/png' }, png)
  await p.send(`PUT ${picture}/original`, { ...ann, 'content-type': 'text/plain' }, 'x')
  await p.send(`PUT ${picture}/nothing`, { ...ann, 'content-type': 'text/plain' }, 'x')
  await p.send(`PUT ${picture}/proof`, { ...ann, 'content-type': 'text/plain' }, 'x'.repeat(990))
  const full = String((await p.send('POST /pictures', ann, { title: 'Full' })).fields.location)
  await p.send(`PUT ${full}/proof`, { ...ann, 'content-type': 'text/plain' }, 'y'.repeat(990))
  await p.send(`PUT ${full}/image`, { ...ann, 'content-type': 'text/plain' }, 'z'.repeat(100))
  for (const path of [
    `${picture}/image`,
    `${picture}/proof`,
    `${picture}/original`,
    `${picture}/locked`,
    picture,
  ]) {
    for (const method of ['OPTIONS', 'HEAD', 'GET', 'POST']) await p.send(`${method} ${path}`, ann)
  }
  for (const format of ['hal-forms', 'xml', 'html', 'csv']) await p.send(`GET /pictures?format=${format}`)
  await p.send(`GET ${picture}`, { ...ann, accept: 'text/html' })
  await p.send(`GET ${picture}`, { as: 'admin' })
  await p.send(`PATCH ${second}`, { as: 'bob' }, { image: { href: `${picture}/image` } })
  await p.send(`PATCH ${second}`, { as: 'bob' }, { image: { href: `${picture}/original` } })
  await p.send(`PATCH ${second}`, { as: 'bob' }, { image: null })
  await p.send(`DELETE ${picture}/image`, { as: 'bob' })
  await p.send(`DELETE ${picture}/image`, ann)
  await p.send(`DELETE ${picture}/image`, ann)
  await p.send(`GET ${picture}/history`)
}

async function useJobs(p: World): Promise<void> {
  const ann = { as: 'ann' }
  const ended = (uri: string) =>
    p.until(`GET ${uri}`, { as: 'admin' }, ({ json }) => json.endedAt !== undefined)
  await p.send('POST /drawings/draw', {}, { titles: ['a'] })
  await p.send('POST /drawings/draw', ann, {})
  await p.send('POST /drawings/draw?dry-run=true', ann, { titles: ['a'] })
  for (const titles of [['one', 'two'], [], ['three', 'stop'], ['LOUD'], ['failing']]) {
    const { fields } = await p.send('POST /drawings/draw', ann, { titles })
    const job = String(fields.location)
    await ended(job)
    for (const as of ['ann', 'admin']) await p.send(`GET ${job}`, { as })
    await p.send(`POST ${job}/cancel`, ann)
    await p.send(`GET ${job}`, { as: 'bob' })
  }
  const once = { ...ann, 'idempotency-key': '"job"' }
  const first = await p.send('POST /drawings/draw', once, { titles: ['once'] })
  await ended(String(first.fields.location))
  await p.send('POST /drawings/draw', once, { titles: ['once'] })
  await p.send(
    'POST /drawings/draw',
    { ...ann, accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
    'titles=a',
  )
  await p.until('GET /jobs', { as: 'admin' }, ({ json }) =>
    json.every((job: { endedAt?: string }) => job.endedAt !== undefined),
  )
  for (const format of ['json', 'hal-forms', 'xml', 'html'])
    await p.send(`GET /jobs?limit=2&format=${format}`, ann)
  await p.send('GET /jobs', { as: 'bob' })
  await p.send('GET /jobs?status=failed', ann)
  await p.send('GET /jobs')
  const job = String(first.fields.location)
  await p.send(`GET ${job}`, { ...ann, accept: 'text/html' })
  for (const method of ['OPTIONS', 'PATCH', 'DELETE', 'DELETE', 'GET']) await p.send(`${method} ${job}`, ann)
}

/** Hooks after a commit, a schedule, and requests to another service. */
async function runLater(p: World): Promise<void> {
  const ann = { as: 'ann' }
  await using receiver = await startReceiver()
  p.symbols.nameText(new URL(receiver.url).origin, 'receiver')
  const made = await p.send('POST /webhooks', ann, {
    url: receiver.url,
    events: ['parts.*', 'things.created'],
  })
  const hook = String(made.fields.location)
  const delivered = async (count: number) => {
    await receiver.reached(count)
    await p.until(
      `GET ${hook}/deliveries`,
      ann,
      ({ json }) => json.filter(({ status }: { status: string }) => status === 'succeeded').length >= count,
    )
  }
  const part = String((await p.send('POST /parts', ann, { label: 'Hooked' })).fields.location)
  await delivered(1)
  await p.send(`PATCH ${part}`, { ...ann, 'if-match': '*' }, { label: 'Again' })
  await delivered(2)
  await p.send('POST /drawings', ann, { title: 'followed', first: 'Ann' })
  await delivered(3)
  await p.send('GET /things/AF1')
  await p.send(`POST ${hook}/ping`, ann)
  await delivered(4)
  for (const { text, headers } of receiver.received) {
    const { 'webhook-id': id, 'content-type': type } = headers
    p.symbols.nameText(String(id), 'message')
    p.record(`POST to a webhook, ${type}`, text)
  }
  await p.send(`GET ${hook}`, ann)
  await p.send(`GET ${hook}`, { as: 'bob' })
  await p.send(`PATCH ${hook}`, ann, { active: false })
  // At 03:00 of the next day.
  p.advance(Date.parse('2026-11-03T03:00:00Z') - Date.now())
  await p.until('GET /parts', {}, ({ text }) => text.includes('11-03'))
  await p.send('GET /parts?sort=label')
  await p.send('GET /audit?limit=3', { as: 'admin' })
}

async function useOtherCallers(p: World): Promise<void> {
  const sign = (claims: Record<string, unknown>) =>
    jwt({ header: { alg: 'ES256', kid: 'curve' }, key: curve.privateKey, claims })
  const tokens = {
    'a JWT of ann': { email: 'ann@example.org', email_verified: true },
    'another subject': { email: 'ann@example.org', email_verified: true, sub: 'other' },
    'an unproven address': { email: 'bob@example.org' },
    'an unknown login': { email: 'none@example.org', email_verified: true, sub: 'none' },
    'an expired JWT': { email: 'ann@example.org', email_verified: true, exp: 1 },
    'another audience': { email: 'ann@example.org', email_verified: true, aud: 'https://other.example' },
    'another issuer': { email: 'ann@example.org', email_verified: true, iss: 'https://other.example' },
  }
  for (const [name, claims] of Object.entries(tokens)) {
    p.addCaller(name, { authorization: `Bearer ${await sign(claims)}` })
    for (const line of ['GET /pictures', 'GET /tokens', 'POST /pictures']) await p.send(line, { as: name })
    await p.send('POST /tokens', { as: name }, { name: 'From a JWT' })
  }
  p.addCaller('olga', basic('olga@example.org', password))
  await p.prepare(`PATCH /people/${p.id('people', 3)}`, { as: 'admin' }, { password })
  for (const line of [
    'GET /pictures',
    'GET /',
    'POST /pictures',
    `GET /people/${p.id('people', 3)}/credentials`,
  ]) {
    await p.send(line, { as: 'olga' })
    await p.send(line, { as: 'olga', accept: 'text/html' })
  }
  for (const origin of ['https://app.example', 'https://evil.example', 'null', 'https://app.example.']) {
    for (const path of ['/things', '/things/AB1', '/nothing', '/tokens']) {
      await p.send(`GET ${path}`, { origin })
      await p.send(`OPTIONS ${path}`, {
        origin,
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'authorization,if-match',
      })
    }
    await p.send('POST /things', { origin, as: 'ann' }, {})
    await p.send('POST /things', { origin, as: 'password' }, {})
  }
}

export const studioWork: Section = {
  name: 'studio-work',
  open: openStudio,
  async play(p) {
    await p.send('GET /openapi.json', { as: 'ann' })
    await useFiles(p)
    await useJobs(p)
    await runLater(p)
    // The first JWT of an account ends its tokens, because its address is not proven.
    await useOtherCallers(p)
  },
}
