import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, resource, service, text } from '../../src/index.ts'
import { formatsFor } from '../../src/representations/formats.ts'
import { serve } from '../service.ts'

test('many items created at once are shown in every format of an item (docs/reference/http.md, "Formats")', async () => {
  const access = { read: anyone, create: anyone }
  const parts = resource({ label: text() }, { access, bulk: true })
  await using s = await serve(service({ title: 'x', resources: { parts } }))
  for (const { name, mediaType } of formatsFor('item')) {
    const created = await s.request(`POST /parts?format=${name}`, {}, [{ label: 'a' }, { label: 'b' }])
    assert.equal(created.status, 201, `${name}: ${created.text}`)
    assert.ok(String(created.fields['content-type']).startsWith(mediaType), name)
    assert.match(created.text, /b/)
  }
})
