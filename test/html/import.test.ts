/** The page that imports a file: all rows become items, or none and each fault is shown with its line and column. */

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  anyone,
  choice,
  decimal,
  email,
  file,
  json,
  password,
  resource,
  role,
  service,
  text,
} from '../../src/index.ts'
import { admin, basic, serve } from '../service.ts'

const editors = {
  read: anyone,
  create: role('admin', 'editor'),
  update: role('admin'),
  delete: role('admin'),
}
const secret = 'a password of twenty'

const shop = await serve(
  service({
    title: 'Shop',
    accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
    resources: {
      users: resource(
        {
          email: email().unique(),
          password: password({ min: 8 }),
          role: choice(['admin', 'editor', 'member']).default('member').writableBy(role('admin')),
        },
        { access: { read: role('admin'), create: anyone, update: role('admin') } },
      ),
      articles: resource(
        {
          sku: text({ min: 1 }).unique(),
          name: text({ max: 20 }),
          price: decimal({ scale: 2 }),
          details: json().optional(),
          margin: decimal({ scale: 2 }).optional().visibleTo(role('admin')).writableBy(role('admin')),
        },
        { bulk: true, access: editors },
      ),
      shelves: resource({ name: text() }, { access: editors }),
      scans: resource(
        { scan: file({ types: ['text/plain'], max: '1 kB' }) },
        { bulk: true, access: editors },
      ),
    },
  }),
  { limits: { content: 100_000 } },
)
after(() => shop[Symbol.asyncDispose]())

const browser = { accept: 'text/html', 'sec-fetch-site': 'same-origin' }
const editor = basic('editor@example.org', secret)
const member = basic('member@example.org', secret)
for (const name of ['editor', 'member']) {
  const body = { email: `${name}@example.org`, password: secret }
  const { fields } = await shop.request('POST /users', {}, body)
  await shop.request(`PATCH ${fields.location}`, admin, { role: name })
}

const uri = '/forms/articles?_import=file'

interface SentFile {
  readonly name: string
  readonly content: string
  readonly type?: string
  readonly key?: string
}

function send(sent: SentFile, fields: Readonly<Record<string, string>> = editor, target = uri) {
  const { name, content, type = 'application/octet-stream', key } = sent
  const part = (head: string, value: string) =>
    `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`
  const filePart = part(`name="file"; filename="${name}"\r\nContent-Type: ${type}`, content)
  const body = `${key === undefined ? '' : part('name="_key"', key)}${filePart}--b--\r\n`
  const form = { 'content-type': 'multipart/form-data; boundary=b' }
  return shop.request(`POST ${target}`, { ...browser, ...form, ...fields }, body)
}

function rows(prefix: string, count: number): string {
  return Array.from({ length: count }, (_, at) => `${prefix}-${at},Cup,7.50\n`).join('')
}

test('two bad rows of many are shown by line and column, and nothing is imported', async () => {
  const content = `sku,name,price\n${rows('A', 10)}B-1,"Two\nlines",cheap\n\n${rows('C', 5)}D-1,${'x'.repeat(21)},1.00\n`
  const { status, text } = await send({ name: 'cups.csv', content })
  assert.equal(status, 422)
  assert.match(text, /<strong>Nothing was imported\.<\/strong> Correct 2 rows and send the file again\./)
  assert.match(
    text,
    /<th scope="row" class="number">12<\/th><td>3 <code>price<\/code><\/td><td>Must be a decimal/,
  )
  assert.match(text, /<th scope="row" class="number">20<\/th><td>2 <code>name<\/code><\/td>/)
  assert.match(text, /<input id="import-file" type="file" name="file"/)
  assert.equal((await shop.request('GET /articles')).json.length, 0)
})

test('faults of NDJSON have the line and the member', async () => {
  const good = JSON.stringify({ sku: 'N-1', name: 'Cup', price: '1.00' })
  const content = `${good}\n\n{"sku":"N-2","name":"Cup"}\n`
  const { status, text } = await send({ name: 'cups.jsonl', content })
  assert.equal(status, 422)
  assert.match(text, /Correct 1 row and send the file again\./)
  assert.match(text, /<th scope="row" class="number">3<\/th><td><code>price<\/code><\/td>/)
})

