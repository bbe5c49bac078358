/** axe-core finds nothing to complain of, in light and in dark, by default in one of them; touch targets are at least 24 px large. */

import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { someOf } from '../cases.ts'
import { judge } from './axe.ts'
import { signInAsAdmin, visitor, whyNoBrowser } from './browser.ts'
import { as, openShop } from './shop.ts'

const skip = whyNoBrowser() ?? false

for (const scheme of someOf(['light', 'dark'] as const, 1)) {
  test(`no page has a violation, in ${scheme}`, { skip }, async () => {
    await using shop = await openShop(3)
    const written = {
      slug: 'a',
      title: 'An article',
      body: 'Words. '.repeat(200),
      tags: ['x', 'y'],
    }
    const article = await shop.request('POST /articles', as('editor'), written)
    const { page, context } = await visitor(shop.url, { scheme })
    await page.goto('/sign-in')
    await judge(page, 'sign-in')
    await signInAsAdmin(page)
    const uris = [
      '/',
      '/products',
      '/articles',
      '/users?role=admin',
      String(article.fields.location),
      '/forms/articles',
      `/forms${article.fields.location}`,
      '/docs',
      '/status',
      '/problems',
      '/problems/not-found',
      '/tokens',
      '/nothing',
    ]
    for (const uri of someOf(uris, 6)) {
      await page.goto(uri)
      for (const summary of await page.locator('details:not([open]) > summary').all()) {
        if (await summary.isVisible()) await summary.click()
      }
      await judge(page, uri)
    }
    await page.goto('/articles?status=draft')
    for (const button of await page.locator('[popovertarget]:visible').all()) {
      await button.click()
      await judge(page, `the panel of ${await button.innerText()}`)
      await page.keyboard.press('Escape')
    }
    await page.locator('tbody .pick input').first().check()
    await judge(page, 'a selection')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('heading', { name: 'Publish: 1 of 1 done' }).waitFor()
    await judge(page, 'the results of a selection')
    await page.goto('/products?price%5Bgte%5D=dear')
    await judge(page, 'a refused filter')
    await faultyForm(page)
    await judge(page, 'a form with faults')
    const edited = String(article.fields.location)
    await page.goto(`/forms${edited}`)
    await page.getByLabel('Title').fill('My article')
    await shop.request(`PATCH ${edited}`, as('editor'), { title: 'Their article' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByLabel('Use your value').check()
    await judge(page, 'an edit in conflict')
    await context.clearCookies()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Send again' }).waitFor()
    await judge(page, 'a form whose session has ended')
    await context.close()
  })
}

async function faultyForm(page: Page): Promise<void> {
  await page.goto('/products')
  await page.locator('#new').click()
  await page.locator('#form-sku').fill('no good')
  await page.locator('#form-name').fill('Tea')
  await page.locator('#form-price').fill('dear')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.locator('.fault').first().waitFor()
}
