/** The frame of every page: menu, account, shortcuts, print; with many collections. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, resource, service, text } from '../../src/index.ts'
import { someOf } from '../cases.ts'
import { serve, type TestService } from '../service.ts'
import { signInAsAdmin, visitor, whyNoBrowser } from './browser.ts'
import { as, openShop } from './shop.ts'

const skip = whyNoBrowser() ?? false

for (const script of someOf([true, false], 1)) {
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

/** 29 collections without accounts. */
async function serveManyCollections(): Promise<TestService> {
  const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
  const names = ['notes', ...Array.from({ length: 28 }, (_, at) => `shelves-${at}`)]
  const resources = Object.fromEntries(names.map((name) => [name, resource({ name: text() }, { access })]))
  return serve(service({ title: 'Many shelves', resources }))
}

test('keys focus the search, move between rows and open the form', {
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
  await page.goto('/articles')
  await page.keyboard.press('/')
  assert.equal(await page.evaluate('document.activeElement.name'), 'q')
  await page.locator('h1').click()
  await page.keyboard.press('n')
  await page.waitForURL('**/forms/articles')
  assert.deepEqual(complaints, [])
  await context.close()
})
