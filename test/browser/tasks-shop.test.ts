/** Tasks of the people of a shop, by keyboard only, with and without script. */

import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { after } from 'node:test'
import { admin, adminLogin, adminPassword } from '../service.ts'
import { whyNoBrowser } from './browser.ts'
import { activate, check, pick, reach, write } from './keyboard.ts'
import { as, openShop, password, people } from './shop.ts'
import { type Task, testTask } from './tasks.ts'

const skip = whyNoBrowser() ?? false
const opened = skip === false ? await openShop(12) : undefined
after(() => opened?.[Symbol.asyncDispose]())

const logins = { ...people, admin: adminLogin }

function task(title: string, who: keyof typeof logins, run: Task): void {
  const login = { login: logins[who], password: who === 'admin' ? adminPassword : password }
  testTask(title, { service: () => opened, login }, run)
}

let number = 0

/** Creates an article, and returns its path. */
async function createArticle(who: keyof typeof people, title: string): Promise<string> {
  number += 1
  const { fields } = await opened!.request('POST /articles', as(who), { slug: `article-${number}`, title })
  return String(fields.location)
}

task('an editor finds an article by its author and fixes its title', 'editor', async (page, shop) => {
  const article = await createArticle('member', 'On taa')
  await createArticle('other', 'On coffee')
  await page.goto('/articles')
  await activate(page, page.getByRole('link', { name: /^The member/ }).first())
  await page.getByText('Author is The member').waitFor()
  assert.equal(await page.getByRole('link', { name: 'On coffee' }).count(), 0)
  await activate(page, page.getByRole('link', { name: 'On taa' }).first())
  await activate(page, page.locator('#edit'))
  await write(page, page.getByLabel('Title'), 'On tea')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'On tea', level: 1 }).waitFor()
  assert.equal((await shop.request(`GET ${article}`, admin)).json.title, 'On tea')
  await shop.request(`DELETE ${article}`, admin)
})

task('an editor publishes five drafts at once', 'editor', async (page, shop) => {
  const drafts = []
  for (let at = 1; at <= 5; at += 1) drafts.push(await createArticle('editor', `Draft ${at}`))
  await page.goto('/articles')
  await activate(page, page.getByRole('link', { name: /^Draft \d/ }).first())
  await page.getByText('Status is draft').waitFor()
  for (let at = 1; at <= 5; at += 1) {
    await check(page, page.getByRole('checkbox', { name: `Draft ${at}` }))
  }
  await activate(page, page.getByRole('button', { name: 'Publish' }), 'Shift+Tab')
  await page.getByRole('heading', { name: 'Publish: 5 of 5 done' }).waitFor()
  for (const uri of drafts) {
    assert.equal((await shop.request(`GET ${uri}`)).json.status, 'published')
    await shop.request(`DELETE ${uri}`, admin)
  }
})

task('a conflict is resolved without losing either edit', 'member', async (page, shop) => {
  const article = await createArticle('member', 'On tea')
  await page.goto(`/forms${article}`)
  await shop.request(`PATCH ${article}`, admin, { title: 'On black tea', tags: ['black'] })
  await write(page, page.getByLabel('Title'), 'On green tea')
  await write(page, page.getByLabel('Body'), 'Leaves')
  await activate(page, page.getByRole('button', { name: 'Save' }))
  await page.getByText('This item changed after you opened it').waitFor()
  assert.equal(await page.locator('.conflict').count(), 1, 'only the title was changed by both')
  await pick(page, page.locator('.conflict'), page.getByLabel('Use your value'))
  await activate(page, page.getByRole('button', { name: 'Save' }))
  await page.getByRole('heading', { name: 'On green tea', level: 1 }).waitFor()
  const { json } = await shop.request(`GET ${article}`, admin)
  assert.deepEqual([json.title, json.body, json.tags], ['On green tea', 'Leaves', ['black']])
})

task('a member revokes a lost token', 'member', async (page, shop) => {
  const created = await shop.request('POST /tokens', as('member'), { name: 'Lost phone' })
  assert.equal(created.status, 201, created.text)
  await page.goto('/')
  await activate(page, page.getByRole('link', { name: 'Tokens', exact: true }).first())
  await activate(page, page.getByRole('link', { name: 'Lost phone' }))
  await activate(page, page.locator('#more > summary'))
  await activate(page, page.getByRole('button', { name: 'Revoke' }))
  await page.getByRole('heading', { name: 'Tokens', level: 1 }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Lost phone' }).count(), 0)
  const authorization = `Bearer ${created.json.token}`
  assert.equal((await shop.request('GET /tokens', { authorization })).status, 401)
})

task('an admin exports the products of a filtered list', 'admin', async (page) => {
  await page.goto('/products')
  await activate(page, page.getByRole('button', { name: 'Filter' }))
  await write(page, page.getByLabel('Price from'), '10')
  await page.keyboard.press('Enter')
  await page.getByText('Price from 10').waitFor()
  await activate(page, page.getByRole('button', { name: 'Export' }))
  await reach(page, page.getByRole('link', { name: 'CSV' }).first())
  const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')])
  const lines = (await text(await download.createReadStream())).trim().split('\r\n')
  assert.equal(download.suggestedFilename(), 'products.csv')
  assert.deepEqual(
    lines.slice(1).map((line) => /TEA-\d+/.exec(line)?.[0]),
    ['TEA-010', 'TEA-011', 'TEA-012'],
  )
})

task('an admin finds out why an editor cannot delete', 'admin', async (page, shop) => {
  const article = await createArticle('member', 'On milk')
  await page.goto(article)
  await activate(page, page.locator('#view-as > summary'))
  await write(page, page.locator('#view-as-login'), people.editor)
  await page.keyboard.press('Enter')
  await page.getByText(`You see this page as ${people.editor} would`).waitFor()
  assert.equal(await page.locator('#edit').count(), 1)
  assert.equal(await page.locator('#more').count(), 0, 'an editor is not offered to delete it')
  await activate(page, page.getByRole('link', { name: 'What may they do, and why?' }))
  await page.getByRole('heading', { name: `Access of ${people.editor}` }).waitFor()
  const cells = page.getByRole('row', { name: /^Delete no/ }).getByRole('cell')
  assert.deepEqual(await cells.allInnerTexts(), [
    'Delete',
    '',
    'no',
    'the account in author; or the role admin',
    'No rule holds: the account in author; the role admin.',
  ])
  await shop.request(`DELETE ${article}`, admin)
})
