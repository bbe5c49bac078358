/** A list past the time limit of statements, on SQLite. test/postgres has the same test. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, list, resource, service, text } from 'restwell'
import { fieldsOf } from '../../src/observability/log-entry.ts'
import { always } from '../../src/store/condition.ts'
import { uuid } from '../access/rows.ts'
import { handling } from '../handling.ts'

const definition = service({
  title: 'Notes',
  resources: { notes: resource({ tags: list(text({ max: 10 })) }, { access: { read: anyone } }) },
})

test('a list past the limit is 503 with Retry-After, and the log names the column without an index', async () => {
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
