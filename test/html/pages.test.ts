/** What every page has: its type, its policy, its validators, and the same links as the data. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import shop from '../../examples/shop.ts'
import { anyone, ref, resource, service, text } from '../../src/index.ts'
import { admin, serve } from '../service.ts'

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

test('a browser gets a page at every URI, a program data (docs/reference/http/formats.md, "Formats")', async () => {
  await using service = await serve(shop)
  const made = await service.request('POST /products', admin, { sku: 'T', name: 'Tea', price: '1.00' })
  for (const path of [
    '/',
    '/products',
    String(made.fields.location),
    '/problems',
    '/problems/gone',
    '/relations',
    '/relations/products',
    '/nothing',
  ]) {
    const page = await service.request(`GET ${path}`, browser)
    assert.equal(page.fields['content-type'], 'text/html; charset=utf-8', path)
    const data = await service.request(`GET ${path}`)
    assert.match(String(data.fields['content-type']), /json$/, path)
    if (path === '/nothing') continue
    const named = await service.request(`GET ${path}?format=html`)
    assert.match(String(named.fields['content-type']), /^text\/html/, path)
  }
})

test('pages load nothing but their own assets, and nothing inline (docs/reference/http/limits.md, "Limits")', async () => {
  await using service = await serve(shop)
  for (const path of ['/', '/products', '/nothing', '/sign-in']) {
    const page = await service.request(`GET ${path}`, { ...browser, host: 'localhost' })
    const policy = String(page.fields['content-security-policy'])
    assert.match(policy, /default-src 'none'/)
    assert.ok(!/unsafe|\*|data:|https?:/.test(policy), policy)
    assert.ok(!/<script(?![^>]*src=)|<style|\sstyle=|\son\w+=/i.test(page.text), path)
    assert.equal(page.fields['x-content-type-options'], 'nosniff')
    assert.equal(page.fields['referrer-policy'], 'no-referrer')
  }
})

test('assets have a digest of their content in their name, and are immutable', async () => {
  await using service = await serve(shop)
  const page = await service.request('GET /', browser)
  const names = [...page.text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, name]) => name)
  assert.equal(names.length, 3)
  for (const name of names) {
    assert.match(String(name), /\.[0-9a-f]{16}\.\w+$/)
    const asset = await service.request(`GET ${name}`, { 'accept-encoding': 'gzip' })
    assert.equal(asset.status, 200)
    assert.equal(asset.fields['cache-control'], 'public, max-age=31536000, immutable')
    const again = await service.request(`GET ${name}`, {
      'accept-encoding': 'gzip',
      'if-none-match': String(asset.fields.etag),
    })
    assert.equal(again.status, 304)
  }
  assert.equal((await service.request('GET /assets/style.css')).status, 404)
})

test('an HTML page is private and has no validators, so no request for it is 304 (RFC 9110 §8.8)', async () => {
  await using service = await serve(shop)
  const made = await service.request('POST /products', admin, { sku: 'T', name: 'Tea', price: '1.00' })
  const uri = String(made.fields.location)
  for (const path of [
    '/',
    '/products',
    uri,
    '/products/-/aggregate?group-by=price&aggregate=count',
    '/problems',
  ]) {
    const { fields: data } = await service.request(`GET ${path}`, { accept: 'application/json' })
    const known = { 'if-none-match': String(data.etag), 'if-modified-since': new Date().toUTCString() }
    for (const method of ['GET', 'HEAD']) {
      const { status, fields } = await service.request(`${method} ${path}`, { ...browser, ...known })
      assert.deepEqual([status, fields['cache-control']], [200, 'private, no-cache'], path)
      assert.deepEqual([fields.etag, fields['last-modified']], [undefined, undefined], path)
    }
  }
  const change = { ...admin, ...browser, 'content-type': 'application/merge-patch+json' }
  const changed = await service.request(`PATCH ${uri}`, change, { name: 'Green tea' })
  assert.deepEqual([changed.status, changed.fields.etag], [200, undefined])
})

test('If-Match of a change whose response is a page compares the version of the item (RFC 9110 §13.1.1)', async () => {
  await using service = await serve(shop)
  const made = await service.request('POST /products', admin, { sku: 'T', name: 'Tea', price: '1.00' })
  const uri = String(made.fields.location)
  const change = { ...admin, ...browser, 'content-type': 'application/merge-patch+json' }
  const patch = (match: unknown) =>
    service.request(`PATCH ${uri}`, { ...change, 'if-match': String(match) }, { name: 'Green tea' })
  assert.equal((await patch(made.fields.etag)).status, 200)
  assert.equal((await patch(made.fields.etag)).status, 412)
})

test('a page offers what HAL-FORMS offers: every template is a form, and no more', async () => {
  await using service = await serve(shop)
  const made = await service.request('POST /articles', admin, { slug: 'a', title: 'A' })
  for (const path of ['/articles', String(made.fields.location), '/products', '/users']) {
    for (const who of [{}, admin]) {
      const hal = await service.request(`GET ${path}?format=hal-forms`, who)
      const page = await service.request(`GET ${path}`, { ...browser, ...who })
      if (hal.status !== 200) {
        assert.equal(page.status, hal.status)
        continue
      }
      const templates = Object.values(hal.json._templates ?? {}) as { method: string }[]
      // An edit form sends what was changed, by PATCH.
      const offered = templates.map(({ method }) => (method === 'PUT' ? 'PATCH' : method)).sort()
      const forms = [...page.text.matchAll(/<form method="post" action="([^"]*)"/g)]
        .map(([, action = '']) => action)
        // The menu, the selection, and the lookups of administrators.
        .filter((action) => !/^\/sign-|^\/batch\/|\/-\//.test(action))
        .map((action) => /method=(\w+)/.exec(action)?.[1] ?? 'POST')
      // These forms have their own pages.
      if (page.text.includes(' id="new" href="/forms/')) forms.push('POST')
      if (page.text.includes(' id="edit" href="/forms/')) forms.push('PATCH')
      assert.deepEqual(forms.sort(), offered, path)
    }
  }
})

test('an HTML page lists the active filters, each with a link that removes it', async () => {
  await using service = await serve(shop)
  const { text } = await service.request('GET /products?stock%5Bgte%5D=2&name%5Bstarts%5D=T', browser)
  assert.match(text, /href="\/products\?name%5Bstarts%5D=T">[^<]*<span[^>]*>[^<]*<\/span> Stock from 2 /)
  assert.match(text, /Name starts with T /)
})

test('the HTML page of a problem links to its collection', async () => {
  await using service = await serve(shop)
  for (const target of ['/products?pice=3', '/products/nothing']) {
    const { text } = await service.request(`GET ${target}`, browser)
    assert.match(text, /<p class="ways">.*<a href="\/products">Products<\/a>/s, target)
  }
  const { text } = await service.request('GET /nothing', browser)
  assert.doesNotMatch(text, /<p class="ways">[^\n]*products/)
})

test("HEAD of a page about an error has GET's Content-Length and fields (RFC 9110 §8.6, §9.3.2)", async () => {
  await using service = await serve(shop)
  const absent = '019a0000-0000-7000-8000-000000000000'
  const targets: readonly [path: string, status: number][] = [
    ['/nothing', 404],
    [`/products/${absent}`, 404],
    ['/products?nothing=1', 400],
    ['/status', 401],
    ['/tokens', 401],
    ['/products?format=nothing', 400],
    [`/orders/${absent}?q=%22%3C`, 404],
  ]
  for (const [path, status] of targets) {
    const [got, head] = [
      await service.request(`GET ${path}`, browser),
      await service.request(`HEAD ${path}`, browser),
    ]
    assert.equal(got.status, status, path)
    assert.equal(head.status, status, path)
    const { date: _date, 'request-id': _id, ...fields } = got.fields
    const { date: _date2, 'request-id': _id2, ...headFields } = head.fields
    assert.deepEqual(headFields, fields, path)
  }
})

test('a reference shows the title of its item, shortened beyond 80 characters, or the end of its id where that is empty', async () => {
  const access = { read: anyone, create: anyone }
  const definition = service({
    title: 'Notes',
    resources: {
      shelves: resource({ name: text({ min: 0 }) }, { access }),
      notes: resource({ shelf: ref('shelves') }, { access }),
    },
  })
  await using s = await serve(definition)
  const linkTo = async (name: string) => {
    const { id } = (await s.request('POST /shelves', {}, { name })).json
    const { location } = (await s.request('POST /notes', {}, { shelf: id })).fields
    const { text: page } = await s.request(`GET ${location}`, browser)
    const shown = new RegExp(`<a href="/shelves/${id}"[^>]*>([^<]*)</a>`).exec(page)?.[1]
    return { id, shown }
  }
  assert.equal((await linkTo('x'.repeat(80))).shown, 'x'.repeat(80))
  assert.equal((await linkTo('x'.repeat(81))).shown, `${'x'.repeat(79)}…`)
  const { id, shown } = await linkTo('')
  assert.equal(shown, `…${id.slice(-8)}`)
})
