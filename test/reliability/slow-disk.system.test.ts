/** A slow disk delays writes only. */

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { books } from '../operation/books.ts'
import { serve } from '../service.ts'

test('reads succeed while the writer waits inside SQLite, and the writes succeed afterwards', async () => {
  await using service = await serve(books, { database: 'file::memory:' })
  const created = await service.request('POST /books', {}, { title: 'before' })
  // The writer waits within its commit as it would for a disk: its thread does nothing else.
  const other = new DatabaseSync((service.service.store as SqliteStore).writer.file)
  other.exec('begin immediate')
  const order: string[] = []
  const writes = Array.from({ length: 3 }, async (_, n) => {
    const response = await service.request('POST /books', {}, { title: `slow ${n}` })
    order.push('write')
    return response.status
  })
  for (let round = 0; round < 20; round += 1) {
    const item = await service.request(`GET ${created.fields.location}`)
    const list = await service.request('GET /books')
    assert.deepEqual([item.status, list.status, list.json.length], [200, 200, 1])
    order.push('read')
  }
  other.exec('rollback')
  other.close()
  assert.deepEqual(await Promise.all(writes), [201, 201, 201])
  assert.equal(order.indexOf('write'), 20, 'no write had its response before the reads')
  assert.equal((await service.request('GET /books')).json.length, 4)
})
