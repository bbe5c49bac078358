/** Accounts of the demo: schemes, tokens and scopes, own credentials, second factors, disabled accounts, the audit. */

import { createHmac } from 'node:crypto'
import { basic } from '../../service.ts'
import { openShop, password, type World } from '../worlds.ts'
import type { Section } from './sections.ts'

const formed = {
  accept: 'text/html',
  'sec-fetch-site': 'same-origin',
  'content-type': 'application/x-www-form-urlencoded',
}

/** The code of an authenticator (RFC 6238) for its secret in base 32. */
function codeOf(secret: string, at: number): string {
  const bits = [...secret]
    .map((digit) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(digit).toString(2).padStart(5, '0'))
    .join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((octet) => Number.parseInt(octet, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)))
  const mac = createHmac('sha1', key).update(counter).digest()
  const offset = mac.at(-1)! & 0xf
  return String((mac.readUInt32BE(offset) & 0x7f_ff_ff_ff) % 1_000_000).padStart(6, '0')
}

const unknownLogin = `Basic ${Buffer.from('none@example.org:wrong').toString('base64')}`

const wrongCredentials = [
  'Basic',
  'Basic x',
  `Basic ${Buffer.from('ada@example.org:wrong').toString('base64')}`,
  unknownLogin,
  `Basic ${Buffer.from('ada@example.org').toString('base64')}`,
  'Bearer',
  'Bearer x',
  'Bearer rw_0000000000000000000000000000000000000000000000000',
  'Bearer eyJhbGciOiJub25lIn0.e30.',
  'Digest username="ada"',
  '',
]

async function useTokens(p: World): Promise<void> {
  for (const body of [
    {},
    { name: 'Reader', scopes: ['articles:read'], expiresIn: 60 },
    { name: 'Writer', scopes: ['products:write', 'products:read'] },
    { name: 'Wide', scopes: ['*:*'] },
    { scopes: [] },
    { scopes: ['nothing:read'] },
    { scopes: ['articles:fly'] },
    { expiresIn: 0 },
    { expiresIn: 31_536_001 },
    { name: 1 },
    { nothing: 1 },
  ]) {
    await p.send('POST /tokens', { as: 'password ada' }, body)
  }
  const made = await p.prepare(
    'POST /tokens',
    { as: 'password ada' },
    { name: 'Products', scopes: ['products:write', 'products:read'], expiresIn: 3600 },
  )
  p.addCaller('scoped', { authorization: `Bearer ${made.json.token}` })
  for (const line of [
    'GET /articles',
    'GET /products',
    'GET /products/MUG-1?format=html',
    'GET /users',
    'GET /',
    'GET /events',
    'GET /tokens',
    'GET /openapi.json?format=html',
    'DELETE /products/MUG-1',
  ]) {
    await p.send(line, { as: 'scoped' })
  }
  await p.send('PATCH /products/MUG-1', { as: 'scoped' }, { stock: 3 })
  await p.send('POST /articles', { as: 'scoped' }, { slug: 'scoped', title: 'S' })
  await p.send('POST /tokens', { as: 'scoped' }, { name: 'Wider' })
  await p.send('POST /tokens', { as: 'scoped' }, { scopes: ['products:read'], expiresIn: 60 })
  await p.send(
    'POST /batch',
    { as: 'scoped' },
    {
      requests: [
        { method: 'PATCH', path: '/products/MUG-1', body: { stock: 4 } },
        { method: 'POST', path: '/articles', body: { slug: 'b', title: 'B' } },
      ],
    },
  )
  for (const format of ['json', 'html', 'hal-forms', 'xml', 'csv'])
    await p.send(`GET /tokens?format=${format}`, { as: 'password ada' })
  const own = `/tokens/${made.json.id}`
  for (const as of ['scoped', 'password ada', 'member', 'admin']) await p.send(`GET ${own}`, { as })
  await p.send(`GET ${own}?format=html`, { as: 'password ada' })
  await p.send(`PATCH ${own}`, { as: 'password ada' }, { name: 'X' })
  await p.send(`DELETE ${own}`, { as: 'member' })
  await p.send(`DELETE ${own}`, { as: 'password ada' })
  await p.send('GET /products', { as: 'scoped' })
  const short = await p.prepare('POST /tokens', { as: 'password ada' }, { expiresIn: 1 })
  p.addCaller('expired', { authorization: `Bearer ${short.json.token}` })
  p.advance(2000)
  await p.send('GET /products', { as: 'expired' })
}

