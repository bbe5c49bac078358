/** Every text of HTML pages has a German translation, and every page shows translations only. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import shop from '../../examples/shop.ts'
import tracker from '../../examples/tracker/service.ts'
import { englishLabels, labelsOfResource } from '../../src/definition/english-labels.ts'
import { allMessages, findBuiltInDictionary } from '../../src/definition/languages/built-in-languages.ts'
import { placeholdersIn } from '../../src/definition/languages/message.ts'
import { definitionBrand } from '../../src/definition/service-definition.ts'
import { scriptTexts } from '../../src/html/assets.ts'
import { problemTypes } from '../../src/refusal.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { documentsFor } from '../documents.ts'
import { admin, adminLogin, adminPassword, serve, type TestService } from '../service.ts'
import { templatesIn, templateTexts } from './template-texts.ts'
import { pseudoDictionary, untranslatedTexts } from './untranslated.ts'

const german = findBuiltInDictionary('de') ?? {}
const missing = (texts: Iterable<string>) =>
  [...new Set(texts)].filter((text) => !Object.hasOwn(german, text))

test('the German dictionary has every text of the templates and scripts', () => {
  assert.ok(templateTexts().length > 200, 'the test reads the templates there are')
  assert.deepEqual(missing(templateTexts()), [])
  assert.ok(scriptTexts.length > 5)
  assert.deepEqual(missing(scriptTexts), [])
})

test('templates are found within others', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text is source
  const found = templatesIn("x = html`<p>${a && phrase`One ${f({ b: '`' })}`}</p>` // html`no`")
  assert.deepEqual(found, [
    { tag: 'phrase', strings: ['One ', ''] },
    { tag: 'html', strings: ['<p>', '</p>'] },
  ])
})

test('the German dictionary has the title, cause and remedy of every problem type', () => {
  const texts = Object.values(problemTypes).flatMap(({ title, cause, remedy }) => [title, cause, remedy])
  assert.deepEqual(missing(texts), [])
})

test('the German dictionary has the texts of the tables of documents', () => {
  const documents = documentsFor(checkDefinition(tracker))
  const texts = [...documents.values()].flatMap(({ table }) => {
    const { title, lead, empty, next, columns } = table ?? { columns: [] }
    const ofColumns = columns.flatMap(({ label, absent }) => [label, absent])
    return [title, lead, empty, next, ...ofColumns].filter((one) => one !== undefined)
  })
  assert.ok(texts.length > 20)
  assert.deepEqual(missing(texts), [])
})

test('the German dictionary has the labels of the built-in collections', () => {
  const resources = [...checkDefinition(tracker).resources.values()].filter(({ declared }) => !declared)
  const labels = resources.flatMap(labelsOfResource).filter((label) => !/[:.*]/.test(label))
  assert.deepEqual(missing(labels), [])
})

test('every German text has the placeholders of the English one', () => {
  const different = Object.entries(german).filter(([english, translation]) => {
    const forms = typeof translation === 'string' ? [translation] : Object.values(translation)
    return forms.some((form) => placeholdersIn(form).join() !== placeholdersIn(english).join())
  })
  assert.deepEqual(different, [])
})

/** The definition with a pseudo-language in place of Esperanto. */
function withPseudoLanguage(definition: typeof shop | typeof tracker): unknown {
  const options = definition[definitionBrand]
  const texts = [...allMessages(), ...englishLabels(checkDefinition(definition))]
  return {
    ...definition,
    [definitionBrand]: { ...options, languages: { eo: pseudoDictionary(texts) } },
  }
}

const page = { accept: 'text/html', 'accept-language': 'eo' }
const json = { ...admin, 'content-type': 'application/json' }
const form = { ...page, 'content-type': 'application/x-www-form-urlencoded' }

async function assertTranslated({ request }: TestService, lines: readonly string[]): Promise<void> {
  for (const line of lines) {
    const [method = '', target = ''] = line.split(' ')
    for (const caller of [admin, {}]) {
      const { text, fields } = await request(`${method} ${encodeURI(target)}`, { ...page, ...caller })
      assert.equal(fields['content-language'], 'eo', line)
      assert.deepEqual(untranslatedTexts(text), [], `${line} has texts that are not translated`)
    }
  }
}

