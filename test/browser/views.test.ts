/** Named views of a list, kept in the browser. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judge } from './axe.ts'
import { signInAsAdmin, visitor, whyNoBrowser } from './browser.ts'
import { openShop } from './shop.ts'

const skip = whyNoBrowser() ?? false

test('a person saves a view by name, opens it later, and removes it; other accounts do not see it', {
  skip,
}, async () => {
  await using shop = await openShop(3)
  const { page, context, complaints } = await visitor(shop.url)
  await signInAsAdmin(page)
  const query = '?stock%5Bgte%5D=2&sort=-price&fields=name%2Cprice'
  await page.goto(`/products${query}&limit=2`)
  await page.getByRole('button', { name: 'Views', exact: true }).click()
  const panel = page.getByRole('group', { name: 'Views' })
  await panel.getByLabel('Save this view as').fill(' Dear <b>tea</b> ')
  await panel.getByRole('button', { name: 'Save' }).click()
  await panel.getByText('Saved as “Dear <b>tea</b>”.').waitFor()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await judge(page, `the panel of views, in ${colorScheme}`)
  }
  // The same name replaces the view.
  await page.goto(`/products${query}`)
  await page.getByRole('button', { name: 'Views (1)' }).click()
  await panel.getByLabel('Save this view as').fill('Dear <b>tea</b>')
  await page.keyboard.press('Enter')
  await panel.getByText('Saved as').waitFor()
  await page.goto('/products')
  await page.getByRole('button', { name: 'Views (1)' }).click()
  await panel.getByRole('link', { name: 'Dear <b>tea</b>' }).click()
  await page.waitForURL(`**/products${query}`)
  assert.equal(await page.locator('.list tbody tr').count(), 2)
  await page.goto('/users')
  await page.getByRole('button', { name: 'Views', exact: true }).waitFor()
  await context.clearCookies()
  await page.goto('/products')
  await page.getByRole('button', { name: 'Views', exact: true }).waitFor()
  await signInAsAdmin(page)
  await page.goto('/products')
  await page.getByRole('button', { name: 'Views (1)' }).click()
  await panel.getByRole('button', { name: 'Remove the view “Dear <b>tea</b>”' }).click()
  await page.getByRole('button', { name: 'Views', exact: true }).waitFor()
  assert.equal(await panel.getByRole('link').count(), 0)
  assert.deepEqual(complaints, [])
  await context.close()
})
