/** A list past the time limit of statements, on PostgreSQL. test/requests has the same test. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { anyone, openService, resource, service, text } from 'restwell'
import { postgres } from '../postgres.ts'

const definition = service({
  title: 'Notes',
  resources: { notes: resource({ title: text() }, { access: { read: anyone } }) },
})

test('a list past the limit is 503 with Retry-After, and the log names the column without an index', async () => {
  const url = (await postgres()).freshUrl()
  const lines: string[] = []
  const log = { write: (line: string) => lines.push(line) }
  const database = `${url}&statement_timeout=2000`
  await using notes = await openService(definition, { database, rate: 'off', log })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    // The list waits for the lock until the limit.
    await client.query('begin')
    await client.query(`lock table "${new URL(url).searchParams.get('schema')}".notes`)
    const refused = await notes.handle(new Request('http://localhost/notes?title[contains]=x'))
    assert.equal(refused.status, 503)
    assert.ok(refused.headers.get('retry-after'))
  } finally {
    await client.end()
  }
  const slow = lines.find((line) => line.includes('slow-list')) ?? assert.fail(lines.join(''))
  assert.match(slow, /\bnotes\.title\b/)
  assert.equal((await notes.handle(new Request('http://localhost/notes?title[contains]=x'))).status, 200)
})
