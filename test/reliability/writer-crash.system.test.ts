/** After a crash of the writer thread pending writes are 503, reads continue, and the next write succeeds. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { books } from '../operation/books.ts'
import { serve } from '../service.ts'

test('pending writes are 503 after a crash of the writer, and later ones succeed', async () => {
  await using service = await serve(books)
  // The only driver behind a file: URL.
  const { writer } = service.service.store as SqliteStore
  const acknowledged = new Set<string>()
  for (const round of [1, 2, 3]) {
    const inFlight = Array.from({ length: 50 }, (_, n) =>
      service.request('POST /books', {}, { title: `${round} ${n}` }),
    )
    // After the first response, so that some writes are done and some are not.
    await Promise.race(inFlight)
    await writer.crash()
    for (const response of await Promise.all(inFlight)) {
      if (response.status === 201) acknowledged.add(response.json.id)
      else {
        assert.equal(response.status, 503, response.text)
        assert.match(String(response.fields['retry-after']), /^[1-9]\d*$/)
      }
    }
    assert.equal((await service.request('GET /books')).status, 200)
    const next = await service.request('POST /books', {}, { title: 'after' })
    assert.equal(next.status, 201, next.text)
    acknowledged.add(next.json.id)
    assert.equal((await service.request('GET /health/ready')).status, 200)
  }
  const { json } = await service.request('GET /books?limit=1000')
  const stored = new Set(json.map(({ id }: { id: string }) => id))
  assert.ok(acknowledged.isSubsetOf(stored), 'acknowledged is stored')
  const restarts = service.observations.filter(({ kind }) => kind === 'writer-restarted')
  assert.equal(restarts.length, 3)
})
