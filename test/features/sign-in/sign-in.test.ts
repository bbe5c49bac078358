/** Signing in on pages: a cookie that holds a token, and counts only for our own pages. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import shop from '../../../examples/shop.ts'
import { formOf } from '../../html/submitted-form.ts'
import { adminLogin, adminPassword, basic, type SendRequest, serve } from '../../service.ts'

const page = { accept: 'text/html', host: 'localhost', 'sec-fetch-site': 'same-origin' }
const formed = { ...page, 'content-type': 'application/x-www-form-urlencoded' }
const right = encoded({ login: adminLogin, password: adminPassword })

function encoded(values: Readonly<Record<string, string>>): string {
  return new URLSearchParams(values).toString()
}

async function signIn(request: SendRequest): Promise<string> {
  const reply = await request('POST /sign-in', formed, right)
  assert.equal(reply.status, 303, reply.text)
  const [line = ''] = reply.fields['set-cookie'] ?? []
  return line.split(';')[0] ?? ''
}

test('signing in sets a cookie that scripts and other sites never get (docs/reference/http/formats.md, "Formats")', async () => {
  await using service = await serve(shop)
  const reply = await service.request('POST /sign-in', formed, right)
  assert.equal(reply.status, 303)
  assert.equal(reply.fields.location, '/')
  assert.equal(reply.fields['cache-control'], 'no-store')
  const [line = ''] = reply.fields['set-cookie'] ?? []
  assert.match(line, /^restwell=rw_\w+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/)
})

test('the cookie counts as Bearer for our own pages, and typed in for reading alone', async () => {
  await using service = await serve(shop)
  const cookie = await signIn(service.request)
  const status = async (line: string, site: string | undefined, body?: string) => {
    const { 'sec-fetch-site': _, ...rest } = body === undefined ? page : formed
    const fields = { ...rest, cookie, ...(site === undefined ? {} : { 'sec-fetch-site': site }) }
    return (await service.request(line, fields, body)).status
  }
  assert.equal(await status('GET /tokens', 'same-origin'), 200)
  assert.equal(await status('GET /tokens', 'none'), 200)
  for (const site of ['same-site', 'cross-site', undefined]) {
    assert.equal(await status('GET /tokens', site), 401, `${site}`)
  }
  const product = encoded({ sku: 'A-1', name: 'Tea', price: '1.00' })
  assert.equal(await status('POST /products', 'none', product), 401)
  assert.equal(await status('POST /products', 'cross-site', product), 403)
  assert.equal(await status('POST /products', 'same-site', product), 403)
  assert.equal(await status('POST /products', 'same-origin', product), 201)
})

test('a top-level GET for HTML from another site is 200 with a page that requests the same URI with the cookie', async () => {
  await using service = await serve(shop)
  const cookie = await signIn(service.request)
  const link = {
    ...page,
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
  }
  for (const uri of [
    '/tokens',
    '/products?sort=name&q=%22a%27',
    '/products/absent',
    '/sign-in?next=%2Ftokens',
  ]) {
    for (const fields of [link, { ...link, 'sec-fetch-site': 'same-site' }, { ...link, cookie }]) {
      const reply = await service.request(`GET ${uri}`, fields)
      assert.deepEqual([reply.status, reply.fields['cache-control']], [200, 'no-store'])
      assert.equal(reply.fields['set-cookie'], undefined)
      const [, next = ''] = /<meta http-equiv="refresh" content="0;url=([^"]*)">/.exec(reply.text) ?? []
      assert.equal(next.replaceAll('&amp;', '&'), uri)
    }
  }
  assert.equal(
    (await service.request('GET /tokens', { ...page, cookie })).status,
    200,
    'the request of the page',
  )
  // Frames, scripts, other formats and other credentials are what they were.
  for (const fields of [
    { ...link, 'sec-fetch-dest': 'iframe' },
    { ...link, 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
    { ...link, accept: 'application/json' },
    { ...link, ...basic(adminLogin, 'a wrong password') },
  ]) {
    assert.equal((await service.request('GET /tokens', { ...fields, cookie })).status, 401)
  }
  assert.equal((await service.request('GET /absent', link)).status, 404)
  assert.match((await service.request('GET /client.js', { ...link, accept: '*/*' })).text, /export/)
  assert.equal((await service.request('POST /products', { ...link, cookie }, {})).status, 403)
})

test('an Authorization field goes before the cookie', async () => {
  await using service = await serve(shop)
  const cookie = await signIn(service.request)
  const fields = { ...page, cookie, ...basic('nobody@example.org', 'no password') }
  assert.equal((await service.request('GET /tokens', fields)).status, 401)
})

test('a wrong password is 401 with the form again, and no cookie', async () => {
  await using service = await serve(shop)
  const wrong = encoded({ login: adminLogin, password: 'wrong' })
  const reply = await service.request('POST /sign-in?next=%2Ftokens', formed, wrong)
  assert.equal(reply.status, 401)
  assert.equal(reply.fields['set-cookie'], undefined)
  assert.match(reply.text, /action="\/sign-in\?next=%2Ftokens"/)
  assert.ok(!reply.text.includes('wrong"'))
})

