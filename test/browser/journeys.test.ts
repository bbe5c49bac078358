/** Tasks of people in a real browser: with script, without it, and on a phone. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { someOf } from '../cases.ts'
import { admin, type TestService } from '../service.ts'
import { accountButton, signInAsAdmin, type VisitorOptions, visitor, whyNoBrowser } from './browser.ts'
import { openShop } from './shop.ts'

const skip = whyNoBrowser() ?? false

const ways: Readonly<Record<string, VisitorOptions>> = {
  'with script': {},
  'with JavaScript switched off': { script: false },
  'on a phone': { phone: true },
}

for (const [way, options] of someOf(Object.entries(ways), 1)) {
  test(`a person signs up, writes, publishes, filters, loses a race and signs out, ${way}`, {
    skip,
  }, async () => {
    await using service = await openShop(60)
    const { page, complaints, context } = await visitor(service.url, options)
    await signUp(page)
    const article = await write(page)
    await publish(page, service, article)
    await filterProducts(page)
    await loseRace(page, service, article)
    await signOut(page)
    assert.deepEqual(complaints, [])
    await context.close()
  })
}

async function signUp(page: Page): Promise<void> {
  await page.goto('/')
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.locator('#sign-up > summary').click()
  const form = page.locator('#sign-up form')
  await form.getByLabel('Email').fill('member@example.org')
  await form.getByLabel('Name').fill('Ada')
  await form.getByLabel('Password').fill('long enough for anyone')
  await form.getByRole('button', { name: 'Sign up' }).click()
  await page.locator('.fault').waitFor()
  // The summary of the faults has the focus.
  await page.locator('.alert:focus').waitFor()
  assert.equal(await page.getByLabel('Name').inputValue(), 'Ada')
  await page.getByLabel('Email').fill('ada@example.org')
  assert.equal(await page.getByLabel('Password').inputValue(), '')
  await page.getByLabel('Password').fill('long enough for anyone')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByText('Your account is ready. Sign in.').waitFor()
  assert.equal(new URL(page.url()).pathname, '/sign-in')
  await page.getByLabel('Email').first().fill('ada@example.org')
  await page.getByLabel('Password').first().fill('long enough for anyone')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await accountButton(page).waitFor()
  assert.match(await page.locator('.account').innerText(), /Ada/)
}

async function write(page: Page): Promise<string> {
  await page.goto('/articles')
  await page.locator('#new').click()
  const form = page.locator('main form')
  await form.getByLabel('Slug').fill('on-tea')
  await form.getByLabel('Title').fill('On tea')
  await form.getByLabel('Body').fill('First line\nsecond line')
  await form.getByLabel('Tags').fill('tea\nrest')
  await form.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'On tea' }).waitFor()
  assert.match(await page.locator('.badge').first().innerText(), /Draft/)
  assert.equal(await page.locator('[role="status"]').innerText(), 'Created.')
  const article = new URL(page.url()).pathname
  assert.match(article, /^\/articles\/[0-9a-f-]{36}$/, 'the address is that of the item')
  await page.reload()
  assert.equal(await page.locator('[role="status"]').count(), 0, 'a notice is shown once')
  return article
}

async function publish(page: Page, { request }: TestService, article: string): Promise<void> {
  await page.getByRole('button', { name: 'Publish' }).click()
  await page.locator('.badge', { hasText: 'Published' }).waitFor()
  assert.equal(await page.locator('[role="status"]').innerText(), '“Publish” is done.')
  assert.equal(new URL(page.url()).pathname, article)
  assert.equal((await request(`GET ${article}`)).json.status, 'published')
  // Only editors may archive: for others it is not offered, and refused.
  assert.equal(await page.getByRole('button', { name: 'Archive' }).count(), 0)
  const forced = await page.request.post(`/forms${article}?method=PATCH`, {
    form: { status: 'archived' },
    headers: { accept: 'text/html', 'sec-fetch-site': 'same-origin' },
  })
  assert.equal(forced.status(), 403)
}

async function filterProducts(page: Page): Promise<void> {
  await page.goto('/products')
  assert.equal(await page.locator('tbody tr').count(), 50)
  await page.getByRole('link', { name: 'Next →' }).click()
  await page.locator('tbody th', { hasText: 'Tea number 60' }).waitFor()
  assert.equal(await page.locator('tbody tr').count(), 10)
  await page.getByRole('link', { name: '← Previous' }).click()
  await page.getByRole('link', { name: 'Next →' }).waitFor()
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByLabel('Price from').fill('10')
  await page.getByLabel('Price up to').fill('20')
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.locator('.active').waitFor()
  await page.locator('tbody tr').nth(9).waitFor()
  assert.equal(await page.locator('tbody tr').count(), 10)
  await page.getByRole('link', { name: 'Price', exact: true }).click()
  await page.locator('[aria-sort="ascending"]').waitFor()
  await page.getByRole('link', { name: 'Price', exact: true }).click()
  await page.locator('[aria-sort="descending"]').waitFor()
  assert.match(await page.locator('tbody tr').first().innerText(), /Tea number 19/)
  await page.getByText('10 products', { exact: true }).waitFor()
}

async function loseRace(page: Page, { request }: TestService, article: string): Promise<void> {
  await page.goto(article)
  await page.locator('#edit').click()
  await request(`PATCH ${article}`, admin, { title: 'On coffee', tags: ['coffee'] })
  await page.getByLabel('Title').fill('On green tea')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('This item changed after you opened it').waitFor()
  assert.equal(await page.locator('.conflict').count(), 1)
  assert.equal(await page.locator('.conflict .current').innerText(), 'On coffee')
  await page.getByLabel('Use your value').check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'On green tea' }).waitFor()
  const { json } = await request(`GET ${article}`)
  assert.equal(json.title, 'On green tea')
  assert.equal(json.body, 'First line\nsecond line')
  assert.deepEqual(json.tags, ['coffee'], 'a field that was not touched is not overwritten')
}

async function signOut(page: Page): Promise<void> {
  await accountButton(page).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
  await page.goto('/articles')
  assert.equal(await page.locator('#new').count(), 0)
  await page.goto('/tokens')
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
}

test('a button copies the secret of a new token', { skip }, async () => {
  await using service = await openShop()
  const { page, complaints, context } = await visitor(service.url)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await signInAsAdmin(page)
  await page.goto('/forms/tokens')
  await page.getByLabel('Name').fill('Laptop')
  await page.getByRole('button', { name: 'Create' }).click()
  const secret = page.getByRole('region', { name: 'Token' })
  await secret.getByRole('button', { name: 'Copy' }).click()
  await secret.getByRole('button', { name: 'Copied' }).waitFor()
  const copied = await page.evaluate<string>('navigator.clipboard.readText()')
  assert.equal(copied, await secret.locator('code').innerText())
  assert.equal((await service.request('GET /', { authorization: `Bearer ${copied}` })).status, 200)
  assert.deepEqual(complaints, [])
  await context.close()
})
