import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatsFor } from '../../src/formats/formats.ts'
import { anyone, resource, service, text } from '../../src/index.ts'
import { serve } from '../service.ts'

test('many items created at once are shown in every format of an item (docs/reference/http/formats.md, "Formats")', async () => {
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

test('several items in XML are created at once with bulk, and refused without (docs/reference/http/writing.md, "Many items")', async () => {
  const access = { read: anyone, create: anyone }
  const parts = resource({ label: text({ max: 3 }) }, { access, bulk: true })
  const single = resource({ label: text() }, { access })
  await using s = await serve(service({ title: 'x', resources: { parts, single } }))
  const post = (name: string, ...labels: string[]) => {
    const items = labels.map((label) => `<item><label>${label}</label></item>`).join('')
    return s.request(`POST /${name}`, { 'content-type': 'application/xml' }, `<${name}>${items}</${name}>`)
  }
  const created = await post('parts', 'a', 'b')
  assert.equal(created.status, 201, created.text)
  assert.deepEqual(
    created.json.map(({ label }: { label: string }) => label),
    ['a', 'b'],
  )
  const invalid = await post('parts', 'a', 'long')
  assert.deepEqual([invalid.status, invalid.json.errors[0].pointer], [422, '/1/label'])
  assert.equal((await post('parts', 'c')).json.label, 'c')
  assert.equal((await post('single', 'a', 'b')).status, 400)
})