test('the HTML page of a 401 has no Basic challenge, so that browsers open no dialog', async () => {
  await using service = await serve(shop)
  const refused = await service.request('GET /tokens', page)
  assert.equal(refused.status, 401)
  assert.match(String(refused.fields['www-authenticate']), /^Bearer /)
  const program = await service.request('GET /tokens')
  assert.match(String(program.fields['www-authenticate']), /^Basic .*Bearer /)
})

test('signing out deletes the token: the cookie is invalid everywhere', async () => {
  await using service = await serve(shop)
  const cookie = await signIn(service.request)
  const out = await service.request('POST /sign-out', { ...formed, cookie }, '')
  assert.equal(out.status, 303)
  assert.match(String(out.fields['set-cookie']), /^restwell=; .*Max-Age=0/)
  const after = await service.request('GET /users', { ...page, cookie })
  assert.equal(after.status, 401)
  assert.match(String(after.fields['set-cookie']), /Max-Age=0/)
})

test('signing out needs the same origin: no other page can end a session (Fetch Metadata, Sec-Fetch-Site)', async () => {
  await using service = await serve(shop)
  const cookie = await signIn(service.request)
  const { 'sec-fetch-site': _, ...rest } = formed
  for (const fields of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://evil.example' },
    {},
  ]) {
    const out = await service.request('POST /sign-out', { ...rest, cookie, ...fields }, '')
    assert.equal(out.status, 403, JSON.stringify(fields))
    assert.equal(out.fields['set-cookie'], undefined, JSON.stringify(fields))
  }
  assert.equal((await service.request('GET /tokens', { ...page, cookie })).status, 200)
})

test('signing out empties the browser’s cache (Clear-Site-Data §3.1)', async () => {
  await using service = await serve(shop)
  const cookie = await signIn(service.request)
  const out = await service.request('POST /sign-out', { ...formed, cookie }, '')
  assert.equal(out.fields['clear-site-data'], '"cache"')
})

test('signing in redirects to a path of this service, and never to another site', async () => {
  await using service = await serve(shop)
  const next = async (place: string) => {
    const reply = await service.request(`POST /sign-in?next=${encodeURIComponent(place)}`, formed, right)
    return reply.fields.location
  }
  assert.equal(await next('/articles?sort=title'), '/articles?sort=title')
  for (const astray of ['//evil.example', '/\\evil.example', 'https://evil.example', 'x', '/a\r\nb']) {
    assert.equal(await next(astray), '/', astray)
  }
})

test('on plain HTTP beyond localhost signing in is refused by a page that says why', async () => {
  await using service = await serve(shop)
  for (const line of ['GET /sign-in', 'POST /sign-in']) {
    const body = line.startsWith('POST') ? right : undefined
    const reply = await service.request(line, { ...formed, host: 'shop.example' }, body)
    assert.equal(reply.status, 403, line)
    assert.match(reply.text, /Sign in over HTTPS/)
  }
  for (const host of ['localhost:3000', '127.0.0.1', '[::1]:80', 'shop.localhost']) {
    const reply = await service.request('GET /sign-in', { ...page, host })
    assert.equal(reply.status, 200, host)
  }
})

test('a page of another origin cannot sign its visitor in', async () => {
  await using service = await serve(shop)
  for (const fields of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
    const { 'sec-fetch-site': _, ...rest } = formed
    const reply = await service.request('POST /sign-in', { ...rest, ...fields }, right)
    assert.equal(reply.status, 403)
  }
  const own = await service.request('POST /sign-in', { ...formed, origin: 'null' }, right)
  assert.equal(own.status, 303, 'our own Referrer-Policy makes the Origin of our forms null')
})

test('a form that is sent twice makes one item (docs/reference/http/pages.md, "HTML pages")', async () => {
  await using service = await serve(shop)
  const cookie = await signIn(service.request)
  const form = await service.request('GET /forms/products', { ...page, cookie })
  const key = /name="_key" value="([^"]+)"/.exec(form.text)?.[1] ?? ''
  assert.notEqual(key, '')
  const body = encoded({ _key: key, sku: 'A-1', name: 'Tea', price: '1.00' })
  const first = await service.request('POST /forms/products', { ...formed, cookie }, body)
  const again = await service.request('POST /forms/products', { ...formed, cookie }, body)
  assert.deepEqual([first.status, again.status], [303, 303])
  assert.equal(again.fields.location, first.fields.location)
  assert.equal((await service.request('GET /products')).json.length, 1)
  const other = encoded({ _key: key, sku: 'A-2', name: 'Tea', price: '1.00' })
  const another = await service.request('POST /forms/products', { ...formed, cookie }, other)
  assert.equal(another.status, 303, 'another body is another request')
  const faulty = encoded({ _key: key, sku: 'A-3', name: '', price: '' })
  const refused = await service.request('POST /forms/products', { ...formed, cookie }, faulty)
  assert.equal(refused.status, 422)
  const fresh = /name="_key" value="([^"]+)"/.exec(refused.text)?.[1]
  assert.notEqual(fresh, key, 'the form comes back with a key of its own')
})

