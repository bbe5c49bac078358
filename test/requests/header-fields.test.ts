/** Header fields that a resource declares for its responses: `headers`. */

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { anyone, nobody, refs, resource, service, text } from 'restwell'
import { createHeaderFields } from '../../src/definition/header-fields.ts'
import { type Handled, type Handling, handling } from '../handling.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: nobody }
const definition = service({
  title: 'Letters',
  origins: ['https://example.org'],
  resources: {
    letters: resource(
      { subject: text({ max: 20 }), labels: refs('labels') },
      { access, headers: { 'X-Department': 'post', 'Content-Language': 'de' } },
    ),
    labels: resource({ name: text() }, { access }),
  },
})

let s: Handling
let letter = ''
let label = ''

before(async () => {
  s = await handling(definition)
  const { json } = await s.handle('POST /labels', {}, { name: 'urgent' })
  label = json.id
  const { fields } = await s.handle('POST /letters', {}, { subject: 'Hello', labels: [label] })
  letter = fields.location ?? ''
})

after(() => s[Symbol.asyncDispose]())

const department = ({ fields }: Handled) => fields['x-department']

it('every status of its URIs has them, problems and 304 too', async () => {
  const { fields } = await s.handle(`GET ${letter}`)
  const cases: readonly (readonly [string, Readonly<Record<string, string>>, unknown, number])[] = [
    [`GET ${letter}`, {}, undefined, 200],
    [`GET ${letter}`, { 'if-none-match': fields.etag ?? '' }, undefined, 304],
    [`HEAD ${letter}`, {}, undefined, 200],
    ['GET /letters', {}, undefined, 200],
    ['QUERY /letters', {}, {}, 200],
    ['GET /letters/-/links', {}, undefined, 200],
    ['GET /letters', { accept: 'text/csv' }, undefined, 200],
    ['GET /letters?nothing=1', {}, undefined, 400],
    ['GET /letters/nothing', {}, undefined, 404],
    ['POST /letters', {}, { subject: 'Hello', labels: [] }, 201],
    ['POST /letters?dry-run=true', {}, { subject: 'Hello', labels: [] }, 200],
    ['POST /letters', {}, { subject: 1 }, 422],
    [`PATCH ${letter}`, { 'if-match': '"other"' }, {}, 412],
    [`DELETE ${letter}`, {}, undefined, 403],
    [`PUT ${letter}/labels/${label}`, {}, undefined, 204],
    [`TRACE ${letter}`, {}, undefined, 405],
    [`OPTIONS ${letter}`, {}, undefined, 204],
  ]
  for (const [line, sent, body, status] of cases) {
    const reply = await s.handle(line, sent, body)
    assert.equal(reply.status, status, `${line}: ${reply.text}`)
    assert.equal(department(reply), 'post', line)
    assert.equal(reply.fields['content-language'], 'de', line)
  }
})

it('other resources and documents have none', async () => {
  for (const line of ['GET /labels', 'GET /', 'GET /nothing', 'OPTIONS *']) {
    assert.equal(department(await s.handle(line)), undefined, line)
  }
})

it('an HTML page says its own language', async () => {
  const page = await s.handle(`GET ${letter}`, { accept: 'text/html' })
  assert.equal(page.fields['content-language'], 'en')
  assert.equal(department(page), 'post')
})

it('pages of a listed origin may read them (fetch, §3.2.3)', async () => {
  const listed = { origin: 'https://example.org' }
  const exposed = (reply: Handled) => reply.fields['access-control-expose-headers'] ?? ''
  assert.match(exposed(await s.handle('GET /letters', listed)), /, X-Department, Content-Language$/)
  assert.doesNotMatch(exposed(await s.handle('GET /labels', listed)), /X-Department/)
})

it('OpenAPI has them at the paths of the resource, and nowhere else', async () => {
  const { paths } = (await s.handle('GET /openapi.json')).json
  const described = Object.entries<Record<string, unknown>>(paths)
    .filter(([, path]) => path['x-every-response'])
    .map(([route]) => route)
  const own = ['/letters', ...['aggregate', 'links', 'events'].map((name) => `/letters/-/${name}`)]
  const items = ['/letters/{id}', '/letters/{id}/-/links']
  assert.deepEqual(described, [...own, ...items, '/letters/{id}/labels/{element}'])
  assert.deepEqual(paths['/letters']['x-every-response'].headers, {
    'X-Department': { schema: { type: 'string', const: 'post' } },
    'Content-Language': { schema: { type: 'string', const: 'de' } },
  })
})

const faultsOf = (headers: unknown) => {
  const faults: string[] = []
  createHeaderFields(headers, (reason) => void faults.push(reason))
  return faults
}

it('a field that the service sends is refused, except the language of the content', () => {
  const sent = new Set<string>()
  for (const file of globSync(join(import.meta.dirname, '../recording/exchanges/sqlite/*.txt'))) {
    for (const [head] of readFileSync(file, 'utf8').matchAll(/^─── \d{3} .*\n(?:.+\n)*/gm)) {
      for (const [, name = ''] of head.matchAll(/^([\w-]+): /gm)) sent.add(name)
    }
  }
  assert.ok(sent.size > 30, `${sent.size} names are recorded`)
  const accepted = [...sent].filter((name) => faultsOf({ [name]: 'a' }).length === 0)
  assert.deepEqual(accepted, ['Content-Language'])
})

it('what would change caching, framing, cookies, CORS or proxies is refused', () => {
  const names = [
    ...['CDN-Cache-Control', 'Surrogate-Control', 'Pragma', 'Expires', 'Age', 'Set-Cookie', 'Trailer'],
    ...['Transfer-Encoding', 'Access-Control-Allow-Origin', 'X-Accel-Redirect', 'X-Sendfile', 'Proxy-Status'],
  ]
  for (const name of names) assert.equal(faultsOf({ [name]: 'a' }).length, 1, name)
})

it('names and values that are none are refused, with the place (RFC 9110 §5.1, §5.5)', () => {
  const names = ['', 'X Department', 'X-Dépôt', 'X:']
  for (const name of names) assert.match(faultsOf({ [name]: 'a' }).join(), /has no valid name/, name)
  const values = ['', ' a', 'a ', 'a\r\nX: b', 'a\0', 'é', 'a'.repeat(1001), 1, null, ['a'], {}]
  for (const value of values) {
    assert.match(faultsOf({ 'X-A': value }).join(), /printable ASCII characters/, String(value))
  }
  assert.match(faultsOf({ 'X-A': 'a', 'x-a': 'b' }).join(), /declared twice/)
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`X-${at}`, 'a']))
  assert.match(faultsOf(many).join(), /at most 20/)
  assert.deepEqual(faultsOf({ 'X-A': 'a b', 'X-B': '~' }), [])
})
