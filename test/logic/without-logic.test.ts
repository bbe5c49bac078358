/** A definition without logic does not pay for it. The test is alone in its file, because modules stay loaded. */

import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { test } from 'node:test'
import { anyone, check, resource, service, text } from '../../src/index.ts'
import { serve } from '../service.ts'

test('the modules of logic are loaded only for a definition that has some', async () => {
  const loaded: string[] = []
  registerHooks({
    load(url, context, next) {
      if (url.includes('/src/logic/')) loaded.push(url)
      return next(url, context)
    },
  })
  const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
  const options = { title: 'Notes', resources: { notes: resource({ title: text() }, { access }) } }
  await using without = await serve(service(options))
  const { json: note } = await without.request('POST /notes', {}, { title: 'x' })
  assert.equal((await without.request(`PATCH /notes/${note.id}`, {}, { title: 'y' })).status, 200)
  assert.equal((await without.request(`DELETE /notes/${note.id}`)).status, 204)
  assert.deepEqual(loaded, [])
  await using _ = await serve(
    service(options, { notes: { checks: [check('title', 'Must not be x.', ({ title }) => title !== 'x')] } }),
  )
  assert.ok(loaded.length > 0)
})