test('pages of the demo show no text that is not translated', async () => {
  await using service = await serve(withPseudoLanguage(shop))
  const { request } = service
  await request('POST /articles', json, {
    slug: '2026',
    title: 'Αλφα',
    body: 'Βητα '.repeat(200),
    tags: ['Γ'],
  })
  await request('POST /products', json, { sku: '100', name: 'Δελτα', price: '4.50' })
  await assertTranslated(service, [
    'GET /',
    'GET /articles',
    'GET /articles?status=draft&tags[has]=Γ&q=Αλφα',
    'GET /articles?title[contains]=Ω',
    'GET /articles/-/aggregate?group-by=status&aggregate=count',
    'GET /articles?sort=-title&fields=title,status',
    'GET /products',
    'GET /products/100',
    'GET /products/100/-/access',
    'GET /products/-/preview',
    'GET /forms/articles',
    'GET /forms/products',
    'GET /forms/products/100',
    'GET /products?price[gte]=ω',
    'GET /products?limit=0',
    'GET /products?ω=1',
    'GET /users',
    'GET /tokens',
    'GET /sign-in',
    'GET /sign-out',
    'GET /problems',
    'GET /problems/not-found',
    'GET /docs',
    'GET /schemas',
    'GET /.well-known/api-catalog',
    'GET /events',
    'GET /status',
    'GET /ω',
    'DELETE /products/200',
  ])
  for (const password of ['wrong', adminPassword]) {
    await request('POST /sign-in', form, `${new URLSearchParams({ login: adminLogin, password })}`)
  }
  // The names of sessions are stored.
  await assertTranslated(service, ['GET /audit?collection=users'])
})

test('refused forms of the demo show no text that is not translated', async () => {
  await using service = await serve(withPseudoLanguage(shop))
  const { request } = service
  const adminForm = { ...form, ...admin }
  await request('POST /products', json, { sku: '100', name: 'Δελτα', price: '4.50' })
  const replies = [
    await request('POST /forms/products', adminForm, 'sku=α&name=&price=ω&stock=-1'),
    await request('POST /forms/products', adminForm, 'sku=100&name=Α&price=1.00&stock=1'),
    await request('POST /forms/products/100?method=PATCH&match="x"', adminForm, 'name=Β'),
    await request('POST /forms/products/100?method=DELETE&match="x"', adminForm, ''),
    await request('POST /sign-in', form, 'login=a@b.cd&password=x'),
  ]
  assert.deepEqual(
    replies.map(({ status }) => status),
    [422, 409, 412, 412, 401],
  )
  for (const { text } of replies) assert.deepEqual(untranslatedTexts(text), [])
})

test('pages of the tracker show no text that is not translated', async () => {
  await using service = await serve(withPseudoLanguage(tracker))
  const { request } = service
  const { json: users } = await request('GET /users', admin)
  const user = users.items?.[0]?.id ?? users[0].id
  await request('POST /organisations', json, { slug: '1', name: 'Αλφα' })
  await request('POST /memberships', json, { name: 'Ε', organisation: '1', user, role: 'manager' })
  const { json: project } = await request('POST /projects', json, {
    name: 'Βητα',
    organisation: '1',
  })
  const task = await request('POST /tasks', json, { title: 'Γαμμα', project: project.id, due: '2026-01-01' })
  assert.equal(task.status, 201)
  const id = task.json.id
  await request(
    `PATCH /tasks/${id}`,
    { ...json, 'content-type': 'application/merge-patch+json' },
    { title: 'Δ' },
  )
  await assertTranslated(service, [
    'GET /',
    'GET /tasks',
    `GET /tasks/${id}`,
    `GET /tasks/${id}/history`,
    `GET /projects/${project.id}`,
    `GET /projects/${project.id}/tasks`,
    `GET /forms/tasks/${id}`,
    'GET /forms/tasks',
    'GET /organisations/1',
    'GET /webhooks',
    'GET /docs',
    'GET /events',
    'GET /schemas',
    'GET /status',
    'GET /entries/-/aggregate?group-by=day&aggregate=hours.sum',
  ])
})
