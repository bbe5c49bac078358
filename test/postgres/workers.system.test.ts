/** Workers on PostgreSQL are as many nodes, behind one port. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cases } from '../cases.ts'
import { postgres } from '../postgres.ts'
import { clientOf, clientsOf, startWorkers } from '../reliability/worker-service.ts'

test('a worker reads what another has acknowledged, and an Idempotency-Key has one effect', async (t) => {
  const database = (await postgres()).freshUrl()
  const service = await startWorkers(t, {
    definition: 'test/reliability/fixtures/notes.ts',
    database,
  })
  const [one, other] = await clientsOf(t, service.port)
  for (let n = 0; n < cases(100); n += 1) {
    const key = { 'idempotency-key': `"key ${n}"` }
    const replies = await Promise.all(
      [one, other].map((request) => request('POST /notes', key, { title: `note ${n}` })),
    )
    const created = replies.filter(({ status }) => status === 201)
    assert.ok(created.length > 0)
    assert.equal(new Set(created.map(({ text }) => text)).size, 1)
    for (const request of [one, other]) {
      assert.equal((await request(`GET ${created[0]?.fields.location}`)).status, 200)
    }
  }
  const { json } = await (await clientOf(t, service.port))('GET /notes?limit=1000')
  assert.equal(json.length, cases(100))
  assert.equal(await service.stop(), 0)
})
