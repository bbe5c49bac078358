import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { largeService } from '../../bench/large-service.ts'
import shop from '../../examples/shop.ts'
import { definitionBrand } from '../../src/definition/service-definition.ts'
import { anyone, nobody, resource, service, text } from '../../src/index.ts'
import { problemTypes } from '../../src/refusal.ts'
import { type OperationFacts, operations } from '../../src/requests/context/operations.ts'
import { admin, serve } from '../service.ts'
import { describe, type Json } from './described.ts'
import { resolve } from './request-maker.ts'

test('every path, and every method of a resource but HEAD and OPTIONS, which are said once, is described', () => {
  const { paths } = describe(shop)
  assert.deepEqual(
    Object.keys(paths['/articles']).sort(),
    ['get', 'post'].concat('x-query' in paths['/articles'] ? ['x-query'] : []),
  )
  assert.deepEqual(
    Object.keys(paths['/articles/{id}'])
      .filter((key) => key !== 'parameters')
      .sort(),
    ['delete', 'get', 'patch', 'put'],
  )
  const operations = Object.values<Json>(paths).flatMap((path) => Object.keys(path))
  assert.equal(operations.includes('options'), false)
  assert.match(describe(shop).info.description, /A URI with GET also has HEAD.* Every URI has OPTIONS/)
  for (const path of ['/', '/problems', '/problems/{type}', '/openapi.json', '/schemas/{name}']) {
    assert.ok(paths[path]?.get, path)
  }
})

test('the document has no character that YAML cannot contain (YAML 1.2 §5.1)', async () => {
  await using s = await serve(shop)
  const { text, json } = await s.request('GET /openapi.json')
  assert.doesNotMatch(text, /[\uFFFE\uFFFF]/)
  assert.match(JSON.stringify(json), /[\uFFFE\uFFFF]/, 'patterns name them')
})

test('every operation has an id of its own', () => {
  const names = { 'a-b': 1, ab: 1, 'a-1': 1, a1: 1, 'ab-head': 1, 'ab-item': 1 }
  const resources = Object.fromEntries(
    Object.keys(names).map((name) => [
      name,
      resource({ a: text() }, { access: { read: anyone, create: anyone, update: anyone, delete: anyone } }),
    ]),
  )
  const { paths, components } = describe(service({ title: 'x', resources }))
  const ids = operationsOf(paths).map(({ operationId }) => operationId)
  assert.equal(new Set(ids).size, ids.length)
  const named = Object.keys(components.schemas).filter((name) => /^A/.test(name))
  assert.equal(named.length, 8 * Object.keys(names).length)
})

test('every reference within the document resolves', () => {
  assert.ok(checkReferences(describe(shop)) > 100)
  const access = { read: nobody, create: anyone, update: nobody, delete: nobody }
  const logs = resource({ name: text() }, { key: 'name', put: 'create', access: access })
  assert.ok(checkReferences(describe(service({ title: 'x', resources: { logs } }))) > 10)
})

/** The number of references. */
function checkReferences(document: Json): number {
  const references = JSON.stringify(document).match(/"#\/[^"]*"/g) ?? []
  for (const reference of new Set(references)) {
    const steps = JSON.parse(reference).slice(2).split('/')
    const found = steps.reduce((at: Json, step: string) => at?.[step], document)
    assert.ok(found, reference)
  }
  return references.length
}

test('a POST to a collection names If-Match and 412, as it is served (RFC 9110 §13.1.1)', async () => {
  await using shopping = await serve(shop)
  const { json } = await shopping.request('GET /openapi.json', admin)
  const { post } = json.paths['/users']
  assert.ok(parametersOf(json, post).some(({ name }) => name === 'If-Match'))
  assert.ok(post.responses[412])
  const refused = await shopping.request('POST /users', { ...admin, 'if-match': '"nope"' }, {})
  assert.equal(refused.status, 412)
})

test('the parameter Prefer names every preference that an operation takes (RFC 7240)', () => {
  const { description } = describe(shop).components.parameters.Prefer
  const rows = Object.values(operations).flatMap((kind) => Object.values<OperationFacts>(kind))
  const taken = new Set(rows.flatMap(({ preferences = [] }) => preferences))
  assert.ok(taken.size > 3)
  for (const preference of [...taken, 'return=representation', 'handling=strict']) {
    assert.ok(description.includes(`\`${preference}`), preference)
  }
})

