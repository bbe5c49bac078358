/** The HTML pages of a history: values as people name them. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, file, list, refs, resource, service, text } from 'restwell'
import { serve } from '../../service.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
const notes = { types: ['text/plain'], max: '1 kB' } as const

const definition = service({
  title: 'Notes',
  resources: {
    labels: resource({ name: text() }, { access: open }),
    notes: resource(
      {
        title: text(),
        labels: refs('labels'),
        sketch: file(notes).optional(),
        pages: list(file(notes), { max: 3 }),
      },
      { access: open, history: {} },
    ),
  },
})

test('the pages show files by name and labels by title, in the table and in a former version', async () => {
  await using s = await serve(definition)
  const html = { accept: 'text/html' }
  const named = (name: string) => ({
    'content-type': 'text/plain',
    'content-disposition': `attachment; filename="${name}"`,
  })
  const label = (await s.request('POST /labels', {}, { name: 'Urgent' })).json.id
  const made = await s.request('POST /notes', {}, { title: 'A', labels: [label] })
  const uri = String(made.fields.location)
  await s.request(`PUT ${uri}/sketch`, named('plan.txt'), 'a')
  await s.request(`POST ${uri}/pages`, named('one.txt'), 'a')
  await s.request(`POST ${uri}/pages`, named('two.txt'), 'b')
  const page = (await s.request(`GET ${uri}/history`, html)).text
  const table = page.slice(page.indexOf('<table>'), page.indexOf('</table>'))
  assert.match(table, /<ins>Urgent<\/ins>/)
  const one = fileLink(uri, 'one.txt')
  assert.match(table, new RegExp(`<ins>${fileLink(uri, 'plan.txt')}</ins>`))
  assert.match(table, new RegExp(`<del>${one}</del> <ins>${one}, ${fileLink(uri, 'two.txt')}</ins>`))
  assert.doesNotMatch(table, /digest|href&quot;/)
  const [{ version }] = (await s.request(`GET ${uri}/history`)).json
  const former = (await s.request(`GET ${uri}/history/${version}`, html)).text
  for (const value of ['Urgent', fileLink(uri, 'plan.txt'), `${one}, ${fileLink(uri, 'two.txt')}`]) {
    assert.match(former, new RegExp(`<dd>${value}</dd>`))
  }
  const item = (await s.request(`GET ${uri}`, html)).text
  assert.match(item, new RegExp(`<ins>${fileLink(uri, 'plan.txt')}</ins>`))
})

/** The pattern of a link to a former file of one octet. */
function fileLink(uri: string, name: string): string {
  return `<a href="${uri}/-/files/[\\w-]{43}\\.[\\w-]{6}" type="text/plain">${name}</a> <small>1 B</small>`
}
