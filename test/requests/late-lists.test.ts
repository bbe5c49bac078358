/** Requests that start together are all parsed before any list is loaded. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, resource, service as serviceOf, text } from '../../src/index.ts'
import { handling } from '../handling.ts'

const notes = resource({ title: text() }, { access: { read: anyone } })
const definition = serviceOf({ title: 'Notes', resources: { notes } })

for (const accept of ['application/json', 'text/csv']) {
  test(`of lists as ${accept} that start together, those that would be late are refused`, async () => {
    let now = 0
    const overload = { turn: 100, now: () => now, afterTurn: () => undefined }
    await using service = await handling(definition, { overload })
    const { store } = service.service
    const list = store.list.bind(store)
    store.list = (question) => {
      now += 60
      return list(question)
    }
    const pending = Array.from({ length: 4 }, () => service.handle('GET /notes', { accept }))
    const responses = await Promise.all(pending)
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 200, 503, 503],
    )
    assert.ok(responses[3]?.fields['retry-after'])
  })
}