async function changeOwnAccount(p: World): Promise<void> {
  const ada = `/users/${p.id('users', 1)}`
  for (const body of [
    { password: 'another long one' },
    { password: 'another long one', currentPassword: 'wrong' },
    { email: 'ada@new.example' },
    { email: 'ada@new.example', currentPassword: password },
  ]) {
    await p.send(`PATCH ${ada}`, { as: 'password ada' }, body)
    await p.send(`PATCH ${ada}`, { as: 'editor' }, body)
  }
  p.addCaller('password ada', basic('ada@new.example', password))
  await p.send(
    `PATCH ${ada}`,
    { as: 'password ada' },
    { password: 'another long one', currentPassword: password },
  )
  await p.send('GET /tokens', { as: 'editor' })
  await p.send('GET /tokens', { as: 'password ada' })
  p.addCaller('password ada', basic('ada@new.example', 'another long one'))
  await p.send(`GET ${ada}`, { as: 'password ada' })
}

async function useSecondFactor(p: World): Promise<void> {
  const own = `/users/${p.id('users', 2)}/credentials`
  for (const as of [undefined, 'password grace', 'member', 'admin']) {
    await p.send(`GET ${own}`, as ? { as } : {})
    await p.send(`POST ${own}`, as ? { as } : {}, { kind: 'totp', name: 'Phone' })
  }
  for (const body of [
    { kind: 'nothing' },
    {},
    { kind: 'recovery-codes', currentPassword: password },
    { kind: 'provider', currentPassword: password },
    { kind: 'totp', name: 'Phone', currentPassword: 'wrong' },
  ]) {
    await p.send(`POST ${own}`, { as: 'password grace' }, body)
  }
  const made = await p.prepare(
    `POST ${own}`,
    { as: 'password grace' },
    { kind: 'totp', name: 'Phone', currentPassword: password },
  )
  const { secret, id } = made.json as { secret: string; id: string }
  const code = () => codeOf(secret, Date.now())
  const uri = `${own}/${id}`
  for (const format of ['json', 'html', 'hal-forms'])
    await p.send(`GET ${uri}?format=${format}`, { as: 'password grace' })
  await p.send(`POST ${uri}/confirm`, { as: 'password grace' }, { code: '000000' })
  await p.send(`POST ${uri}/confirm`, { as: 'password grace' }, {})
  const confirmed = await p.prepare(`POST ${uri}/confirm`, { as: 'password grace' }, { code: code() })
  const recoveryCodes = confirmed.json.recoveryCodes as string[]
  for (const [index, one] of recoveryCodes.entries()) p.symbols.nameText(one, `recovery code ${index + 1}`)
  await p.send(`GET ${own}`, { as: 'password grace' })
  await p.send(`GET ${own}`, { as: 'admin' })
  p.advance(30_000)
  const login = `login=grace@example.org&password=${password.replaceAll(' ', '+')}`
  const step = await p.send('POST /sign-in?next=/articles', formed, login)
  p.addCaller('half signed in', { cookie: String(step.fields['set-cookie']).split(';', 1)[0]! })
  await p.send('GET /sign-in/second-factor', {
    accept: 'text/html',
    'sec-fetch-site': 'same-origin',
    as: 'half signed in',
  })
  await p.send('GET /articles', {
    accept: 'text/html',
    'sec-fetch-site': 'same-origin',
    as: 'half signed in',
  })
  await p.send('POST /sign-in/second-factor', { ...formed, as: 'half signed in' }, 'code=000000')
  await p.send('POST /sign-in/second-factor', formed, 'code=000000')
  p.advance(30_000)
  const at = Date.now()
  p.symbols.name(codeOf(secret, at), 'code')
  const signedIn = await p.send(
    'POST /sign-in/second-factor',
    { ...formed, as: 'half signed in' },
    `code=${codeOf(secret, at)}`,
  )
  await p.send(
    'POST /sign-in/second-factor',
    { ...formed, as: 'half signed in' },
    `code=${codeOf(secret, at)}`,
  )
  p.addCaller('session grace', {
    cookie: String(signedIn.fields['set-cookie']).split(';', 1)[0]!,
    'sec-fetch-site': 'same-origin',
  })
  for (const format of ['html', 'json']) await p.send(`GET ${own}?format=${format}`, { as: 'session grace' })
  const again = await p.send('POST /sign-in', formed, login)
  p.addCaller('half signed in', { cookie: String(again.fields['set-cookie']).split(';', 1)[0]! })
  await p.send('POST /sign-in/second-factor', { ...formed, as: 'half signed in' }, `code=${recoveryCodes[0]}`)
  await p.send('POST /sign-in/second-factor', { ...formed, as: 'half signed in' }, `code=${recoveryCodes[0]}`)
  await p.send(`DELETE ${uri}`, { as: 'member' })
  p.advance(301_000)
  await p.send(`DELETE ${uri}`, { as: 'session grace' })
  await p.send(`DELETE ${uri}`, { as: 'admin' })
  await p.send(`GET ${own}`, { as: 'admin' })
}

