/** Forms are tried as a dry run before they are sent: faults appear beside their inputs, and nothing is lost. */

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

test('a form with faults stays on its page with its values, and is sent once it is right', {
  skip,
}, async () => {
  await using site = await serve(definition)
  await site.request('POST /notes', {}, { title: 'taken' })
  const { page, complaints, context } = await visitor(site.url)
  await page.goto('/forms/notes')
  const form = page.locator('form[data-validate]').first()
  await form.getByLabel('Title').fill('taken')
  await form.getByLabel('Action').fill('7')
  await form.getByRole('button').click()
  await form.locator('.fault').waitFor()
  assert.equal(await form.locator('.fault').count(), 1)
  assert.equal(new URL(page.url()).pathname, '/forms/notes')
  assert.equal(await form.getByLabel('Action').inputValue(), '7')
  assert.equal(await form.getByLabel('Title').getAttribute('aria-invalid'), 'true')
  assert.equal((await site.request('GET /notes')).json.length, 1, 'the dry run made nothing')
  await form.getByLabel('Title').fill('free')
  await form.getByRole('button').click()
  await page.getByRole('heading', { name: 'free' }).waitFor()
  assert.equal((await site.request('GET /notes')).json.length, 2)
  await page.locator('#edit').click()
  const edit = page.locator('main form')
  await edit.getByLabel('Title').fill('taken')
  await edit.getByRole('button', { name: 'Save' }).click()
  await edit.locator('.fault').waitFor()
  await edit.getByLabel('Title').fill('changed')
  await edit.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'changed' }).waitFor()
  // The browser reports each refused dry run.
  assert.deepEqual(
    complaints.filter((text) => !/status of (?:409|422)/.test(text)),
    [],
  )
  await context.close()
})

test('forms with a password are sent directly, since the password would be hashed twice', async () => {
  await using site = await serve(definition)
  const page = async (path: string) => (await site.request(`GET ${path}`, { accept: 'text/html' })).text
  assert.match(await page('/forms/notes'), /<form method="post" action="\/forms\/notes" data-validate /)
  assert.match(
    await page('/forms/users'),
    /<form method="post" action="\/forms\/users"(?![^>]* data-validate)[^>]*>/,
  )
})
