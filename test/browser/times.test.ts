/** Times are shown, edited and filtered in one time zone: that of the browser with script, UTC without. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { anyone, resource, service, text, timestamp } from '../../src/index.ts'
import { serve, type TestService } from '../service.ts'
import { visitor, whyNoBrowser } from './browser.ts'

const skip = whyNoBrowser() ?? false
const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
/** Four hours and 30 minutes ahead of UTC, without summer time. */
const timeZone = 'Asia/Kabul'

const definition = service({
  title: 'Calendar',
  resources: { meetings: resource({ title: text({ max: 40 }), begins: timestamp() }, { access }) },
})

let s: TestService
let uri: string
before(async () => {
  s = await serve(definition)
  const created = await s.request('POST /meetings', {}, { title: 'Tea', begins: '2026-11-17T20:30:00Z' })
  uri = String(created.fields.location)
})
after(() => s[Symbol.asyncDispose]())

const begins = async () => (await s.request(`GET ${uri}`)).json.begins

test('with script, a time is shown, edited and filtered in the time zone of the browser', {
  skip,
}, async () => {
  const { page, context, complaints } = await visitor(s.url, { timeZone })
  await page.goto(uri)
  const shown = page.locator(`time[datetime="${await begins()}"]`)
  await shown.getByText(/18.*1:00.*GMT\+4:30/).waitFor()
  await page.goto(`/forms${uri}`)
  const control = page.getByLabel('Begins')
  await page.getByText(`Date and time in the time zone ${timeZone}.`).waitFor()
  assert.equal(await control.inputValue(), '2026-11-18T01:00')
  await control.fill('2026-11-18T09:00')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL((url) => url.pathname === uri)
  assert.equal(Date.parse(await begins()), Date.parse('2026-11-18T04:30:00Z'))
  // A day begins at midnight in the same time zone.
  await page.goto('/meetings')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByLabel('Begins from GMT+4:30').fill('2026-11-18')
  await page.getByRole('button', { name: 'Apply' }).click()
  await page
    .locator('.active')
    .getByText(/18.*12:00.*GMT\+4:30/)
    .waitFor()
  assert.equal(new URL(page.url()).searchParams.get('begins[gte]'), '2026-11-17T19:30:00Z')
  await page.getByRole('button', { name: 'Filter' }).click()
  assert.equal(await page.getByLabel('Begins from').inputValue(), '2026-11-18')
  // The cell of a list has the same control.
  await page.goto('/meetings')
  await page.getByRole('link', { name: 'Tea' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('F2')
  const cell = page.locator('.editor').getByLabel('Begins')
  assert.equal(await cell.inputValue(), '2026-11-18T09:00')
  await cell.fill('2026-11-18T10:00')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('.editor').waitFor({ state: 'detached' })
  assert.equal(Date.parse(await begins()), Date.parse('2026-11-18T05:30:00Z'))
  assert.deepEqual(complaints, [])
  await context.close()
})

test('without script, a time is shown, edited and filtered in UTC, and the page says so', {
  skip,
}, async () => {
  await s.request(`PATCH ${uri}`, {}, { begins: '2026-11-17T20:30:00Z' })
  const { page, context } = await visitor(s.url, { timeZone, script: false })
  await page.goto(uri)
  await page.getByText('20:30 UTC').waitFor()
  await page.goto(`/forms${uri}`)
  await page.getByText('Date and time in UTC.').waitFor()
  const control = page.getByLabel('Begins')
  assert.equal(await control.inputValue(), '2026-11-17T20:30')
  await control.fill('2026-11-17T21:00')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('21:00 UTC').waitFor()
  await page.goto('/meetings?begins%5Bgte%5D=2026-11-17T00:00:00Z')
  await page.locator('.active').getByText('00:00 UTC').waitFor()
  await page.getByRole('button', { name: 'Filter' }).click()
  assert.equal(await page.getByLabel('Begins from UTC').inputValue(), '2026-11-17')
  await context.close()
})