test('after success the list says how many items were imported, once', async () => {
  const content = `\ufeffsku,name,price\r\n${rows('S', 503).replaceAll('\n', '\r\n')}`
  const { status, fields } = await send({ name: 'CUPS.CSV', type: 'application/vnd.ms-excel', content })
  assert.equal(status, 303)
  assert.equal(fields.location, '/articles')
  const cookie = String(fields['set-cookie']).split(';')[0] ?? ''
  const list = await shop.request('GET /articles', { ...browser, cookie })
  assert.match(list.text, /<p class="note" role="status" data-notice="imported">503 articles imported\.<\/p>/)
  assert.match(String(list.fields['set-cookie']), /Max-Age=0/)
  const german = await shop.request('GET /articles', { ...browser, cookie, 'accept-language': 'de' })
  assert.match(german.text, /503 articles importiert\./)
  const forged = { ...browser, cookie: 'restwell-notice=imported.5x' }
  assert.doesNotMatch((await shop.request('GET /articles', forged)).text, /data-notice/)
})

test('a value that is taken is shown with its line, and nothing is imported', async () => {
  await send({ name: 'a.csv', content: 'sku,name,price\nTAKEN,Cup,1.00\n' })
  const { status, text } = await send({
    name: 'b.csv',
    content: 'sku,name,price\nFREE,Cup,1.00\nTAKEN,Cup,1.00\n',
  })
  assert.equal(status, 409)
  assert.match(text, /<strong>Nothing was imported\.<\/strong> Correct 1 row/)
  assert.match(text, /<th scope="row" class="number">3<\/th><td>1 <code>sku<\/code><\/td>/)
  assert.equal((await shop.request('GET /articles?sku=FREE')).json.length, 0)
})

test('a form that is sent twice imports once; the page has another key afterwards', async () => {
  const page = await shop.request(`GET ${uri}`, { ...browser, ...editor })
  const key = /name="_key" value="([^"]+)"/.exec(page.text)?.[1]
  assert.ok(key)
  const sent = { name: 'once.csv', content: 'sku,name,price\nONCE,Cup,1.00\n', key }
  assert.equal((await send(sent)).status, 303)
  const again = await send(sent)
  assert.equal(again.status, 303)
  assert.match(String(again.fields['set-cookie']), /restwell-notice=imported\.1;/)
  const other = await send({ ...sent, content: 'sku,name,price\nTWICE,Cup,1.00\n' })
  assert.equal(other.status, 303)
  assert.equal((await shop.request('GET /articles?sku=TWICE')).json.length, 1)
  const later = await shop.request(`GET ${uri}`, { ...browser, ...editor })
  assert.ok(!later.text.includes(key))
})

const refusedFiles: readonly (readonly [string, SentFile, number, RegExp])[] = [
  [
    'another type',
    { name: 'a.xlsx', content: 'PK' },
    415,
    /must be CSV or NDJSON, with a name that ends in \.csv/,
  ],
  ['no file', { name: '', content: '' }, 422, /Choose a file\./],
  ['no rows', { name: 'a.csv', content: 'sku,name,price\n' }, 422, /Must have 1 to 1000 items\./],
  ['nothing', { name: 'a.csv', content: '' }, 400, /The first line must name the fields\./],
  ['an open quote', { name: 'a.csv', content: 'sku,name\nA,"B\n' }, 400, /A quote is not closed in line/],
  ['a cell that is not JSON', { name: 'a.csv', content: 'sku,details\nA,{\n' }, 400, /Line 2, column 2: /],
  ['JSON that is malformed', { name: 'a.ndjson', content: '{}\n{' }, 400, /Line 2: /],
  ['too many octets', { name: 'a.csv', content: 'x'.repeat(100_001) }, 413, /at most 100,000 octets/],
  ['far too many octets', { name: 'a.csv', content: 'x'.repeat(200_000) }, 413, /at most 100,000 octets/],
  [
    'too many rows',
    { name: 'a.csv', content: `sku,name,price\n${rows('M', 1001)}` },
    422,
    /Must have 1 to 1000 items\./,
  ],
]