test('filters through a reference are listed if the caller can see them', async () => {
  await using running = await serve(shop)
  const listed = async (fields = {}) => {
    const { json } = await running.request('GET /openapi.json', fields)
    const names = parametersOf(json, json.paths['/articles'].get).map(({ name }) => name)
    const query = Object.keys(json.components.schemas.ArticlesFilter.properties)
    return { parameters: names, query }
  }
  const anonymous = await listed()
  assert.ok(anonymous.parameters.includes('author.name'))
  assert.ok(anonymous.query.includes('author.name'))
  assert.ok(!anonymous.parameters.includes('author.email'))
  assert.ok(!anonymous.query.includes('author.email'))
  assert.ok((await listed(admin)).parameters.includes('author.email'))
  const found = await running.request('GET /articles?author.name%5Bstarts%5D=A')
  assert.equal(found.status, 200)
})

test('every problem type is in the catalogue of the document, with its status', () => {
  const { components } = describe(shop)
  const types: string[] = components.schemas.Problem.properties.type.enum
  // Only files have ranges, and the shop has no files.
  const sent = Object.entries(problemTypes).filter(([name]) => name !== 'range-not-satisfiable')
  assert.deepEqual(
    types,
    sent.map(([name]) => `/problems/${name}`),
  )
  for (const [name, { status }] of sent) {
    const response = components.responses[`Problem${status}`] ?? components.responses.AnyProblem
    assert.match(response.description, new RegExp(`\`${name}\``))
  }
})

test('every example satisfies its schema', () => {
  const document = describe(shop)
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ $id: 'doc', components: document.components })
  let count = 0
  const visit = (value: Json): void => {
    if (typeof value !== 'object' || value === null) return
    if (value.schema && 'example' in value) {
      count++
      const schema = JSON.parse(JSON.stringify(value.schema).replaceAll('"#/', '"doc#/'))
      assert.ok(ajv.validate(schema, value.example), `${JSON.stringify(value.example)}: ${ajv.errorsText()}`)
    }
    Object.values(value).forEach(visit)
  }
  visit(document.paths)
  visit(document.components.responses)
  assert.ok(count > 8, String(count))
})

test('each field has one filter, whose operators are the members of an object (deepObject)', () => {
  const document = describe(shop)
  const parameters = parametersOf(document, document.paths['/products'].get)
  const price = parameters.filter(({ name }) => name.startsWith('price'))
  assert.deepEqual(
    price.map(({ name, style, explode }) => ({ name, style, explode })),
    [{ name: 'price', style: 'deepObject', explode: true }],
  )
  const operators = resolve(document, price[0].schema)
  assert.deepEqual(Object.keys(operators.properties), [
    ...['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'missing'],
  ])
  assert.equal(new Set(parameters.map(({ name }) => name)).size, parameters.length)
})

test('the described filters are those that the service accepts', async () => {
  await using shopping = await serve(shop)
  const { json } = await shopping.request('GET /openapi.json')
  const filters = parametersOf(json, json.paths['/products'].get).filter(
    ({ style }) => style === 'deepObject',
  )
  assert.ok(filters.length > 5)
  for (const { name, schema } of filters) {
    for (const operator of Object.keys(resolve(json, schema).properties)) {
      const { status, text } = await shopping.request(`GET /products?${name}%5B${operator}%5D=%00`)
      assert.equal(status, 400, text)
      assert.doesNotMatch(text, /unknown-parameter/)
    }
  }
})

function parametersOf(document: Json, operation: Json): Json[] {
  return operation.parameters.map((one: Json) => resolve(document, one))
}

test('no component is unused, for any caller (OpenAPI 3.1 §4.8.7)', async () => {
  await using shopping = await serve(shop)
  for (const fields of [{}, admin]) {
    const { json } = await shopping.request('GET /openapi.json', fields)
    // Tools do not resolve references in extensions (§4.9).
    const text = JSON.stringify([json.paths, json.components])
    const unused = ['schemas', 'responses', 'parameters', 'headers'].flatMap((section) =>
      Object.keys(json.components[section])
        .map((name) => `#/components/${section}/${name}`)
        .filter((reference) => !text.includes(`"${reference}"`)),
    )
    assert.deepEqual(unused, [])
    assert.ok(checkReferences(json) > 100)
  }
})

test('every operation names a response of the class 4xx', async () => {
  await using shopping = await serve(shop)
  const { json } = await shopping.request('GET /openapi.json', admin)
  const operations = Object.entries<Json>(json.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, operation]) => ({ method, path, ...operation })),
  )
  const silent = operations.filter(
    ({ responses }) => responses && !Object.keys(responses).some((status) => status.startsWith('4')),
  )
  assert.deepEqual(
    silent.map(({ method, path }) => `${method} ${path}`),
    [],
  )
})

