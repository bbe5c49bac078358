/** Forms with script: leaving a changed one asks first, and yes or no is a switch. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { anyone, boolean, resource, service, text } from '../../src/index.ts'
import { serve } from '../service.ts'
import { signInAsAdmin, visitor, whyNoBrowser } from './browser.ts'
import { openShop } from './shop.ts'

const skip = whyNoBrowser() ?? false

/** Whether the browser would ask before this page is left. */
function asksBeforeLeaving(page: Page): Promise<boolean> {
  return page.evaluate("!dispatchEvent(new Event('beforeunload', { cancelable: true }))")
}

test('leaving a changed or refused form asks first; a saved one is left', { skip }, async () => {
  await using shop = await openShop()
  const { page, context } = await visitor(shop.url)
  await signInAsAdmin(page)
  await page.goto('/forms/products')
  assert.equal(await asksBeforeLeaving(page), false)
  await page.getByLabel('Name').fill('Tea')
  assert.equal(await asksBeforeLeaving(page), true)
  await page.getByLabel('SKU').fill('TEA')
  await page.getByLabel('Price').fill('dear')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.locator('.fault').first().waitFor()
  assert.equal(await asksBeforeLeaving(page), true)
  await page.getByLabel('Price').fill('2.50')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'Tea', level: 1 }).waitFor()
  assert.equal(await asksBeforeLeaving(page), false)
  await context.close()
})

test('a switch sends yes or no; the menu marks the collection of a form', { skip }, async () => {
  const access = { read: anyone, create: anyone, update: anyone }
  const fields = { name: text(), done: boolean().default(false) }
  const definition = service({ title: 'Notes', resources: { notes: resource(fields, { access }) } })
  await using site = await serve(definition)
  const { page, context, complaints } = await visitor(site.url)
  await page.goto('/forms/notes')
  assert.deepEqual(await page.locator('.sidebar [aria-current="true"]').allInnerTexts(), ['Notes'])
  await page.getByLabel('Name').fill('Done')
  await page.getByRole('switch', { name: 'Done' }).focus()
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'Done', level: 1 }).waitFor()
  assert.equal((await site.request('GET /notes')).json[0].done, true)
  assert.deepEqual(complaints, [])
  await context.close()
})
