/**
 * Which fields exist for a caller: in content, `fields` and OpenAPI those that it may see on some items, in filters, orders and
 * searches those that it may see on every item. Others are refused exactly like unknown ones (README, "What you get").
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, boolean, resource, role, service, signedIn, text, where } from '../../src/index.ts'
import { type Reply, serve } from '../service.ts'
import { account, as, users } from './sample.ts'

const plants = resource(
  {
    name: text(),
    rare: boolean().default(false),
    site: text()
      .optional()
      .visibleTo(where({ rare: true }))
      .writableBy(role('editor')),
    price: text().optional().visibleTo(role('editor')).writableBy(role('editor')),
  },
  { access: { read: anyone, create: signedIn, update: signedIn }, search: ['name'] },
)

const definition = service({
  title: 'Garden',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: { users, plants },
})

/** The reply with the name of the field in the place of another one's. */
function withoutName({ status, text }: Reply, name: string): readonly [number, string] {
  return [status, text.replaceAll(name, 'FIELD').replaceAll(/urn:uuid:[\w-]+/g, '')]
}

test('a field that is visible on some items exists in content, fields and OpenAPI, and in no filter, order or search', async () => {
  await using s = await serve(definition)
  const ada = as(await account(s.request, 'ada'))
  const made = await s.request('POST /plants', ada, { name: 'Sundew', rare: true })
  const uri = String(made.fields.location)
  const patch = (name: string) => s.request(`PATCH ${uri}`, ada, { [name]: 'x' })
  const get = (query: string) =>
    s.request(`GET /plants${query.includes('aggregate') ? '/-/aggregate' : ''}?${query}`, ada)
  const { schemas } = (await s.request('GET /openapi.json', ada)).json.components
  const described = JSON.stringify(schemas)
  assert.ok(described.includes('"site"') && !described.includes('"price"'), Object.keys(schemas).join())
  assert.equal((await get('fields=name,site')).status, 200)
  const unwritable = await patch('site')
  assert.equal(unwritable.status, 422)
  assert.notDeepEqual(withoutName(unwritable, 'site'), withoutName(await patch('nothing'), 'nothing'))
  for (const query of [
    '%=x',
    '%[ne]=x',
    'sort=%',
    'sort=-%',
    'group-by=%&aggregate=count',
    'aggregate=%.count',
  ]) {
    const [some, none] = [query.replace('%', 'site'), query.replace('%', 'nothing')]
    const refused = withoutName(await get(some), 'site')
    assert.equal(refused[0], 400, query)
    assert.deepEqual(refused, withoutName(await get(none), 'nothing'), query)
  }
})

test('a field that is visible on no item, and cannot be set, is refused exactly like one that does not exist', async () => {
  await using s = await serve(definition)
  const ada = as(await account(s.request, 'ada'))
  const made = await s.request('POST /plants', ada, { name: 'Sundew' })
  const uri = String(made.fields.location)
  const ways: readonly ((name: string) => Promise<Reply>)[] = [
    (name) => s.request(`PATCH ${uri}`, ada, { [name]: 'x' }),
    (name) => s.request('POST /plants', ada, { name: 'Elm', [name]: 'x' }),
    (name) => s.request(`GET /plants?fields=${name}`, ada),
    (name) => s.request(`GET /plants?${name}=x`, ada),
    (name) => s.request(`GET /plants?sort=${name}`, ada),
    (name) => s.request(`QUERY /plants`, { ...ada, 'content-type': 'application/json' }, { [name]: 'x' }),
  ]
  for (const [at, way] of ways.entries()) {
    const [hidden, unknown] = [await way('price'), await way('nulls')]
    assert.ok(hidden.status >= 400, String(at))
    assert.deepEqual(withoutName(hidden, 'price'), withoutName(unknown, 'nulls'), String(at))
  }
})
