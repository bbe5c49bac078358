/** A list past the time limit of statements, on PostgreSQL. test/requests has the same test. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { anyone, openService, resource, service, text } from 'restwell'
import { eventually } from '../eventually.ts'
import { accounts, people } from '../features/mail/fixtures/people.ts'
import { postgres } from '../postgres.ts'
import { admin, serve } from '../service.ts'

const definition = service({
  title: 'Notes',
  resources: { notes: resource({ title: text() }, { access: { read: anyone } }) },
})

const withAccounts = service({
  title: 'Notes',
  accounts,
  resources: { people, notes: resource({ title: text() }, { access: { read: anyone } }) },
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

test('slow lists beyond the time of a caller are 429 with Retry-After; other callers go on', async () => {
  const url = (await postgres()).freshUrl()
  await using s = await serve(withAccounts, { database: url, rate: 1200, readTime: 1 })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('begin')
    await client.query(`lock table "${new URL(url).searchParams.get('schema')}".notes`)
    const slow = s.request('GET /notes?title[contains]=x')
    await eventually(async () => {
      const { rows } = await client.query(
        'select 1 from pg_locks where not granted and pid <> pg_backend_pid()',
      )
      return rows.length > 0
    })
    // The statement waits for the lock at least this long.
    await client.query('select pg_sleep(0.2)')
    await client.query('commit')
    // What it read after that statement is refused.
    assert.ok([200, 429].includes((await slow).status))
  } finally {
    await client.end()
  }
  const refused = await s.request('GET /notes')
  assert.equal(refused.status, 429, refused.text)
  assert.ok(Number(refused.fields['retry-after']) > 0)
  assert.equal((await s.request('GET /notes', admin)).status, 200)
  s.advance(86_400_000)
  assert.equal((await s.request('GET /notes')).status, 200)
})