test('a file that cannot be read is refused on the same page, with the reason', async () => {
  const before = (await shop.request('GET /articles?sku=A')).json.length
  for (const [name, sent, status, reason] of refusedFiles) {
    const refused = await send(sent)
    assert.equal(refused.status, status, `${name}: ${refused.text}`)
    assert.match(refused.text, /<h1>Import articles<\/h1>/, name)
    assert.match(refused.text, /<strong>Nothing was imported\.<\/strong>/, name)
    assert.match(refused.text, reason, name)
  }
  assert.equal((await shop.request('GET /articles?sku=A')).json.length, before)
})

test('a form that is not multipart, and one without a boundary, are refused', async () => {
  const urlencoded = { ...browser, ...editor, 'content-type': 'application/x-www-form-urlencoded' }
  assert.equal((await shop.request(`POST ${uri}`, urlencoded, 'file=a')).status, 415)
  const unbounded = { ...urlencoded, 'content-type': 'multipart/form-data' }
  assert.equal((await shop.request(`POST ${uri}`, unbounded, 'file=a')).status, 400)
  const cut = { ...urlencoded, 'content-type': 'multipart/form-data; boundary=b' }
  assert.equal((await shop.request(`POST ${uri}`, cut, '--b\r\n')).status, 400)
  assert.equal((await shop.request(`PUT ${uri}`, urlencoded, 'file=a')).status, 405)
})

test('the link, the page and the form are for callers who may create, of resources with bulk', async () => {
  const has = async (path: string, fields: Readonly<Record<string, string>>) =>
    (await shop.request(`GET ${path}`, { ...browser, ...fields })).text.includes('id="import"')
  assert.equal(await has('/articles', editor), true)
  assert.equal(await has('/articles', member), false)
  assert.equal(await has('/articles', {}), false)
  assert.equal(await has('/shelves', editor), false)
  assert.equal(await has('/scans', editor), false)
  const sent = { name: 'a.csv', content: 'sku,name,price\nDENIED,Cup,1.00\n' }
  assert.equal((await shop.request(`GET ${uri}`, { ...browser, ...member })).status, 403)
  assert.equal((await send(sent, member)).status, 403)
  assert.equal((await shop.request(`GET ${uri}`, browser)).status, 401)
  assert.equal((await send(sent, {})).status, 401)
  assert.equal((await send(sent, editor, '/forms/shelves?_import=file')).status, 400)
  assert.equal((await shop.request('GET /articles?sku=DENIED')).json.length, 0)
})

test('a hidden field is neither listed nor distinguished from one that does not exist', async () => {
  const own = await shop.request(`GET ${uri}`, { ...browser, ...editor })
  assert.match(own.text, /<code>price<\/code> \(required\)/)
  assert.doesNotMatch(own.text, /margin/)
  assert.match((await shop.request(`GET ${uri}`, { ...browser, ...admin })).text, /<code>margin<\/code>/)
  const fault = async (column: string) => {
    const { text, status } = await send({
      name: 'a.csv',
      content: `sku,name,price,${column}\nH,Cup,1.00,2.00\n`,
    })
    assert.equal(status, 422)
    return /<tbody>(.*)<\/tbody>/s.exec(text)?.[1]?.replaceAll(column, 'NAME')
  }
  assert.equal(await fault('margin'), await fault('nargim'))
})

test('programs get the problem of the bulk POST, and a dry run imports nothing', async () => {
  const bad = await send(
    { name: 'a.csv', content: 'sku,name,price\nP,Cup,cheap\n' },
    { ...editor, accept: 'application/json' },
  )
  assert.deepEqual(
    bad.json.errors.map(({ pointer }: { pointer: string }) => pointer),
    ['/0/price'],
  )
  const sent = { name: 'a.csv', content: 'sku,name,price\nDRY,Cup,1.00\n' }
  assert.equal((await send(sent, editor, `${uri}&dry-run=true`)).status, 200)
  assert.equal((await shop.request('GET /articles?sku=DRY')).json.length, 0)
})