test('a wrong password keeps the login, and never the password', async () => {
  await using service = await serve(shop)
  const body = encoded({ login: 'ada@"example.org', password: 'hush hush' })
  const refused = await service.request('POST /sign-in', formed, body)
  assert.equal(refused.status, 401)
  assert.match(refused.text, /Wrong email or password\./)
  assert.match(refused.text, /id="login"[^>]* value="ada@&quot;example\.org"/)
  assert.match(refused.text, /New here\?/, 'the page has its other ways too')
  assert.ok(!refused.text.includes('hush'))
  const asData = await service.request('POST /sign-in', { ...formed, accept: 'application/json' }, body)
  assert.ok(!asData.text.includes('ada@'))
})

test('HAL-FORMS has the form to sign in, and JSON that follows it signs in', async () => {
  await using service = await serve(shop)
  const shown = await service.request('GET /sign-in?next=/articles', {
    ...page,
    accept: 'application/prs.hal-forms+json',
  })
  const { method, target, contentType, properties } = shown.json._templates.default
  assert.deepEqual(
    properties.map(({ name, required }: { name: string; required: boolean }) => [name, required]),
    [
      ['login', true],
      ['password', true],
    ],
  )
  const body = JSON.stringify({ login: adminLogin, password: adminPassword })
  const reply = await service.request(`${method} ${target}`, { ...page, 'content-type': contentType }, body)
  assert.deepEqual([reply.status, reply.fields.location], [303, '/articles'])
  assert.match(String(reply.fields['set-cookie']), /^restwell=rw_/)
  const wrong = JSON.stringify({ login: adminLogin, password: 'wrong', remember: true })
  const refused = await service.request('POST /sign-in', { ...page, 'content-type': contentType }, wrong)
  assert.equal(refused.status, 422, 'a member that the form does not have')
  const text = await service.request('POST /sign-in', { ...page, 'content-type': 'text/plain' }, right)
  assert.equal(text.status, 415)
})

test('a sign-in without a password is 422 with the form again, and counts as no failure', async () => {
  await using service = await serve(shop)
  for (let time = 0; time < 20; time += 1) {
    const reply = await service.request('POST /sign-in', formed, encoded({ login: adminLogin, password: '' }))
    assert.equal(reply.status, 422)
    assert.match(reply.text, /id="password-fault">This field is required\./)
    assert.match(reply.text, new RegExp(`id="login"[^>]* value="${adminLogin}"`))
  }
  await signIn(service.request)
})

test('a form whose session has ended keeps its input, and can be sent again after signing in', async () => {
  await using service = await serve(shop)
  const product = { sku: 'A-1', name: 'Tea "green" & <more>', price: '1.00' }
  const refused = await service.request('POST /forms/products', formed, encoded(product))
  assert.equal(refused.status, 401)
  assert.match(String(refused.fields['cache-control']), /no-store/)
  const form = formOf(refused.text, /forms\/products/)
  assert.deepEqual(Object.fromEntries(form.pairs), product)
  // Scripts name the charset.
  const type = { 'content-type': `${formed['content-type']};charset=UTF-8` }
  const sentByScript = await service.request('POST /forms/products', { ...formed, ...type }, encoded(product))
  assert.deepEqual(formOf(sentByScript.text, /forms\/products/).pairs, form.pairs)
  const cookie = await signIn(service.request)
  const sent = await service.request(`POST ${form.action}`, { ...formed, cookie }, form.content)
  assert.equal(sent.status, 303, sent.text)
  assert.equal((await service.request('GET /products/A-1')).json.name, product.name)
})

test('the form of a 401 keeps an edit with its base, and no password', async () => {
  await using service = await serve(shop)
  const { json } = await service.request('GET /users', basic(adminLogin, adminPassword))
  const uri = `/forms/users/${json[0].id}?method=PATCH&match=%22x%22`
  const values = {
    name: 'New',
    password: 'a new secret',
    currentPassword: 'an old secret',
    _originals: 'name=x',
  }
  const refused = await service.request(`POST ${uri}`, formed, encoded(values))
  assert.equal(refused.status, 401)
  assert.doesNotMatch(refused.text, /secret/)
  assert.match(refused.text, /A password that you entered is not kept/)
  const form = formOf(refused.text, /method=PATCH/)
  assert.equal(form.action, uri)
  assert.deepEqual(Object.fromEntries(form.pairs), { name: 'New', _originals: 'name=x' })
})

test('a page of another site cannot choose what a person sends after signing in', async () => {
  await using service = await serve(shop)
  for (const site of ['cross-site', 'same-site', 'none']) {
    const fields = { ...formed, 'sec-fetch-site': site }
    const refused = await service.request('POST /forms/products', fields, encoded({ name: 'Chosen' }))
    assert.doesNotMatch(refused.text, /Chosen|Send again/)
  }
})
