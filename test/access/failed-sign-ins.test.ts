/** Failed sign-ins in the log: bounded, whatever number of logins is tried. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFailedSignIns } from '../../src/access/failed-sign-ins.ts'
import type { AccountsModel } from '../../src/definition/model.ts'
import { eventually } from '../eventually.ts'
import { serve, type TestService } from '../service.ts'
import { definition } from './sample.ts'

test('a thousand failed sign-ins of different logins add 60 entries a minute to the log', async () => {
  await using s = await serve(definition)
  const { store, model } = s.service
  let now = Date.now()
  const record = createFailedSignIns({
    accounts: model.accounts as AccountsModel,
    store,
    now: () => now,
    observe: (observation) => assert.fail(JSON.stringify(observation)),
  })
  for (const minute of [1, 2]) {
    for (let n = 0; n < 1000; n += 1) record(`person${n}@example.org`, undefined)
    assert.equal(await countFailures(s, 60 * minute), 60 * minute)
    now += 60_000
  }
})

/** The failures in the log, which are written after the function returns; at least so many. */
function countFailures({ service: { store } }: TestService, least: number): Promise<number> {
  return eventually(async () => {
    const entries = await store.readChanges(0, 1000)
    const failures = entries.filter(({ id }) => id.startsWith('unknown-'))
    return failures.length >= least && failures.length
  })
}
