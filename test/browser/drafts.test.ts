/** Forms with script: drafts survive a closed tab, leaving asks first, and yes or no is a switch. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { anyone, boolean, password, resource, service, text } from '../../src/index.ts'
import { admin, serve } from '../service.ts'
import { accountButton, signInAsAdmin, visitor, whyNoBrowser } from './browser.ts'
import { openShop } from './shop.ts'

const skip = whyNoBrowser() ?? false

/** Whether the browser would ask before this page is left. */
function asksBeforeLeaving(page: Page): Promise<boolean> {
  return page.evaluate("!dispatchEvent(new Event('beforeunload', { cancelable: true }))")
}

function storedDrafts(page: Page): Promise<readonly string[]> {
  return page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('draft '))")
}

test('a draft survives a closed tab, is offered, merges with the edits of others, and is dropped once saved', {
  skip,
}, async () => {
  await using shop = await openShop()
  const { page: first, context, complaints } = await visitor(shop.url)
  await signInAsAdmin(first)
  const created = await shop.request('POST /articles', admin, { slug: 'tea', title: 'Tea', body: 'Leaves' })
  const uri = String(created.fields.location)
  await first.goto(`/forms${uri}`)
  assert.equal(await asksBeforeLeaving(first), false)
  await first.getByLabel('Title').fill('Green tea')
  assert.equal(await asksBeforeLeaving(first), true)
  await first.close()
  await shop.request(`PATCH ${uri}`, admin, { body: 'Leaves and water' })
  const page = await context.newPage()
  await page.goto(`/forms${uri}`)
  assert.equal(await page.getByLabel('Title').inputValue(), 'Tea', 'offered, not forced')
  await page.getByRole('button', { name: 'Restore them' }).click()
  assert.equal(await page.getByLabel('Title').inputValue(), 'Green tea')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Green tea', level: 1 }).waitFor()
  const { json } = await shop.request(`GET ${uri}`, admin)
  assert.deepEqual([json.title, json.body], ['Green tea', 'Leaves and water'])
  await page.waitForFunction("!Object.keys(localStorage).some((key) => key.startsWith('draft '))")
  assert.deepEqual(complaints, [])
  await context.close()
})

test('a refused form keeps its draft, and signing out drops it', { skip }, async () => {
  await using shop = await openShop()
  const { page, context } = await visitor(shop.url)
  await signInAsAdmin(page)
  await page.goto('/forms/products')
  await page.getByLabel('Name').fill('Tea')
  await page.getByLabel('Price').fill('dear')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.locator('.fault').first().waitFor()
  assert.equal(await asksBeforeLeaving(page), true)
  await page.goto('/')
  assert.deepEqual(await storedDrafts(page), ['draft /forms/products'])
  await page.goto('/forms/products')
  await page.getByRole('button', { name: 'Restore them' }).waitFor()
  await accountButton(page).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
  assert.deepEqual(await storedDrafts(page), [])
  await context.close()
})

test('a draft has no password; a switch sends yes or no; the menu marks the collection of a form', {
  skip,
}, async () => {
  const access = { read: anyone, create: anyone, update: anyone }
  const fields = { name: text(), done: boolean().default(false), secret: password({ min: 8 }).optional() }
  const definition = service({ title: 'Notes', resources: { notes: resource(fields, { access }) } })
  await using site = await serve(definition)
  const { page, context, complaints } = await visitor(site.url)
  await page.goto('/forms/notes')
  assert.deepEqual(await page.locator('.sidebar [aria-current="true"]').allInnerTexts(), ['Notes'])
  await page.getByLabel('Name').fill('Note')
  await page.getByLabel('Secret').fill('a secret word')
  await page.goto('/')
  const stored = await page.evaluate<string>("localStorage.getItem('draft /forms/notes')")
  assert.match(stored, /Note/)
  assert.doesNotMatch(stored, /a secret word/)
  await page.goto('/forms/notes')
  await page.getByLabel('Name').fill('Done')
  await page.getByRole('switch', { name: 'Done' }).focus()
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'Done', level: 1 }).waitFor()
  assert.equal((await site.request('GET /notes')).json[0].done, true)
  assert.deepEqual(complaints, [])
  await context.close()
})
