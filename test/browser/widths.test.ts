/** No HTML page scrolls sideways from 320 to 2,560 px, with long words, emoji and text from right to left. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import tracker from '../../examples/tracker/service.ts'
import { anyone, file, list, ref, refs, resource, service, text, uuid } from '../../src/index.ts'
import { isFull, someOf } from '../cases.ts'
import { everyField, wholeNote } from '../html/every-kind.ts'
import { admin, serve, type TestService } from '../service.ts'
import { signInAsAdmin, visitor, whyNoBrowser } from './browser.ts'
import { as, openShop, people } from './shop.ts'

const skip = whyNoBrowser() ?? false
/** By default a narrow and a wide one. */
const widths = isFull ? [320, 375, 768, 1440, 2560] : [320, 1440]
const longWord = 'Donaudampfschifffahrtsgesellschaft'.repeat(5).slice(0, 160)
const mixed = `${longWord} ${'🫖'.repeat(40)} ${'نص'.repeat(40)}`

const measured: Readonly<Record<string, () => Promise<void>>> = {
  'no page of the demo scrolls sideways from 320 to 2,560 px': measureDemo,
  'no page of the tracker scrolls sideways': measureTracker,
  'with 30 collections and every kind of field no page scrolls sideways, and the banner stays small':
    measureManyCollections,
}

// By default one of the three: each loads dozens of pages.
for (const [title, run] of someOf(Object.entries(measured), 1)) test(title, { skip }, run)

async function measureDemo(): Promise<void> {
  await using shop = await openShop(3)
  const article = { slug: 'w'.repeat(80), title: longWord, body: mixed, tags: ['🫖'.repeat(15)] }
  const product = { sku: 'S'.repeat(40), name: longWord, price: '1.50' }
  const { location } = (await shop.request('POST /articles', as('editor'), article)).fields
  await shop.request('POST /products', admin, product)
  const { page, context } = await visitor(shop.url)
  const refused = [`/${longWord}`, `/articles/${longWord}`, '/tokens', `/articles?sort=${longWord}`]
  const wide = [
    ...(await measurePages(page, [...refused, '/', '/sign-in'])),
    ...(await measureRefusedSignIn(page)),
  ]
  await signInAsAdmin(page)
  const query = `email=${encodeURIComponent(people.member)}`
  const account = (await shop.request(`GET /users?${query}`, admin)).json[0].id
  wide.push(
    ...(await measurePages(page, [
      '/schemas',
      '/events',
      '/articles/-/aggregate?group-by=status&aggregate=count',
      `/articles/-/preview?as-account=${account}`,
      `${location}/-/access?account=${account}`,
    ])),
    ...(await measureLinkedPages(page, [String(location), `/products/${product.sku}`, '/'])),
    ...(await measureForms(page, shop)),
  )
  await page.setExtraHTTPHeaders({ 'accept-language': 'de' })
  wide.push(...(await measurePages(page, ['/', '/docs', '/status', '/audit', '/forms/products'])))
  assert.deepEqual(wide, [])
  await context.close()
}

async function measureRefusedSignIn(page: Page): Promise<readonly string[]> {
  await page.goto('/sign-in')
  await page.locator('#login').fill(`${longWord}@example.org`)
  await page.locator('#password').fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Wrong email or password.').waitFor()
  return measure(page, 'a refused sign-in')
}

/** The pages that answer forms: a conflict, faults and a new token. */
async function measureForms(page: Page, shop: TestService): Promise<readonly string[]> {
  await page.goto('/forms/products/TEA-002')
  await page.locator('#form-name').fill(longWord)
  await shop.request('PATCH /products/TEA-002', admin, { name: `Other${longWord}` })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('This item changed after you opened it').waitFor()
  const conflict = await measure(page, 'a conflict')

  await page.goto('/forms/products')
  await page.locator('#form-sku').fill(longWord)
  // Sent without the checks of the browser and of the script.
  await page.locator('main form').evaluate((form: { submit(): void }) => form.submit())
  await page.locator('.fault').first().waitFor()
  const faults = await measure(page, 'a refused form')

  await page.goto('/forms/tokens')
  await page.locator('#form-name').fill(longWord.slice(0, 50))
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByText('Copy it now.').waitFor()
  return [...conflict, ...faults, ...(await measure(page, 'a new token'))]
}

async function measureTracker(): Promise<void> {
  await using site = await serve(tracker)
  const { request } = site
  const create = async (collection: string, item: Readonly<Record<string, unknown>>) => {
    const { status, json, text: shown } = await request(`POST /${collection}`, admin, item)
    assert.equal(status, 201, `${collection}: ${shown}`)
    return json
  }
  const name = longWord.slice(0, 100)
  const [user] = (await request('GET /users', admin)).json
  const { slug } = await create('organisations', { slug: 'w'.repeat(40), name })
  const member = { name, organisation: slug, user: user.id, role: 'manager' }
  const { id: membership } = await create('memberships', member)
  const { id: project } = await create('projects', { name, organisation: slug, budget: '123456789.50' })
  const { id: label } = await create('labels', { name: longWord.slice(0, 40), organisation: slug })
  const task = { title: longWord, project, description: mixed, assignee: membership, labels: [label] }
  const { id } = await create('tasks', task)
  await create('comments', { text: mixed, task: id })
  await create('entries', { day: '2026-01-01', hours: '1.50', note: mixed.slice(0, 250), task: id })
  await request(`PATCH /tasks/${id}`, admin, { description: longWord, status: 'in review' })
  const { page, context } = await visitor(site.url)
  await signInAsAdmin(page)
  assert.deepEqual(await measureLinkedPages(page, [`/tasks/${id}`, '/']), [])
  await context.close()
}