test('the description of the demo is at most 150 kB, and a further resource adds at most 30 kB', async () => {
  await using shopping = await serve(shop)
  const { text } = await shopping.request('GET /openapi.json', admin)
  assert.ok(text.length <= 150_000, `${text.length} octets`)
  const sizeOf = (count: number) => JSON.stringify(describe(largeService(count))).length
  const further = sizeOf(11) - sizeOf(10)
  // Also for a resource with 31 fields, six of them references.
  assert.ok(further <= 42_000, `${further} octets`)
  const { [definitionBrand]: demo } = shop
  const more = service({
    ...demo,
    resources: { ...demo.resources, essays: demo.resources.articles },
  })
  const added = JSON.stringify(describe(more)).length - JSON.stringify(describe(shop)).length
  assert.ok(added <= 30_000, `${added} octets`)
})

test('generators of clients have a type for every content, and a name of its own for every component', async () => {
  await using shopping = await serve(shop)
  const { json } = await shopping.request('GET /openapi.json', admin)
  const contents = (node: Json): Json[] =>
    node === null || typeof node !== 'object'
      ? []
      : [
          ...(node.content && !node.type ? Object.values(node.content) : []),
          ...Object.values(node).flatMap(contents),
        ]
  const described = contents({ ...json, components: { responses: json.components.responses } })
  assert.ok(described.length > 50)
  assert.deepEqual(
    described.filter((one) => one.schema === undefined),
    [],
  )
  const sections = ['schemas', 'parameters', 'responses'].flatMap((name) =>
    Object.keys(json.components[name]),
  )
  const plain = sections.map((name) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, ''))
  assert.equal(new Set(plain).size, plain.length)
  assert.equal(JSON.stringify(json).match(/"operationId":"receiveChange"/), null)
})

test('the items of sort and embed have one schema, which names exactly what the service takes', async () => {
  await using shopping = await serve(shop)
  const { json } = await shopping.request('GET /openapi.json', admin)
  const { parameters } = json.components
  const alternatives = Object.values<Json>(parameters).filter(({ schema }) => schema.items?.anyOf)
  assert.deepEqual(alternatives, [])
  const accepted = (name: string, terms: readonly string[]) => {
    const { items } = parameters[name].schema
    return terms.filter((term) => new RegExp(items.pattern, 'u').test(term))
  }
  const sorts = ['title', '-title', 'author', '-author.name', 'author.a.b', 'author.a.b.c', 'titl', 'title.x']
  assert.deepEqual(accepted('Articles.sort', sorts), sorts.slice(0, 5))
  const embeds = ['author', 'author.articles', 'author.a.b', 'author.a.b.c', 'title', '-author']
  assert.deepEqual(accepted('Articles.embed', embeds), embeds.slice(0, 3))
  for (const [term, status] of [
    ['-author.name', 200],
    ['title.x', 400],
  ]) {
    assert.equal((await shopping.request(`GET /articles?sort=${term}`, admin)).status, status)
  }
  assert.deepEqual(parameters['Products.sort'].schema.items.enum.slice(0, 2), ['id', '-id'])
})

test('the service accepts its own examples', async () => {
  await using shopping = await serve(shop)
  const { paths } = (await shopping.request('GET /openapi.json', admin)).json
  const { example } = paths['/products'].post.requestBody.content['application/json']
  const created = await shopping.request('POST /products', admin, example)
  assert.equal(created.status, 201, created.text)
  const patch = paths['/products/{id}'].patch.requestBody.content['application/merge-patch+json'].example
  assert.equal((await shopping.request(`PATCH ${created.fields.location}`, admin, patch)).status, 200)
})

test('servers are relative, and start with the base', () => {
  assert.deepEqual(describe(shop).servers, [{ url: '/' }])
  const based = service({ title: 'x', base: '/api', resources: { a: resource({ a: text() }) } })
  assert.deepEqual(describe(based).servers, [{ url: '/api' }])
})

test('both media types of the description are served, and only on request differ', async () => {
  await using shopping = await serve(shop)
  const plain = await shopping.request('GET /openapi.json')
  assert.equal(plain.fields['content-type'], 'application/json')
  const named = await shopping.request('GET /openapi.json', { accept: 'application/openapi+json' })
  assert.equal(named.fields['content-type'], 'application/openapi+json')
  assert.equal(named.text, plain.text)
  const refused = await shopping.request('GET /client.js', { accept: 'application/json' })
  assert.equal(refused.status, 406)
})

test('3.2 is written on request', () => {
  assert.match(describe(shop).openapi, /^3\.1\./)
  assert.match(describe(shop, '3.2').openapi, /^3\.2\./)
})

function operationsOf(paths: Json): Json[] {
  return Object.values(paths)
    .flatMap((item: Json) => Object.values(item))
    .filter((one: Json) => typeof one === 'object' && 'operationId' in one)
}
