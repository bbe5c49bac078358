/** An edit in a real browser writes only the changed fields, even if controls alter other values. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { someOf } from '../cases.ts'
import { everyKind, wholeNote } from '../html/every-kind.ts'
import { serve } from '../service.ts'
import { visitor, whyNoBrowser } from './browser.ts'

const skip = whyNoBrowser() ?? false

for (const script of someOf([true, false], 1)) {
  test(`values of every kind that were not touched are not written, script ${script}`, {
    skip,
  }, async () => {
    await using service = await serve(everyKind)
    const created = await service.request('POST /notes', {}, wholeNote)
    assert.equal(created.status, 201, created.text)
    const uri = String(created.fields.location)
    const { page, complaints, context } = await visitor(service.url, { script })
    await page.goto(uri)
    await page.locator('#edit').click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('#edit').waitFor()
    const after = await service.request(`GET ${uri}`)
    assert.equal(after.fields.etag, created.fields.etag)
    await page.locator('#edit').click()
    await page.getByLabel('Count').fill('8')
    await service.request(`PATCH ${uri}`, {}, { title: 'Theirs', at: '2027-01-01T00:00:00.000Z' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Theirs' }).waitFor()
    const { json } = await service.request(`GET ${uri}`)
    const { updatedAt: _, ...before } = created.json
    const { updatedAt: __, ...now } = json
    assert.deepEqual(now, { ...before, title: 'Theirs', at: '2027-01-01T00:00:00.000Z', count: 8 })
    assert.deepEqual(complaints, [])
    await context.close()
  })
}
