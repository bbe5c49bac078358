/** Files on pages: chosen, sent with progress, and refused on the same page. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, file, list, resource, service, text } from '../../src/index.ts'
import { serve } from '../service.ts'
import { visitor, whyNoBrowser } from './browser.ts'

const skip = whyNoBrowser() ?? false
const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
const photos = list(file({ types: ['text/plain', 'image/png'], max: '1 MB' }), { max: 3 })
const definition = service({
  title: 'Album',
  resources: { tasks: resource({ title: text(), photos }, { access }) },
})

test('files are added to a list, sent by the script, and shown', { skip }, async () => {
  await using site = await serve(definition)
  const task = String((await site.request('POST /tasks', {}, { title: 'A' })).fields.location)
  const { page, complaints, context } = await visitor(site.url)
  await page.goto(task)
  await page.locator('#file-photos summary').click()
  await choose(['one', 'two'])
  await page.locator('#file-photos button.main').click()
  await page.locator('ul.files li').nth(1).waitFor()
  const shown = (await site.request(`GET ${task}`)).json.photos
  assert.deepEqual(
    shown.map(({ name }: { name: string }) => name),
    ['one.txt', 'two.txt'],
  )
  // Refused: the page stays, and says why.
  await page.locator('#file-photos summary').click()
  await choose(['three', 'four'])
  await page.locator('#file-photos button.main').click()
  const fault = page.locator('#file-photos .fault, #file-photos [role="alert"]').first()
  await fault.waitFor()
  assert.match(await page.locator('#file-photos').innerText(), /at most 3 files/)
  assert.equal(await page.locator('progress').count(), 0)
  assert.deepEqual(complaints, [])
  await context.close()

  async function choose(names: readonly string[]): Promise<void> {
    const files = names.map((name) => ({
      name: `${name}.txt`,
      mimeType: 'text/plain',
      buffer: Buffer.from(name),
    }))
    await page.locator('#add-photos').setInputFiles(files)
  }
})
