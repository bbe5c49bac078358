/** A small pool: a request uses one connection at a time and never waits for its own. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyone, ref, resource, service, text } from '../../src/index.ts'
import { PostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { running } from '../commands/command.ts'
import { postgres } from '../postgres.ts'
import { serve } from '../service.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
const shelves = service({
  title: 'Shelves',
  resources: {
    shelves: resource({ name: text() }, { key: 'name', access }),
    books: resource({ title: text(), shelf: ref('shelves') }, { access, bulk: true }),
  },
})

describe('the connections of a node', () => {
  it('are used one at a time by a request that creates many items', async () => {
    const database = `${(await postgres()).freshUrl()}&pool=50`
    await using node = await serve(shelves, { database })
    assert.equal((await node.request('POST /shelves', {}, { name: 'A' })).status, 201)
    const books = Array.from({ length: 200 }, (_, n) => ({ title: `Book ${n}`, shelf: 'A' }))
    const created = await node.request('POST /books', {}, books)
    assert.deepEqual([created.status, created.json.length], [201, 200])
    const { store } = node.service
    assert.ok(store instanceof PostgresStore)
    // A task in the background, such as sealing the audit, may have opened one more.
    assert.ok(store.pool.size <= 2, `${store.pool.size} connections`)
  })

  it('can be one: the service starts and creates the first account and the sample', async () => {
    const DATABASE_URL = `${(await postgres()).freshUrl()}&pool=1`
    const node = await running(['serve', 'examples/shop.ts', '--port', '0'], {
      environment: { DATABASE_URL, LOG_LEVEL: 'silent' },
    })
    assert.equal(await node.stop(), 0)
  })
})
