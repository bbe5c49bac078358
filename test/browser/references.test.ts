/** The combobox for references: by keyboard, by pointer, in filters, and without script. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { anyone, ref, refs, resource, service, text } from '../../src/index.ts'
import { someOf } from '../cases.ts'
import { serve, type TestService } from '../service.ts'
import { judge } from './axe.ts'
import { visitor, whyNoBrowser } from './browser.ts'

const skip = whyNoBrowser() ?? false
const access = { read: anyone, create: anyone, update: anyone, delete: anyone }

const definition = service({
  title: 'Tracker',
  resources: {
    people: resource({ name: text({ max: 40 }) }, { access, bulk: true }),
    tasks: resource(
      { title: text({ max: 40 }), author: ref('people'), watchers: refs('people') },
      { access },
    ),
  },
})

let s: TestService
let ids: ReadonlyMap<string, string>
before(async () => {
  s = await serve(definition)
  const names = [...Array.from({ length: 51 }, (_, n) => `Person ${n}`), 'Ada Lovelace', 'Ada Yonath']
  const people = (await s.request(
    'POST /people',
    {},
    names.map((name) => ({ name })),
  )) as { json: { id: string; name: string }[] }
  ids = new Map(people.json.map(({ id, name }) => [name, id]))
})
after(() => s[Symbol.asyncDispose]())

for (const scheme of someOf(['light', 'dark'] as const, 1)) {
  test(`a person chooses references by keyboard and by pointer, in ${scheme}`, { skip }, async () => {
    const { page, context, complaints } = await visitor(s.url, { scheme })
    await page.goto('/forms/tasks')
    await page.getByLabel('Title').fill('Compute')
    const author = page.getByRole('combobox', { name: 'Author' })
    await author.pressSequentially('ada')
    await page.getByRole('option', { name: 'Ada Yonath' }).waitFor()
    assert.equal(await author.getAttribute('aria-expanded'), 'true')
    await judge(page, 'an open list')
    await author.press('ArrowDown')
    assert.equal(
      await page.locator(`#${await author.getAttribute('aria-activedescendant')}`).innerText(),
      'Ada Yonath',
    )
    await author.press('Enter')
    assert.equal(await author.inputValue(), 'Ada Yonath')
    await author.fill('nobody')
    await page.getByText('Nothing found.').waitFor()
    await author.press('Escape')
    await author.press('Tab')
    assert.equal(await author.inputValue(), 'Ada Yonath', 'a text without a choice is discarded')
    const watchers = page.getByRole('combobox', { name: 'Find Watchers' })
    await watchers.pressSequentially('love')
    await page.getByRole('option', { name: 'Ada Lovelace' }).click()
    assert.equal(await page.getByLabel('Ada Lovelace').isChecked(), true)
    await judge(page, 'chosen references')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.waitForURL(/\/tasks\/[0-9a-f-]+$/)
    const { json } = await s.request(`GET ${new URL(page.url()).pathname}`)
    assert.deepEqual([json.author, json.watchers], [ids.get('Ada Yonath'), [ids.get('Ada Lovelace')]])
    assert.deepEqual(complaints, [])
    await context.close()
  })
}

test('a filter chooses one item by its title, or compares the text that is typed', { skip }, async () => {
  await s.request('POST /tasks', {}, { title: 'Publish', author: ids.get('Ada Lovelace') ?? '' })
  const { page, context } = await visitor(s.url)
  await page.goto('/tasks')
  const openFilter = () => page.getByRole('button', { name: /^Filter/ }).click()
  await openFilter()
  const author = page.getByRole('combobox', { name: 'Author' })
  await author.pressSequentially('lovelace')
  await page.getByRole('option', { name: 'Ada Lovelace' }).waitFor()
  await author.press('Enter')
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByText('Author is Ada Lovelace').waitFor()
  assert.equal(new URL(page.url()).search, `?author=${ids.get('Ada Lovelace')}`)
  await openFilter()
  assert.equal(await author.inputValue(), 'Ada Lovelace')
  await author.fill('yon')
  await page.getByRole('option', { name: 'Ada Yonath' }).waitFor()
  // Escape closes the list, not the panel.
  await author.press('Escape')
  await author.press('Enter')
  await page.getByText('Author · Name contains yon').waitFor()
  await context.close()
})

test('without script a reference is its id', { skip }, async () => {
  const { page, context } = await visitor(s.url, { script: false })
  await page.goto('/forms/tasks')
  await page.getByLabel('Title').fill('Written')
  await page.getByLabel('Author', { exact: true }).fill(ids.get('Ada Lovelace') ?? '')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.waitForURL(/\/tasks\/[0-9a-f-]+$/)
  await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor()
  await context.close()
})
