/** An open page follows changes while it is visible, and keeps the focus; EventSource resumes by itself. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Request } from 'playwright-core'
import { anyone, resource, service, text } from '../../src/index.ts'
import { faultProxy } from '../fault-proxy.ts'
import { serve } from '../service.ts'
import { signInAsAdmin, visitor, whyNoBrowser } from './browser.ts'
import { openShop } from './shop.ts'

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
  await page.getByText('No notes yet.').waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
})

test('/status keeps the focus and the scrolling of its tables when it is reloaded', { skip }, async () => {
  await using shop = await openShop()
  const { page, complaints, context } = await visitor(shop.url, { phone: true })
  await signInAsAdmin(page)
  await page.clock.install()
  await page.goto('/status')
  const routes = page.getByRole('region', { name: 'Routes' })
  await routes.focus()
  await routes.evaluate((region: { scrollLeft: number; className: string }) => {
    region.scrollLeft = 40
    region.className += ' former'
  })
  await page.clock.runFor(10_000)
  await page.locator('.former').waitFor({ state: 'detached' })
  assert.equal(await page.evaluate("document.activeElement.getAttribute('aria-label')"), 'Routes')
  assert.equal(await routes.evaluate((region: { scrollLeft: number }) => region.scrollLeft), 40)
  assert.deepEqual(complaints, [])
  await context.close()
})

test('a page holds its stream only while its tab is visible', { skip }, async () => {
  await using site = await serve(definition)
  const { page, context } = await visitor(site.url)
  const isStream = (request: Request) => request.resourceType() === 'eventsource'
  const opening = page.waitForRequest(isStream)
  await page.goto('/notes')
  const stream = await opening
  const closing = page.waitForEvent('requestfailed', { predicate: (request) => request === stream })
  await setVisibility(page, 'hidden')
  await closing
  await site.request('POST /notes', {}, { title: 'Meanwhile' })
  const reopening = page.waitForRequest(isStream)
  await setVisibility(page, 'visible')
  await reopening
  await page.getByText('Meanwhile').waitFor()
  await context.close()
})

/** As a browser does when its tab goes to the background and comes back. */
async function setVisibility(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate((value) => {
    const document = Reflect.get(globalThis, 'document')
    Object.defineProperty(document, 'visibilityState', { value, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, state)
}

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
