/** POST of many items: all are created or none, and every fault has its row (docs/reference/http/writing.md, "Writing"). */

import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { anyone, integer, ref, resource, service, text } from 'restwell'
import { serve, type TestService } from '../service.ts'

const everyone = { read: anyone, create: anyone, update: anyone, delete: anyone }
const definition = service({
  title: 'Parts',
  resources: {
    parts: resource(
      { code: text({ max: 20 }).unique(), size: integer({ min: 0 }), of: ref('parts').optional() },
      { access: everyone, bulk: true },
    ),
    single: resource({ code: text() }, { access: everyone }),
  },
})

let s: TestService
before(async () => {
  s = await serve(definition)
})
after(() => s[Symbol.asyncDispose]())

const ndjson = { 'content-type': 'application/x-ndjson' }

async function count(): Promise<number> {
  const { fields } = await s.request('GET /parts?limit=1', { prefer: 'count=exact' })
  return Number(fields['total-count'])
}

it('an array creates all its items: 201 with them in order, and no Location', async () => {
  const body = ['x', 'a', 'm'].map((code, size) => ({ code, size }))
  const response = await s.request('POST /parts', {}, body)
  assert.equal(response.status, 201, response.text)
  assert.equal(response.fields.location, undefined)
  assert.deepEqual(
    response.json.map(({ code, size }: { code: string; size: number }) => ({ code, size })),
    body,
  )
  assert.equal((await s.request(`GET /parts/${response.json[1].id}`)).json.code, 'a')
})

it('application/x-ndjson creates one item per line; empty lines are ignored', async () => {
  const lines = '{"code":"n1","size":1}\r\n\n{"code":"n2","size":2}'
  const response = await s.request('POST /parts', ndjson, lines)
  assert.equal(response.status, 201, response.text)
  assert.deepEqual(
    response.json.map(({ code }: { code: string }) => code),
    ['n1', 'n2'],
  )
  assert.match(String((await s.request('OPTIONS /parts')).fields['accept-post']), /x-ndjson/)
})

it('every fault of every row is reported, and nothing is created', async () => {
  const before = await count()
  const response = await s.request('POST /parts', {}, [
    { code: 'ok', size: 1 },
    { code: 'bad', size: -1, extra: 1 },
    7,
    { size: 1, of: '00000000-0000-7000-8000-000000000000' },
    { code: 'ok', size: 1 },
  ])
  assert.equal(response.status, 422)
  assert.deepEqual(
    response.json.errors.map(({ pointer }: { pointer: string }) => pointer),
    ['/1/extra', '/1/size', '/2', '/3/code', '/3/of', '/4/code'],
  )
  assert.equal(await count(), before)
})

it('duplicates within the request are 409, then duplicates of stored items, each at its row', async () => {
  const before = await count()
  const cases: readonly [codes: readonly string[], pointers: readonly string[]][] = [
    [
      ['x', 'new', 'new', 'new'],
      ['/2/code', '/3/code'],
    ],
    [
      ['x', 'new', 'a'],
      ['/0/code', '/2/code'],
    ],
  ]
  for (const [codes, pointers] of cases) {
    const rows = codes.map((code) => ({ code, size: 1 }))
    const response = await s.request('POST /parts', {}, rows)
    assert.equal(response.status, 409)
    assert.deepEqual(
      response.json.errors.map(({ pointer }: { pointer: string }) => pointer),
      pointers,
    )
  }
  assert.equal(await count(), before)
})

it('a malformed line is 400 with its number', async () => {
  const response = await s.request('POST /parts', ndjson, '{"code":"y","size":1}\n{"code":')
  assert.equal(response.status, 400)
  assert.match(response.json.detail, /^Line 2: /)
})

it('1000 items are accepted; 1001 and an empty list are refused', async () => {
  const some = (length: number, mark: string) =>
    Array.from({ length }, (_, size) => ({ code: `${mark}${size}`, size }))
  assert.equal((await s.request('POST /parts', {}, some(1001, 'p'))).status, 422)
  assert.equal((await s.request('POST /parts', {}, [])).status, 422)
  const response = await s.request('POST /parts', {}, some(1000, 'p'))
  assert.equal(response.status, 201)
  assert.equal(response.json.length, 1000)
})

it('of concurrent batches that share a unique value one is created completely', async () => {
  const batch = (mark: string) => [
    { code: 'raced', size: 1 },
    { code: mark, size: 1 },
  ]
  const all = await Promise.all(['r1', 'r2', 'r3'].map((mark) => s.request('POST /parts', {}, batch(mark))))
  assert.deepEqual(all.map(({ status }) => status).sort(), [201, 409, 409])
  for (const { status, json } of all) {
    if (status === 409) assert.equal(json.errors[0].pointer, '/0/code')
  }
  const { json } = await s.request('GET /parts?code[in]=r1,r2,r3,raced')
  assert.equal(json.length, 2)
})

it('without the declaration an array is 422 and ndjson 415', async () => {
  assert.equal((await s.request('POST /single', {}, [{ code: 'x' }])).status, 422)
  assert.equal((await s.request('POST /single', ndjson, '{"code":"x"}')).status, 415)
})