async function measureManyCollections(): Promise<void> {
  await using site = await serveManyCollections()
  const note = {
    ...wholeNote,
    title: longWord.slice(0, 50),
    body: mixed,
    tags: ['🫖'.repeat(5)],
    extra: { [longWord]: [longWord] },
    site: `https://example.org/${longWord}`,
  }
  const created = await site.request('POST /notes', {}, note)
  assert.equal(created.status, 201, created.text)
  const { id } = created.json
  await site.request('POST /links', {}, { name: longWord, to: id, others: [id] })
  const { page, context } = await visitor(site.url)
  const wide = await measureLinkedPages(page, [`/notes/${id}`, '/'])
  assert.deepEqual([...wide, ...(await measureRefusedImport(page))], [])
  await page.setViewportSize({ width: 375, height: 812 })
  await page.goto('/notes')
  const box = await page.locator('.banner').boundingBox()
  assert.ok((box?.height ?? 999) <= 64, `the banner is ${box?.height} px high`)
  await context.close()
}

async function measureRefusedImport(page: Page): Promise<readonly string[]> {
  await page.goto('/shelves-1')
  await page.getByRole('link', { name: 'Import' }).click()
  const buffer = Buffer.from(`name,${longWord}\n${longWord},${longWord}\n`)
  await page.getByLabel('File').setInputFiles({ name: 'shelves.csv', mimeType: 'text/csv', buffer })
  await page.getByRole('button', { name: 'Import' }).click()
  await page.getByText('Nothing was imported.').waitFor()
  return measure(page, 'a refused import')
}

/** Collections without accounts: notes with most kinds of field, links with the others, and 28 more. */
async function serveManyCollections(): Promise<TestService> {
  const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
  const shelves = Array.from({ length: 28 }, (_, at) => [
    `shelves-${at}`,
    resource({ name: text() }, { access, bulk: true }),
  ])
  const resources = {
    notes: resource(everyField, { access }),
    links: resource(
      {
        name: text({ max: 200 }),
        code: uuid().optional(),
        to: ref('notes'),
        others: refs('notes'),
        document: file({ types: ['text/plain'], max: '1 MB' }).optional(),
        scans: list(file({ types: ['image/*'], max: '1 MB' }), { max: 3 }),
      },
      { access },
    ),
    ...Object.fromEntries(shelves),
  }
  return serve(service({ title: 'Many shelves', resources }))
}

/** Measures these pages and all that they link to, one of each kind. Returns those that scroll sideways. */
async function measureLinkedPages(page: Page, starts: readonly string[]): Promise<readonly string[]> {
  const waiting = [...starts]
  const seen = new Set<string>()
  const wide: string[] = []
  for (const uri of waiting) {
    const kind = kindOfAddress(uri)
    if (seen.has(kind)) continue
    seen.add(kind)
    wide.push(...(await measurePages(page, [uri])))
    waiting.push(...(await page.evaluate<readonly string[]>(linkedAddresses)))
  }
  assert.ok(seen.size > 15, `${seen.size} kinds of pages were seen`)
  return wide
}

async function measurePages(page: Page, uris: readonly string[]): Promise<readonly string[]> {
  const wide: string[] = []
  for (const uri of uris) {
    await page.goto(uri)
    wide.push(...(await measure(page, uri)))
  }
  return wide
}

/**
 * The pages of this service that the page links to, without those that differ little: other orders and formats of a
 * list, filters of a list below an item, and its form.
 */
const linkedAddresses = `[...document.querySelectorAll('a[href]:not([type])')]
  .filter((link) => link.origin === location.origin)
  .map(({ pathname, search }) => pathname + search)
  .filter((uri) => !/\\.json|format=|sort=|&|^\\/[^/]+\\/[^/]+\\/.*\\?|^\\/forms\\/[^/]+\\/[^/]+\\/./.test(uri))`

/** Addresses of the same kind differ in the id of an item, in the values of parameters or in a number. */
function kindOfAddress(uri: string): string {
  const [path = '', query = ''] = uri.split('?')
  const [first = '', second, ...others] = path.slice(1).split('/')
  const fixed = first === 'forms' ? [first, second] : [first, second === undefined ? '' : '*']
  const rest = others.map((segment) => (/^[a-z-]+$/.test(segment) ? segment : '*'))
  return `${[...fixed, ...rest].join('/')}?${query.split('=')[0]}`.replaceAll(/\d+/g, '*')
}

/** Measures the page that is shown, with all that can be folded opened. */
async function measure(page: Page, name: string): Promise<readonly string[]> {
  await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
  const wide: string[] = []
  for (const width of widths) {
    // Low, because the browser draws what it shows.
    await page.setViewportSize({ width, height: 100 })
    const causes = await page.evaluate<readonly string[]>(overflowing)
    if (causes.length > 0) wide.push(`${name} at ${width} px: ${causes.join(' ')}`)
  }
  return wide
}

/** On a page that is wider than the window, its width and the last elements that reach beyond it. */
const overflowing = `((root) => root.scrollWidth <= root.clientWidth ? [] : [root.scrollWidth + ' px wide:',
  ...[...document.querySelectorAll('body *')]
    .filter((one) => one.getBoundingClientRect().right > root.clientWidth + 1 && !one.closest('.scroll *, pre *, [popover]'))
    .map((one) => one.outerHTML.slice(0, 120)).slice(-3)])(document.documentElement)`
