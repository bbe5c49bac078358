/** The frame of every page: menu, account, widths, print; with many collections and with long words. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import tracker from '../../examples/tracker/service.ts'
import { anyone, ref, resource, service, text } from '../../src/index.ts'
import { everyField, wholeNote } from '../pages/every-kind.ts'
import { admin, serve, type TestService } from '../service.ts'
import { signInAsAdmin, visitor, whyNoBrowser } from './browser.ts'
import { as, openShop } from './shop.ts'

const skip = whyNoBrowser() ?? false
const widths = [320, 375, 768, 1024, 1440, 2560]
const longWord = 'Donaudampfschifffahrtsgesellschaft'.repeat(5).slice(0, 160)

test('no page of the demo scrolls sideways from 320 to 2,560 px', { skip }, async () => {
  await using shop = await openShop(3)
  const article = {
    slug: 'w'.repeat(80),
    title: longWord,
    body: `${longWord} 🫖 שלום`,
    tags: ['🫖'.repeat(15)],
  }
  const { fields } = await shop.request('POST /articles', as('editor'), article)
  const { page, context } = await visitor(shop.url)
  await signInAsAdmin(page)
  const lists = [
    '/articles',
    `/articles?title%5Bcontains%5D=${longWord}`,
    '/products',
    '/tokens',
    '/webhooks',
  ]
  const documents = [
    '/docs',
    '/status',
    '/audit',
    '/problems',
    '/schemas',
    '/.well-known/api-catalog',
    '/events',
  ]
  await requireFittingPages(page, ['/', String(fields.location), ...lists, ...documents, `/${longWord}`])
  await context.close()
})

test('no page of the tracker scrolls sideways', { skip }, async () => {
  await using site = await serve(tracker)
  const { page, context } = await visitor(site.url)
  await signInAsAdmin(page)
  const { links } = (await site.request('GET /', admin)).json
  await requireFittingPages(page, [
    '/',
    ...['organisations', 'projects', 'tasks'].map((name) => String(links[name])),
    '/docs',
  ])
  await context.close()
})

test('with 30 collections and every kind of field no page scrolls sideways, and the banner stays small', {
  skip,
}, async () => {
  await using site = await serveManyCollections()
  const note = {
    ...wholeNote,
    title: longWord.slice(0, 50),
    body: `${longWord} ${'نص '.repeat(400)}`,
    tags: ['🫖'.repeat(5)],
  }
  const created = await site.request('POST /notes', {}, note)
  assert.equal(created.status, 201, created.text)
  await site.request('POST /links', {}, { name: longWord, to: created.json.id })
  const { page, context } = await visitor(site.url, { phone: true })
  await requireFittingPages(page, ['/', '/notes', String(created.fields.location), '/links', '/docs'])
  await page.setViewportSize({ width: 375, height: 812 })
  await page.goto('/notes')
  const box = await page.locator('.banner').boundingBox()
  assert.ok((box?.height ?? 999) <= 64, `the banner is ${box?.height} px high`)
  await context.close()
})

for (const script of [true, false]) {
  test(`a phone opens the menu by a button, ${script ? 'with' : 'without'} script; wide screens always show it`, {
    skip,
  }, async () => {
    await using site = await serveManyCollections()
    const { page, context } = await visitor(site.url, { phone: true, script })
    await page.goto('/notes')
    const link = page.getByRole('link', { name: 'Shelves 27', exact: true })
    assert.equal(await link.isVisible(), false)
    await page.getByRole('button', { name: 'Menu' }).click()
    await link.click()
    await page.getByRole('heading', { name: 'Shelves 27', level: 1 }).waitFor()
    await page.setViewportSize({ width: 1024, height: 700 })
    await link.waitFor()
    await page.getByRole('button', { name: 'Menu' }).waitFor({ state: 'hidden' })
    await context.close()
  })
}

test('the menu marks the current section, also for tokens, documentation and status', { skip }, async () => {
  await using shop = await openShop()
  const { page, context } = await visitor(shop.url, { script: false })
  await signInAsAdmin(page)
  const sections = {
    '/tokens': 'Tokens',
    '/docs': 'Documentation',
    '/status': 'Status',
    '/articles': 'Articles',
  }
  for (const [uri, name] of Object.entries(sections)) {
    await page.goto(uri)
    assert.deepEqual(await page.locator('.sidebar [aria-current="page"]').allInnerTexts(), [name])
  }
  await page.goto('/problems/gone')
  assert.deepEqual(await page.locator('.sidebar [aria-current="true"]').allInnerTexts(), ['Problems'])
  await context.close()
})

test('banner and content have the same left edge on a phone', { skip }, async () => {
  await using shop = await openShop()
  const { page, context } = await visitor(shop.url, { phone: true })
  await page.goto('/products')
  const lefts = await page.evaluate<readonly number[]>(
    "[...document.querySelectorAll('.banner, main')].map((one) => Number.parseFloat(getComputedStyle(one).paddingLeft))",
  )
  assert.equal(lefts.length, 2)
  assert.equal(lefts[0], lefts[1])
  await context.close()
})

test('a page printed in the dark scheme is dark on light', { skip }, async () => {
  await using shop = await openShop(1)
  const { page, context } = await visitor(shop.url, { scheme: 'dark' })
  await page.goto('/products')
  const lightness = () =>
    page.evaluate<number>(
      'Math.max(...getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number))',
    )
  assert.ok((await lightness()) < 60)
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  assert.ok((await lightness()) > 200)
  await page.locator('.sidebar').waitFor({ state: 'hidden' })
  await context.close()
})

test('a long text opens and closes', { skip }, async () => {
  await using shop = await openShop()
  const article = { slug: 'long', title: 'Long', body: 'Words. '.repeat(200) }
  const { fields } = await shop.request('POST /articles', as('editor'), article)
  await shop.request(`PATCH ${fields.location}`, as('editor'), { status: 'published' })
  const { page, context } = await visitor(shop.url, { script: false })
  await page.goto(String(fields.location))
  const whole = page.locator('.long > .text')
  await page.getByText('Show all 1,400 characters').click()
  await whole.waitFor()
  await page.getByText('Show less').click()
  await whole.waitFor({ state: 'hidden' })
  await context.close()
})

test('a facet leaves the filter panel closed, so that a phone shows the table', { skip }, async () => {
  await using shop = await openShop()
  await shop.request('POST /articles', as('editor'), { slug: 'a', title: 'A' })
  const { page, context } = await visitor(shop.url, { phone: true })
  await signInAsAdmin(page)
  await page.goto('/articles?status=draft')
  await page.locator('tbody tr').waitFor()
  const top = await page.evaluate<number>("document.querySelector('tbody').getBoundingClientRect().y")
  assert.ok(top < 844, `the table begins at ${top} px`)
  await context.close()
})

/** The widest elements that reach beyond the window, and no scroll container holds. */
const overflowing = `[...document.querySelectorAll('body *')].filter((one) =>
  one.getBoundingClientRect().right > document.documentElement.clientWidth + 1 && !one.closest('.scroll *, pre *, [popover]'))
  .map((one) => one.outerHTML.slice(0, 120)).slice(-3)`

