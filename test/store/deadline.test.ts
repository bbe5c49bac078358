/** A list that takes too long holds nobody else up, and is given up in the end. */

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { jsonKind } from '../../src/definition/kinds/json.ts'
import type { Observation } from '../../src/observation.ts'
import { all, always, type Condition } from '../../src/store/condition.ts'
import { openSqliteStore } from '../../src/store/sqlite/open-sqlite.ts'
import { type RowQuery, StoreUnavailable } from '../../src/store/store.ts'
import { insert } from './library.ts'
import { limitsOf, real, ref, row, schema, table, text } from './tables.ts'

const ROWS = 20_000
const tags = JSON.stringify(Array.from({ length: 60 }, (_, n) => `tag ${n}`))
const things = schema(
  table('things', [text('tags', { limits: limitsOf(jsonKind, {}) }), text('name'), ref('next', 'things')], {
    indexes: [['name']],
  }),
)

/** A scan of every list of every row. */
const slow: Condition = { kind: 'compare', path: ['tags'], operator: 'has', values: ['none'] }
const last: Condition = { kind: 'compare', path: ['name'], operator: 'eq', values: ['last'] }

function question(condition: Condition): RowQuery {
  const order = [{ column: '_identity', descending: false }]
  return { table: 'things', condition, order, after: undefined, limit: 10, evaluated: [] }
}

async function filled(statementLimit: number) {
  const observations: Observation[] = []
  const notice = (observation: Observation) => void observations.push(observation)
  const store = await openSqliteStore({
    temporary: true,
    schema: things,
    observe: notice,
    statementLimit,
  })
  for (let made = 0; made < ROWS; made += 1000) {
    const rows = Array.from({ length: 1000 }, (_, n) => {
      const place = made + n
      const name = place === ROWS - 1 ? 'last' : 'thing'
      return insert('things', row(`t${String(place).padStart(6, '0')}`, tags, name, null))
    })
    assert.deepEqual(await store.write(rows), { kind: 'done' })
  }
  return { store, observations }
}

it('past a moment on the calling thread a list goes on in another, with the same answer', async () => {
  const { store, observations } = await filled(60_000)
  const either: Condition = { kind: 'any', of: [slow, last] }
  const answer = store.list(question(either))
  assert.ok(answer instanceof Promise, 'the calling thread is free')
  // Another list is answered while the slow one runs.
  assert.equal((store.list(question(last)) as unknown[]).length, 1)
  assert.deepEqual(
    (await answer).map(([identity]) => identity),
    [`t${ROWS - 1}`.replace('t', 't0')],
  )
  const again = store.list(question(either))
  assert.ok(again instanceof Promise, 'what was slow goes there directly')
  assert.equal((await again).length, 1)
  const count = store.count('things', slow)
  assert.ok(count instanceof Promise)
  assert.equal(await count, 0)
  assert.deepEqual(observations, [])
  await store.close()
})

it('past the limit of statements a list is refused, and the columns to index are told', async () => {
  const { store, observations } = await filled(1)
  const condition = all([slow, { kind: 'reference', reference: 'next', of: slow }])
  const answer = async () => store.list(question({ kind: 'any', of: [slow, condition, last] }))
  await assert.rejects(answer, (error: StoreUnavailable) => error.reason === 'slow')
  const [observation] = observations
  assert.ok(observation?.kind === 'slow-list')
  assert.equal(observation.table, 'things')
  assert.deepEqual(observation.columns, ['things.tags'])
  assert.equal((await store.list(question(always))).length, 10, 'others go on')
  await store.close()
})

it('an aggregation is refused likewise, with the columns of its groups', async () => {
  const { store, observations } = await filled(1)
  const groups = [{ column: 'tags', part: undefined }]
  const query = { table: 'things', condition: slow, groups, aggregates: [], limit: 10, octets: 1000 }
  await assert.rejects(
    async () => store.aggregate(query),
    (error: StoreUnavailable) => error.reason === 'slow',
  )
  const [observation] = observations
  assert.ok(observation?.kind === 'slow-list')
  assert.deepEqual(observation.columns, ['things.tags'])
  await store.close()
})

it('a sum of numbers, which a function in JavaScript adds, is exact on either thread', async () => {
  const many = schema(table('things', [real('size')]))
  const store = await openSqliteStore({
    temporary: true,
    schema: many,
    observe: () => {},
    statementLimit: 60_000,
  })
  for (let made = 0; made < 20_000; made += 1000) {
    const rows = Array.from({ length: 1000 }, (_, n) => insert('things', row(`t${made + n}`, 0.1)))
    assert.deepEqual(await store.write(rows), { kind: 'done' })
  }
  const aggregates = [{ kind: 'sum', column: 'size' }] as const
  const query = { table: 'things', condition: always, groups: [], aggregates, limit: 10, octets: 1000 }
  assert.deepEqual(await store.aggregate(query), [['2000.0']])
  await store.close()
})

it('a list that is bounded by octets is refused likewise, each time', async () => {
  const { store } = await filled(1)
  const either: Condition = {
    kind: 'any',
    of: [slow, { kind: 'reference', reference: 'next', of: slow }, last],
  }
  for (let time = 0; time < 3; time += 1) {
    const answer = async () => store.list({ ...question(either), octets: 1_000_000 })
    await assert.rejects(answer, (error: StoreUnavailable) => error.reason === 'slow')
  }
  assert.equal((await store.list({ ...question(always), octets: 1_000_000 })).length, 10)
  await store.close()
})

it('a list under way when the store closes is answered first', async () => {
  const { store } = await filled(60_000)
  const answer = store.list(question(slow))
  await store.close()
  assert.deepEqual(await answer, [])
  await assert.rejects(async () => store.list(question(slow)), StoreUnavailable)
})
