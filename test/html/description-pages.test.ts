/** The HTML pages of documents for programs, and of /sign-out. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import shop from '../../examples/shop.ts'
import { admin, serve } from '../service.ts'

const browser = { accept: 'text/html', host: 'localhost' }

test('/schemas lists the schemas of each collection as links', async () => {
  await using service = await serve(shop)
  const { text } = await service.request('GET /schemas', browser)
  assert.match(text, /<h1>Schemas<\/h1>/)
  assert.match(
    text,
    /<th scope="row">Products<\/th><td>.*?<a href="\/schemas\/products"><code>products<\/code><\/a>/,
  )
  assert.doesNotMatch(text, /<dt>/)
  const { json } = await service.request('GET /schemas')
  for (const uri of Object.values(json)) assert.ok(text.includes(`href="${uri}"`), String(uri))
})

test('/relations has a table that leads to each relation', async () => {
  await using service = await serve(shop)
  const { text } = await service.request('GET /relations', browser)
  assert.match(text, /<h1>Link relations<\/h1>/)
  const { json } = await service.request('GET /relations')
  assert.ok(json.length > 3)
  for (const { name } of json) {
    assert.ok(
      text.includes(`<th scope="row"><a href="/relations/${name}"><code>${name}</code></a></th>`),
      name,
    )
  }
})

test('a relation and a problem type have pages in the language of the reader, below their lists', async () => {
  await using service = await serve(shop)
  const german = { ...browser, 'accept-language': 'de' }
  const relation = await service.request('GET /relations/author', german)
  assert.match(relation.text, /<li><a href="\/relations">Linkbeziehungen<\/a><\/li>/)
  assert.match(relation.text, /<dt>Bedeutung<\/dt><dd><span lang="en">The item of users/)
  const problem = await service.request('GET /problems/not-found', german)
  assert.match(problem.text, /<h1>Nicht gefunden<\/h1>/)
  assert.match(problem.text, /<dt>Status<\/dt><dd>404</)
})

test('the page of the API catalogue says what each link is', async () => {
  await using service = await serve(shop)
  const { text } = await service.request('GET /.well-known/api-catalog', browser)
  assert.match(text, /<h1>API catalogue<\/h1>/)
  assert.match(
    text,
    /OpenAPI description, for programs<\/th><td><a href="http:\/\/localhost\/openapi\.json">/,
  )
  assert.match(text, /Documentation, for people<\/th><td><a href="http:\/\/localhost\/docs">/)
  assert.doesNotMatch(text, /<dt>/)
})

test('/docs describes credentials without the name of their table', async () => {
  await using service = await serve(shop)
  const { text } = await service.request('GET /docs', { ...browser, ...admin })
  assert.match(text, /on an item’s <code>\/credentials<\/code><\/dd>/)
  assert.doesNotMatch(text, /account_credentials/)
})

test('GET /sign-out asks; only its form signs out', async () => {
  await using service = await serve(shop)
  const signedIn = await service.request('GET /sign-out', { ...browser, ...admin })
  assert.match(signedIn.text, /Do you want to sign out in this browser\?/)
  assert.match(signedIn.text, /<main.*<form method="post" action="\/sign-out".*<\/main>/s)
  const anonymous = await service.request('GET /sign-out', browser)
  assert.match(anonymous.text, /You are not signed in\./)
  assert.doesNotMatch(anonymous.text, /<form/)
})
