/** The examples of /docs. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, resource, service, state, text } from '../../src/index.ts'
import { serve } from '../service.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
const phase = state({ initial: 'draft', transitions: { publish: { from: 'draft', to: 'published' } } })
const notes = resource({ title: text({ max: 50 }), phase }, { access })
const definition = service({ title: 'Notes', resources: { notes } })

test('/docs has examples of a filter, a change, a transition and a deletion that the service accepts', async () => {
  await using site = await serve(definition)
  const { location } = (await site.request('POST /notes', {}, { title: 'a' })).fields
  const { text: page } = await site.request('GET /docs', { accept: 'text/html' })
  const commands = [...page.matchAll(/<details class="example">.*?<code>curl (.*?)<\/code>/g)].map(
    ([, text = '']) => text.replaceAll('&#39;', "'"),
  )
  const requests = commands.map((command) => {
    const [, method = 'GET'] = /-X (\w+)/.exec(command) ?? []
    const [, body = ''] = / -d '([^']*)'/.exec(command) ?? []
    const [, target = ''] = /'http:\/\/[^/]+(\S+)'$/.exec(command) ?? []
    return {
      line: `${method} ${target.replaceAll('&amp;', '&')}`.replace('/notes/ID', String(location)),
      body: body.replaceAll('&quot;', '"'),
    }
  })
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
  }
})
