/** Full-text search on PostgreSQL: an index of an earlier version is created again. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { parsePostgresUrl } from '../../src/store/postgres/connection/database-url.ts'
import { openPostgresStore } from '../../src/store/postgres/open-postgres.ts'
import { postgres } from '../postgres.ts'
import { insert } from '../store/library.ts'
import { row, schema, table, text } from '../store/tables.ts'

test('an index of complete words is replaced at the start by one that finds prefixes', async () => {
  const url = (await postgres()).freshUrl()
  const tables = schema(table('notes', [text('title')], { search: ['title'] }))
  const open = () => openPostgresStore({ url, schema: tables, observe: () => undefined })
  const before = await open()
  assert.deepEqual(await before.write([insert('notes', row('n1', 'First words'))]), {
    kind: 'done',
  })
  await before.close()
  await asEarlier(url)
  const after = await open()
  assert.equal(await after.count('notes', { kind: 'search', words: ['fir', 'word'] }), 1)
  await after.close()
})

/** The index before it stored prefixes. */
async function asEarlier(url: string): Promise<void> {
  const { hosts, schema: name } = parsePostgresUrl(url)
  const client = new pg.Client(hosts[0])
  await client.connect()
  await client.query(`set search_path to "${name}"`)
  await client.query(`update "_words:notes" set "words" = array['first', 'words']`)
  await client.query(`update "_meta" set "value" = '["title"]' where "name" = 'search:notes'`)
  await client.end()
}
