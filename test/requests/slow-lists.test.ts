/** A list past the time limit of statements, on SQLite. test/postgres has the same test. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, choice, count, list, ref, resource, service, text, where } from 'restwell'
import { fieldsOf } from '../../src/operation/log-entry.ts'
import { always } from '../../src/store/condition.ts'
import { uuid } from '../access/rows.ts'
import { onPostgres } from '../database.ts'
import { eventually } from '../eventually.ts'
import { accounts, people } from '../features/mail/fixtures/people.ts'
import { handling } from '../handling.ts'
import { admin, serve } from '../service.ts'

// PostgreSQL would refuse the writes too.
const skip = onPostgres && 'test/postgres has the same test.'

const definition = service({
  title: 'Notes',
  resources: { notes: resource({ tags: list(text({ max: 10 })) }, { access: { read: anyone } }) },
})

test('a list past the limit is 503 with Retry-After, and the log names the column without an index', {
  skip,
}, async () => {
  await using s = await handling(definition, { statementLimit: 1 })
  const time = '2026-01-01T00:00:00.000Z'
  const tags = JSON.stringify(Array.from({ length: 1000 }, (_, n) => `t${n}`))
  const writes = Array.from({ length: 2000 }, (_, n) => {
    const values = [uuid(n), 1, time, time, tags]
    return { kind: 'insert', table: 'notes', values, conditionAfter: always } as const
  })
  assert.deepEqual(await s.service.store.write(writes), { kind: 'done' })
  const refused = await s.handle('GET /notes?tags[has]=none')
  assert.equal(refused.status, 503, refused.text)
  assert.ok(refused.fields['retry-after'])
  const slow = s.observations.find(({ kind }) => kind === 'slow-list')
  const { table, index } = fieldsOf(slow ?? assert.fail('no entry of the log'))
  assert.deepEqual({ table, index }, { table: 'notes', index: 'notes.tags' })
  assert.equal((await s.handle('GET /notes?limit=2')).status, 200)
})

const tracker = service({
  title: 'Tracker',
  resources: {
    projects: resource(
      { name: text() },
      { access: { read: anyone }, derived: { open: count('tasks', where({ status: 'open' })) } },
    ),
    tasks: resource(
      { project: ref('projects', { inverse: 'tasks' }), status: choice(['open', 'done']) },
      { access: { read: anyone } },
    ),
  },
})

test('so is a list by a derived field, as a filter or an order, and the log names the column that it counts by', {
  skip,
}, async () => {
  await using s = await handling(tracker, { statementLimit: 1 })
  const time = '2026-01-01T00:00:00.000Z'
  const insert = (table: string, number: number, values: readonly string[]) =>
    ({
      kind: 'insert',
      table,
      values: [uuid(number), 1, time, time, ...values],
      conditionAfter: always,
    }) as const
  const projects = Array.from({ length: 4000 }, (_, n) => insert('projects', n, ['P']))
  const tasks = Array.from({ length: 40_000 }, (_, n) => insert('tasks', n, [uuid(n % 4000), 'open']))
  assert.deepEqual(await s.service.store.write([...projects, ...tasks]), { kind: 'done' })
  for (const query of ['open=1', 'sort=-open']) {
    const before = s.observations.length
    const refused = await s.handle(`GET /projects?${query}`)
    assert.equal(refused.status, 503, `${query} ${refused.text}`)
    assert.ok(refused.fields['retry-after'])
    const slow = s.observations.slice(before).find(({ kind }) => kind === 'slow-list')
    const { table, index } = fieldsOf(slow ?? assert.fail('no entry of the log'))
    assert.deepEqual({ table, index }, { table: 'projects', index: 'tasks.status' })
  }
})

const withAccounts = service({
  title: 'Notes',
  accounts,
  resources: {
    people,
    notes: resource({ tags: list(text({ max: 10 })) }, { access: { read: anyone } }),
  },
})

test('slow lists beyond the time of a caller are 429 with Retry-After; quick ones and other callers go on', {
  skip,
}, async () => {
  await using s = await serve(withAccounts, { rate: 1200, readTime: 1000 })
  const time = '2026-01-01T00:00:00.000Z'
  const tags = JSON.stringify(Array.from({ length: 1000 }, (_, n) => `t${n}`))
  const writes = Array.from({ length: 1000 }, (_, n) => {
    const values = [uuid(n), 1, time, time, tags]
    return { kind: 'insert', table: 'notes', values, conditionAfter: always } as const
  })
  assert.deepEqual(await s.service.store.write(writes), { kind: 'done' })
  const first = await s.request('GET /notes?tags[has]=none')
  assert.equal(first.status, 200)
  let count = 0
  const refused = await eventually(async () => {
    count += 1
    const reply = await s.request(`GET /notes?tags[has]=none${count}`)
    return reply.status === 429 && reply
  })
  assert.match(refused.json.detail, /^Your slow lists have used up 1 seconds of reading in 60 seconds\./)
  assert.ok(Number(refused.fields['retry-after']) > 0)
  // The pages of a stream are read for its caller, too.
  const stream = await s.request('GET /notes?format=csv&tags[has]=stream')
  assert.equal(stream.status, 429)
  assert.equal((await s.request('GET /notes?limit=2')).status, 200)
  assert.equal((await s.request('GET /notes?tags[has]=other', admin)).status, 200)
  s.advance(86_400_000)
  assert.equal((await s.request('GET /notes?tags[has]=later')).status, 200)
})