async function requireFittingPages(page: Page, uris: readonly string[]): Promise<void> {
  const wide: string[] = []
  for (const uri of uris) {
    await page.goto(uri)
    // Whatever is folded must fit as well.
    await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 })
      const content = await page.evaluate<number>('document.documentElement.scrollWidth')
      if (content <= width) continue
      const causes = await page.evaluate<readonly string[]>(overflowing)
      wide.push(`${uri} is ${content} px wide in a window of ${width} px: ${causes.join(' ')}`)
    }
  }
  assert.deepEqual(wide, [])
}

/** Collections without accounts: notes with every kind of field, links to them, and 28 others. */
async function serveManyCollections(): Promise<TestService> {
  const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
  const shelves = Array.from({ length: 28 }, (_, at) => [
    `shelves-${at}`,
    resource({ name: text() }, { access }),
  ])
  const resources = {
    notes: resource(everyField, { access }),
    links: resource({ name: text({ max: 200 }), to: ref('notes') }, { access }),
    ...Object.fromEntries(shelves),
  }
  return serve(service({ title: 'Many shelves', resources }))
}

test('Ctrl-K finds a page by its name; keys focus the search, move between rows and open the form', {
  skip,
}, async () => {
  await using shop = await openShop(3)
  const { page, context, complaints } = await visitor(shop.url)
  await signInAsAdmin(page)
  await page.goto('/products')
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Tea number 2')
  await page.keyboard.press('k')
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Tea number 1')
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('searchbox').fill('artic')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Articles', level: 1 }).waitFor()
  await page.keyboard.press('/')
  assert.equal(await page.evaluate('document.activeElement.name'), 'q')
  await page.locator('h1').click()
  await page.keyboard.press('n')
  await page.waitForURL('**/forms/articles')
  assert.deepEqual(complaints, [])
  await context.close()
})