export const shopAccounts: Section = {
  name: 'shop-accounts',
  open: openShop,
  async play(p) {
    p.addCaller('password ada', basic('ada@example.org', password))
    p.addCaller('password grace', basic('grace@example.org', password))
    for (const authorization of wrongCredentials) {
      for (const line of ['GET /products', 'GET /tokens?format=html', 'POST /articles']) {
        await p.send(line, { authorization })
        // The failure of an unknown login is recorded after the response.
        if (authorization !== unknownLogin) continue
        await p.until('GET /audit', { as: 'password' }, ({ text }) => text.includes('unknown-'))
      }
      p.advance(60_000)
    }
    for (const cookie of [
      'restwell-session=x',
      'restwell-session=',
      'other=1; restwell-session=rw_x',
      'restwell-notice=created',
    ]) {
      await p.send('GET /', { cookie, accept: 'text/html', 'sec-fetch-site': 'same-origin' })
    }
    await useTokens(p)
    await useSecondFactor(p)
    await changeOwnAccount(p)

    const grace = `/users/${p.id('users', 2)}`
    const admin = `/users/${p.id('users')}`
    for (const body of [{ disabled: true }, { role: 'member' }, { disabled: 'yes' }])
      await p.send(`PATCH ${admin}`, { as: 'admin' }, body)
    await p.send(`DELETE ${admin}`, { as: 'admin' })
    await p.send(`PATCH ${grace}`, { as: 'member' }, { disabled: true })
    await p.send(`PATCH ${grace}`, { as: 'admin' }, { disabled: true })
    for (const as of ['member', 'password grace']) await p.send('GET /tokens', { as })
    await p.send(`PATCH ${grace}`, { as: 'admin' }, { disabled: false, role: 'editor' })
    await p.send('GET /tokens', { as: 'member' })
    await p.send(`GET ${grace}`, { as: 'admin' })
    await p.send(`DELETE ${grace}`, { as: 'member' })
    await p.send(`GET ${grace}`, { as: 'admin' })

    for (const query of [
      '',
      '?limit=2',
      '?kind=sign-in-failed',
      '?kind=nothing',
      '?collection=users',
      `?actor=${p.id('users', 1)}`,
      '?at[gte]=2026-11-02T09:00:00Z&limit=1',
      '?format=html&limit=5',
      '?format=xml&limit=3',
      '?format=csv',
      '?nothing=1',
    ]) {
      await p.send(`GET /audit${query}`, { as: 'admin' })
    }
    const page = await p.send('GET /audit?limit=3', { as: 'admin' })
    const next = /<([^>]*)>; rel="next"/.exec(page.fields.link ?? '')?.[1]
    if (next) await p.send(`GET ${next}`, { as: 'admin' })
    for (let attempt = 0; attempt < 13; attempt++) {
      await p.send('GET /articles', { authorization: basic('olga@example.org', 'wrong').authorization })
    }
  },
}
