/** What OpenAPI describes to each caller. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import shop from '../../examples/shop.ts'
import { schemeNames } from '../../src/access/authentication-schemes.ts'
import { anyone, choice, email, nobody, password, resource, role, service, text } from '../../src/index.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { admin, serve } from '../service.ts'
import { describe, type Json } from './described.ts'

test('a caller is shown what it may do, and nothing else', async () => {
  const hidden = resource({ a: text() }, { access: { read: role('admin') } })
  const things = resource(
    { a: text(), secret: text().visibleTo(role('admin')).writableBy(role('admin')).optional() },
    { access: { read: anyone, create: nobody, update: role('admin'), delete: role('admin') } },
  )
  const definition = withAccounts({ hidden, things })
  await using own = await serve(definition)
  const anonymous = await own.request('GET /openapi.json')
  assert.equal(anonymous.status, 200)
  assert.doesNotMatch(anonymous.text, /hidden|secret|admin/)
  assert.deepEqual(Object.keys(anonymous.json.paths['/things/{id}']).sort(), ['get', 'parameters'])
  const known = await own.request('GET /openapi.json', admin)
  assert.ok(known.json.paths['/hidden'].get)
  assert.ok(known.json.components.schemas.ThingsPatch.properties.secret)
  assert.equal(known.json.paths['/things'].post, undefined)
})

test('parts that only admins may see are described to admins, within the scopes of their token', async () => {
  await using shopping = await serve(shop)
  const isShownTo = async (fields: Record<string, string>) =>
    '/metrics' in (await shopping.request('GET /openapi.json', fields)).json.paths
  const tokenFor = async (scopes: readonly string[]) => {
    const { json } = await shopping.request('POST /tokens', admin, { scopes })
    return { authorization: `Bearer ${json.token}` }
  }
  assert.equal(await isShownTo({}), false)
  assert.equal(await isShownTo(admin), true)
  assert.equal(await isShownTo(await tokenFor(['products:read'])), false)
  assert.equal(await isShownTo(await tokenFor(['*:read'])), true)
})

test('an operation that anonymous callers may use requires no authentication', () => {
  const { paths, security } = describe(shop)
  assert.deepEqual(security[0], {})
  assert.equal(paths['/products'].get.security, undefined)
  assert.ok(paths['/products'].post.security.every((one: object) => Object.keys(one).length === 1))
})

test('the schemes described are the schemes offered', async () => {
  await using shopping = await serve(shop)
  const { components } = (await shopping.request('GET /openapi.json')).json
  const described = Object.values(components.securitySchemes).map((scheme: Json) => scheme.scheme)
  const challenge = (await shopping.request('POST /products', {}, {})).fields['www-authenticate'] ?? ''
  const offered = [...challenge.matchAll(/(\w+) realm=/g)].map(([, name]) => name?.toLowerCase())
  assert.deepEqual(described, offered)
  assert.deepEqual(
    schemeNames(checkDefinition(shop)).map((name) => name.toLowerCase()),
    offered,
  )
})

function withAccounts(resources: Record<string, ReturnType<typeof resource>>) {
  return service({
    title: 'x',
    accounts: { resource: 'people', login: 'email', password: 'password', roles: 'role' },
    resources: {
      ...resources,
      people: resource({
        email: email().unique(),
        password: password(),
        role: choice(['admin', 'other']).default('other'),
      }),
    },
  })
}
