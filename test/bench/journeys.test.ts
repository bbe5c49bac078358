/** The journeys of requests: which files of the source each passes through. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { measureJourneys } from '../../bench/journeys.ts'

test('a journey has the files that the request needs, and not those of other requests', async () => {
  const journeys = new Map((await measureJourneys()).map((journey) => [journey.name, journey]))
  assert.deepEqual([...journeys.keys()], ['GET', 'list', 'PATCH', 'POST', 'action', 'batch'])
  const passing = (path: string) => [...journeys.values()].filter(({ functions }) => functions.has(path))
  const namesOf = (path: string) => passing(path).map(({ name }) => name)
  assert.equal(passing('requests/handle-request.ts').length, 6)
  assert.deepEqual(namesOf('requests/read/load-collection.ts'), ['list'])
  assert.deepEqual(namesOf('features/logic/perform-action.ts'), ['action'])
  assert.deepEqual(namesOf('requests/batch/perform-batch.ts'), ['batch'])
  assert.deepEqual(namesOf('requests/write/commit.ts'), ['PATCH', 'POST', 'action', 'batch'])
  for (const { name, functions, lines } of journeys.values()) {
    assert.ok(functions.get('requests/handle-request.ts')?.includes('attemptPlan'), name)
    assert.ok(functions.size > 1 && lines > functions.size, name)
  }
})
