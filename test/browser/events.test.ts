/** An open collection page follows its changes while it is visible; EventSource resumes by itself. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, resource, service, text } from '../../src/index.ts'
import { faultProxy } from '../fault-proxy.ts'
import { serve } from '../service.ts'
import { visitor, whyNoBrowser } from './browser.ts'

const skip = whyNoBrowser() ?? false
const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
const definition = service({ title: 'Notes', resources: { notes: resource({ title: text() }, { access }) } })

test('an open page of a collection shows new, changed and deleted items', { skip }, async () => {
  await using site = await serve(definition)
  const { page, complaints, context } = await visitor(site.url)
  await page.goto('/notes')
  const { fields } = await site.request('POST /notes', {}, { title: 'Appeared' })
  await page.getByText('Appeared').waitFor()
  await site.request(`PATCH ${fields.location}`, {}, { title: 'Renamed' })
  await page.getByText('Renamed').waitFor()
  await site.request(`DELETE ${fields.location}`)
  await page.getByText('No items yet.').waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
})

test('EventSource resumes after its connection was cut', { skip }, async () => {
  await using site = await serve(definition)
  await using proxy = await faultProxy(site.port)
  const { page, context } = await visitor(`http://127.0.0.1:${proxy.port}`)
  await page.goto('/docs')
  await page.evaluate(() => {
    const seen: string[] = []
    const stream = new EventSource('/notes')
    stream.addEventListener('created', (event) => {
      seen.push(JSON.parse(String((event as MessageEvent).data)).item.title)
    })
    Object.assign(globalThis, { seen, stream })
    return new Promise((resolve) => stream.addEventListener('open', resolve))
  })
  await site.request('POST /notes', {}, { title: 'A' })
  await page.waitForFunction(() => Reflect.get(globalThis, 'seen').length === 1)
  await proxy.cut()
  await site.request('POST /notes', {}, { title: 'B' })
  await proxy.mend()
  await site.request('POST /notes', {}, { title: 'C' })
  await page.waitForFunction(() => Reflect.get(globalThis, 'seen').length === 3)
  assert.deepEqual(await page.evaluate(() => Reflect.get(globalThis, 'seen')), ['A', 'B', 'C'])
  await context.close()
})
