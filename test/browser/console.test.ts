/** The examples of /docs: text without the script, a console with it. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { anyone, resource, service, state, text } from '../../src/index.ts'
import { serve } from '../service.ts'
import { visitor, whyNoBrowser } from './browser.ts'

const skip = whyNoBrowser() ?? false
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
const phase = state({ initial: 'draft', transitions: { publish: { from: 'draft', to: 'published' } } })
const notes = resource({ title: text({ max: 50 }), phase }, { access })
const definition = service({ title: 'Notes', resources: { notes } })

test('/docs has examples of a filter, a change, a transition and a deletion that the service accepts', async () => {
  await using site = await serve(definition)
  const { location } = (await site.request('POST /notes', {}, { title: 'a' })).fields
  const { text: page } = await site.request('GET /docs', { accept: 'text/html' })
  const examples = [...page.matchAll(/data-method="(\w+)" data-target="([^"]+)"(?: data-body="([^"]+)")?/g)]
  const requests = examples.map(([, method, target = '', body = '']) => ({
    line: `${method} ${target.replaceAll('&amp;', '&')}`,
    body: body.replaceAll('&quot;', '"'),
  }))
  assert.deepEqual(
    requests.map(({ line }) => line.replace(String(location), '/notes/{id}')),
    [
      'GET /notes?limit=10&sort=-createdAt',
      'GET /notes?title%5Bcontains%5D=a',
      'POST /notes',
      'GET /notes/{id}',
      'PATCH /notes/{id}',
      'PATCH /notes/{id}',
      'DELETE /notes/{id}',
    ],
  )
  assert.equal(requests[5]?.body, '{"phase":"published"}')
  for (const { line, body } of requests) {
    const content = body === '' ? [] : [JSON.parse(body)]
    const { status, text: shown } = await site.request(line, {}, ...content)
    assert.ok(status < 300, `${line}: ${shown}`)
    assert.match(page, new RegExp(`curl [^<]*${line.split('?')[0]?.split(' ')[1]}`))
  }
})

test('the console sends an example, at first as a dry run, to this service only', { skip }, async () => {
  await using site = await serve(definition)
  const { location } = (await site.request('POST /notes', {}, { title: 'First' })).fields
  const { page, complaints, context } = await visitor(site.url)
  await page.goto('/docs')
  const example = page.locator('details.example', { has: page.getByText('Delete', { exact: true }) })
  await example.locator('summary').click()
  const output = example.locator('[role="status"]')
  await example.getByRole('button', { name: 'Send DELETE' }).click()
  await output.getByText('204').waitFor()
  assert.equal((await site.request(`GET ${location}`)).status, 200)
  await page.evaluate(axe)
  const violations = await page.evaluate('axe.run(document).then((result) => result.violations)')
  assert.deepEqual(violations, [])
  await example.getByLabel('Address').fill('https://example.org/')
  await example.getByRole('button', { name: 'Send DELETE' }).click()
  await output.getByText('The address must be at').waitFor()
  await example.getByLabel('Address').fill(String(location))
  await example.getByLabel('Dry run').uncheck()
  await example.getByRole('button', { name: 'Send DELETE' }).click()
  await output.getByText('204').waitFor()
  assert.equal((await site.request(`GET ${location}`)).status, 404)
  assert.deepEqual(complaints, [])
  await context.close()
})
