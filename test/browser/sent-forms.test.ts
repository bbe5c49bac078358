/** Forms are sent by script, once: faults appear beside their inputs, in the language of the page, and nothing is lost. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, choice, email, integer, password, resource, role, service, text } from '../../src/index.ts'
import { serve } from '../service.ts'
import { visitor, whyNoBrowser } from './browser.ts'

const skip = whyNoBrowser() ?? false
const access = { read: anyone, create: anyone, update: anyone, delete: anyone }

const definition = service({
  title: 'Notes',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users: resource(
      {
        email: email().unique(),
        password: password(),
        role: choice(['admin', 'member']).default('member').writableBy(role('admin')),
      },
      { access: { read: anyone, create: anyone } },
    ),
    notes: resource(
      {
        title: text({ max: 50 }).unique(),
        // Names of members of a form.
        submit: text({ pattern: '^[a-z]+$' }).optional(),
        action: integer().optional(),
      },
      { access },
    ),
  },
})

for (const [locale, create, save, fault] of [
  ['en-US', 'Create', 'Save', /must be unique|already/i],
  ['de-DE', 'Anlegen', 'Speichern', /eindeutig|bereits|schon/i],
] as const) {
  test(`a form with faults stays at its URI with its values, and is sent once each time, ${locale}`, {
    skip,
  }, async () => {
    await using site = await serve(definition)
    await site.request('POST /notes', {}, { title: 'taken' })
    const { page, complaints, context } = await visitor(site.url, { locale })
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(new URL(request.url()).pathname)
    })
    await page.goto('/forms/notes')
    const form = page.locator('main form[data-send]').first()
    await form.locator('[name="title"]').fill('taken')
    await form.locator('[name="action"]').fill('7')
    await form.getByRole('button', { name: create }).click()
    await form.locator('.fault').waitFor()
    assert.equal(await form.locator('.fault').count(), 1)
    assert.match(await form.locator('.fault').innerText(), fault)
    await form.getByRole('alert').and(page.locator(':focus')).waitFor()
    assert.equal(new URL(page.url()).pathname, '/forms/notes')
    assert.equal(await form.locator('[name="action"]').inputValue(), '7')
    assert.equal(await form.locator('[name="title"]').getAttribute('aria-invalid'), 'true')
    await form.locator('[name="title"]').fill('free')
    await form.getByRole('button', { name: create }).click()
    await page.getByRole('heading', { name: 'free' }).waitFor()
    await page.locator('[data-notice="created"]').waitFor()
    assert.deepEqual(sent, ['/forms/notes', '/forms/notes'])
    assert.equal((await site.request('GET /notes')).json.length, 2)
    await page.locator('#edit').click()
    const edit = page.locator('main form').first()
    await edit.locator('[name="title"]').fill('taken')
    await edit.getByRole('button', { name: save }).click()
    await edit.locator('.fault').waitFor()
    await edit.locator('[name="title"]').fill('changed')
    await edit.getByRole('button', { name: save }).click()
    await page.getByRole('heading', { name: 'changed' }).waitFor()
    assert.deepEqual(complaints, [])
    await context.close()
  })
}

test('where the service cannot be reached, the form says so and keeps its values', { skip }, async () => {
  await using site = await serve(definition)
  const { page, context } = await visitor(site.url)
  await page.goto('/forms/users')
  const form = page.locator('main form[data-send]')
  await form.getByLabel('Email').fill('a@example.org')
  await form.getByLabel('Password').fill('a long password')
  await context.setOffline(true)
  await form.getByRole('button').click()
  await form.getByRole('alert').getByText('The service cannot be reached.').waitFor()
  assert.equal(await form.getByLabel('Password').inputValue(), 'a long password')
  await context.setOffline(false)
  await form.getByRole('button').click()
  await page.getByText('Your account is ready.').waitFor()
  await context.close()
})
