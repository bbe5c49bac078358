/** Importing a file from the toolbar of a list, by keyboard, with and without script. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, integer, resource, service, text } from '../../src/index.ts'
import { someOf } from '../cases.ts'
import { serve } from '../service.ts'
import { judge } from './axe.ts'
import { visitor, whyNoBrowser } from './browser.ts'

const access = { read: anyone, create: anyone }
const definition = service({
  title: 'Shop',
  resources: {
    articles: resource({ title: text({ min: 1 }), stock: integer({ min: 0 }) }, { access, bulk: true }),
  },
})

const file = (lines: readonly string[]) => ({
  name: 'articles.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(`title,stock\n${lines.join('\n')}\n`),
})

for (const script of someOf([true, false], 1)) {
  test(`a CSV with two bad rows is corrected and imported, script ${script}`, {
    skip: whyNoBrowser(),
  }, async () => {
    await using s = await serve(definition)
    const { context, page, complaints } = await visitor(s.url, { script })
    await page.goto('/articles')
    await page.getByRole('link', { name: 'Import' }).click()
    await page.getByLabel('File').setInputFiles(file(['Mug,3', ',4', 'Cup,-1']))
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByText('Correct 2 rows and send the file again.').waitFor()
    if (script) await judge(page, 'a refused import')
    assert.deepEqual(await page.locator('main table th[scope="row"]').allTextContents(), ['3', '4'])
    await page.getByLabel('File').setInputFiles(file(['Mug,3', 'Pot,4', 'Cup,1']))
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByText('3 articles imported.').waitFor()
    assert.equal((await s.request('GET /articles')).json.length, 3)
    assert.deepEqual(complaints, [])
    await context.close()
  })
}
