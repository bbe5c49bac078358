/** Forms with files on HTML pages. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anyone, file, resource, service, text } from '../../../src/index.ts'
import { formOf as pageForm } from '../../html/submitted-form.ts'
import { admin, serve } from '../../service.ts'
import { gallery, png } from './gallery.ts'
import { image, type Part, send } from './sent-forms.ts'

describe('HTML', () => {
  const page = { accept: 'text/html' }
  const actionsIn = (shown: string) =>
    [...shown.matchAll(/<form method="post" action="([^"]*)" enctype="multipart\/form-data"/g)].map(
      ([, uri = '']) => uri.replaceAll('&amp;', '&'),
    )

  test('the form of a collection creates an item with a file; a reload creates none', async () => {
    await using s = await serve(gallery)
    const shown = (await s.request('GET /forms/pictures', page)).text
    assert.deepEqual(actionsIn(shown), ['/forms/pictures'])
    assert.match(shown, /<input id="[^"]*" name="image" type="file" accept="image\/\*,application\/pdf/)
    const key = /name="_key" value="([^"]*)"/.exec(shown)?.[1] ?? ''
    const none: Part = ['locked', '', { name: '', type: 'application/octet-stream' }]
    const parts: readonly Part[] = [['_key', key], ['title', 'A'], image, none]
    const made = await send(s.request, 'POST /forms/pictures', parts, page)
    assert.equal(made.status, 303, made.text)
    await send(s.request, 'POST /forms/pictures', parts, page)
    assert.equal((await s.request('GET /pictures')).json.length, 1)
  })

  test('the edit form changes the file where one is chosen, and else keeps it', async () => {
    await using s = await serve(gallery)
    const item = String((await send(s.request, 'POST /pictures', [['title', 'A'], image])).fields.location)
    const edit = async (parts: readonly Part[]) => {
      const form = (await s.request(`GET /forms${item}`, page)).text
      const [action = ''] = actionsIn(form)
      const hidden = [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(
        ([, name = '', value = '']): Part => [name, value.replaceAll('&quot;', '"').replaceAll('&amp;', '&')],
      )
      const sent = await send(s.request, `POST ${action}`, [...hidden, ...parts], page)
      assert.equal(sent.status, 303, sent.text)
      return (await s.request(`GET ${item}`)).json
    }
    const kept = await edit([
      ['title', 'B'],
      ['image', '', { name: '' }],
    ])
    assert.deepEqual([kept.title, kept.image.name], ['B', 'a.png'])
    const chosen = await edit([
      ['title', 'B'],
      ['image', 'text', { name: 'c.txt', type: 'text/plain' }],
    ])
    assert.equal(chosen.image.name, 'c.txt')
  })

  test('a refused form is shown again with its values', async () => {
    await using s = await serve(gallery)
    const fake: Part = ['image', 'x', { name: 'a.png', type: 'image/png' }]
    const refused = await send(s.request, 'POST /pictures', [['title', 'Kept title'], fake], page)
    assert.equal(refused.status, 422)
    assert.match(refused.text, /The content is not image\/png/)
    const unknown = await send(
      s.request,
      'POST /pictures',
      [
        ['title', 'Kept title'],
        ['x', '1'],
      ],
      page,
    )
    assert.equal(unknown.status, 422)
    for (const { text: shown } of [refused, unknown]) {
      assert.match(shown, />\nKept title<\/textarea>/)
      assert.match(shown, /<input id="[^"]*" name="image" type="file"/)
    }
  })

  test('an admin sees inputs for all files', async () => {
    await using s = await serve(gallery)
    const shown = (await s.request('GET /forms/pictures', { ...page, ...admin })).text
    for (const name of ['image', 'original', 'locked']) {
      assert.match(shown, new RegExp(`name="${name}" type="file"`))
    }
  })
})

for (const [method, methods] of [
  ['PATCH', ['GET', 'POST', 'PUT', 'PATCH']],
  ['PUT', ['GET', 'POST', 'PUT']],
] as const) {
  test(`an edit with a new file is merged with an edit of another field, by ${method}`, async () => {
    const access = { read: anyone, create: anyone, update: anyone }
    const image = file({ types: ['image/png'], max: '1 MB' }).optional()
    const rows = resource({ title: text(), body: text().optional(), image }, { access, methods })
    await using s = await serve(service({ title: 'Rows', resources: { rows } }))
    const made = await s.request('POST /rows', {}, { title: 'First', body: 'b' })
    const uri = String(made.fields.location)
    const page = await s.request(`GET /forms${uri}`, { accept: 'text/html' })
    const { action, pairs } = pageForm(page.text, /method=P/)
    const parts = pairs.filter(([name]) => name !== 'image')
    const theirs = await s.request(`${method} ${uri}`, {}, { title: 'Theirs', body: 'b' })
    assert.equal(theirs.status, 200, theirs.text)
    const sent: readonly Part[] = [
      ...parts.map(([name, value]): Part => [name, name === 'body' ? 'Mine' : value]),
      ['image', png, { name: 'a.png', type: 'image/png' }],
    ]
    const merged = await send(s.request, `POST ${action}`, sent, { accept: 'text/html' })
    assert.equal(merged.status, 303, merged.text)
    const { json } = await s.request(`GET ${uri}`)
    assert.deepEqual([json.title, json.body, json.image?.name], ['Theirs', 'Mine', 'a.png'])
  })
}
