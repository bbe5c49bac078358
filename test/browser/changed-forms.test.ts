/** Forms with script: leaving a changed one asks first. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
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

test('the menu marks the collection of a form', { skip }, async () => {
  await using shop = await openShop()
  const { page, context } = await visitor(shop.url)
  await signInAsAdmin(page)
  await page.goto('/forms/products')
  assert.deepEqual(await page.locator('.sidebar [aria-current="true"]').allInnerTexts(), ['Products'])
  await context.close()
})
