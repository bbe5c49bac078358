/** The HTML pages of tokens: rights, lifetimes, the token of this browser, and the secret that is shown once. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import shop from '../../../examples/shop.ts'
import { formOf } from '../../html/submitted-form.ts'
import { admin, adminLogin, adminPassword, type SendRequest, serve } from '../../service.ts'

const page = { accept: 'text/html', host: 'localhost', 'sec-fetch-site': 'same-origin' }
const formed = { ...page, 'content-type': 'application/x-www-form-urlencoded' }
const day = 86_400

async function signIn(request: SendRequest): Promise<string> {
  const content = new URLSearchParams({ login: adminLogin, password: adminPassword }).toString()
  const reply = await request('POST /sign-in', formed, content)
  return (reply.fields['set-cookie'] ?? [''])[0]?.split(';')[0] ?? ''
}

const optionsIn = (markup: string) =>
  [...markup.matchAll(/<option value="(\d*)"[^>]*>([^<]*)</g)].map(([, value, label]) => [value, label])

test('a new token: its rights are a matrix, its lifetime is chosen, its secret is shown once', async () => {
  await using service = await serve(shop)
  const { request } = service
  const { text } = await request('GET /tokens', { ...page, ...admin })
  const form = formOf(text, /^\/tokens$/)
  assert.deepEqual(optionsIn(form.markup), [
    ['', '90 days'],
    [String(day), '1 day'],
    [String(7 * day), '7 days'],
    [String(30 * day), '30 days'],
    [String(365 * day), '1 year'],
  ])
  const box = (scope: string, label: string) =>
    new RegExp(`<td><input type="checkbox"[^>]*value="${scope}" aria-label="${label}"(?: checked)?></td>`)
  for (const [scope, label] of [
    ['\\*:read', 'Everything: Read'],
    ['articles:update', 'Articles: Update'],
    ['tokens:write', 'Tokens: Write'],
    ['metrics:read', 'Metrics: Read'],
  ] as const) {
    assert.match(form.markup, box(scope, label))
  }
  assert.doesNotMatch(form.markup, /value="metrics:write"/)

  const sent = new URLSearchParams([
    ['name', 'Backup'],
    ['scopes[]', ''],
    ['scopes[]', 'articles:read'],
    ['scopes[]', 'articles:create'],
    ['expiresIn', String(7 * day)],
  ])
  const created = await request(`POST ${form.action}`, { ...formed, ...admin }, sent.toString())
  assert.equal(created.status, 201, created.text)
  assert.match(created.text, /<strong>Copy it now\.<\/strong> It is shown only once\./)
  const secret = /<figure class="snippet"><figcaption>Token<\/figcaption>.*?<code>(rw_\w+)</.exec(
    created.text,
  )?.[1]
  const own = { authorization: `Bearer ${secret}` }
  assert.equal((await request('GET /articles', own)).status, 200)
  assert.equal((await request('GET /tokens', own)).status, 403)
  const uri = String(created.fields.location)
  const { json } = await request(`GET ${uri}`, admin)
  assert.deepEqual(json.scopes, ['articles:read', 'articles:create'])
  const lifetime = (Date.parse(json.expiresAt) - Date.parse(json.createdAt)) / 1000
  assert.ok(Math.abs(lifetime - 7 * day) < 60, String(lifetime))
  assert.doesNotMatch((await request(`GET ${uri}`, { ...page, ...admin })).text, /shown only once|rw_/)
})

test('a refused form keeps the checked rights and the lifetime', async () => {
  await using service = await serve(shop)
  const sent = new URLSearchParams([
    ['name', 'n'.repeat(101)],
    ['scopes[]', ''],
    ['scopes[]', 'products:delete'],
    ['expiresIn', '12345'],
  ])
  const refused = await service.request('POST /tokens', { ...formed, ...admin }, sent.toString())
  assert.equal(refused.status, 422)
  assert.match(refused.text, /value="products:delete"[^>]* checked>/)
  assert.doesNotMatch(refused.text, /value="\*:read"[^>]* checked>/)
  assert.match(refused.text, /<option value="12345" selected>12,345 seconds<\/option>/)
  const none = await service.request('POST /tokens', { ...formed, ...admin }, 'name=x&scopes%5B%5D=')
  assert.equal(none.status, 422)
  assert.match(none.text, /id="\w+-scopes-fault"/)
})

test('the token of a session is marked, and limits the lifetime of new ones', async () => {
  await using service = await serve(shop)
  const { request } = service
  const cookies = [await signIn(request), await signIn(request)]
  const seen = await Promise.all(cookies.map((cookie) => request('GET /tokens', { ...page, cookie })))
  const marked = seen.map(({ text }) => {
    const found = [
      ...text.matchAll(/href="(\/tokens\/[^"]*)">[^<]*<\/a> <span class="badge">This browser<\/span>/g),
    ]
    assert.equal(found.length, 1, text)
    return found[0]?.[1]
  })
  assert.notEqual(marked[0], marked[1])
  const form = formOf(String(seen[0]?.text), /^\/tokens$/)
  const [first, ...others] = optionsIn(form.markup)
  assert.match(String(first?.[1]), /^Until \w+/)
  assert.deepEqual(
    others.map(([, label]) => label),
    ['1 day', '7 days'],
  )
  for (const [value] of [first, ...others].filter((one) => one !== undefined)) {
    const sent = form.set('expiresIn', String(value))
    const created = await request('POST /tokens', { ...formed, cookie: String(cookies[0]) }, sent.content)
    assert.equal(created.status, 201, created.text)
  }
  const item = await request(`GET ${marked[0]}`, { ...page, cookie: String(cookies[0]) })
  assert.match(item.text, /You will be signed out in this browser\./)
  const other = await request(`GET ${marked[1]}`, { ...page, cookie: String(cookies[0]) })
  assert.doesNotMatch(other.text, /This browser|signed out/)
})

test('without a session no token is marked', async () => {
  await using service = await serve(shop)
  await signIn(service.request)
  const { text } = await service.request('GET /tokens', { ...page, ...admin })
  assert.doesNotMatch(text, /This browser/)
  const form = await service.request('GET /forms/tokens', { ...page, ...admin })
  assert.equal(form.status, 200)
  assert.match(form.text, /<option value="">90 days<\/option>/)
})

test('the token of a session has its name in the language of the reader, in lists, on its page and in the audit', async () => {
  await using service = await serve(shop)
  const { request } = service
  const fields = { ...page, cookie: await signIn(request) }
  const [{ id }] = (await request('GET /tokens', admin)).json
  for (const [language, name, other] of [
    ['en', 'Signed in on pages', 'Auf Seiten angemeldet'],
    ['de', 'Auf Seiten angemeldet', 'Signed in on pages'],
  ] as const) {
    for (const path of ['/tokens', `/tokens/${id}`, '/audit']) {
      const { text } = await request(`GET ${path}`, { ...fields, 'accept-language': language })
      const shown = text.replace(/<pre[\s\S]*?<\/pre>/g, '')
      assert.ok(shown.includes(name) && !shown.includes(other), `${path} in ${language}`)
    }
  }
  assert.equal((await request('GET /tokens', admin)).json[0].name, 'Signed in on pages')
})
