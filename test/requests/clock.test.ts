/** What a service does with a clock that was set: no version is older than the one before, and nothing is lost. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyone, resource, service, text } from 'restwell'
import type { Observation } from '../../src/observation.ts'
import { createExpiryClock } from '../../src/service/expiry-clock.ts'
import { pruneLog, retentionOf } from '../../src/service/log-pruning.ts'
import { serve } from '../service.ts'

const day = 86_400_000
const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
const definition = service({
  title: 'Notes',
  resources: { notes: resource({ title: text() }, { access: open }) },
})

describe('a clock that is set back', () => {
  it('gives each version a later updatedAt than the version before', async () => {
    await using s = await serve(definition)
    const created = await s.request('POST /notes', {}, { title: 'a' })
    s.advance(-120_000)
    let before: string = created.json.updatedAt
    for (const title of ['b', 'c']) {
      const { json } = await s.request(`PATCH ${created.fields.location}`, {}, { title })
      assert.ok(json.updatedAt > before, `${json.updatedAt} is not after ${before}`)
      before = json.updatedAt
    }
  })
})

describe('the time by which data expires', () => {
  const expiring = async (ahead: { milliseconds: number }) => {
    const s = await serve(definition)
    await s.request('POST /notes', {}, { title: 'a' })
    const observed: Observation[] = []
    const { store } = s.service
    const clock = { now: () => Date.now() + ahead.milliseconds }
    const observe = (observation: Observation) => void observed.push(observation)
    return { s, store, observed, clock: await createExpiryClock({ store, clock, observe }) }
  }

  it('does not follow a clock that is a year ahead of the newest entry: nothing is pruned, and the log says so', async () => {
    const { s, store, observed, clock } = await expiring({ milliseconds: 365 * day })
    await using _ = s
    const { audited, ...retention } = retentionOf(s.service.model)
    await pruneLog({ store, clock, audited: s.service.model, ...retention }, new AbortController().signal)
    assert.equal((await store.logExtent()).entries, 1)
    assert.equal((await store.audit.extent()).checkpoint.number, 0)
    assert.deepEqual(
      observed.map(({ kind }) => kind),
      ['clock-ahead'],
    )
  })

  for (const days of [0, 365]) {
    it(`prunes no entry of a database that was empty at the start, with a clock ahead by ${days} days`, async () => {
      const ahead = { milliseconds: 0 }
      await using s = await serve(definition)
      const clock = { now: () => Date.now() + ahead.milliseconds }
      const { store, model } = s.service
      const expiryClock = await createExpiryClock({ store, clock, observe: () => undefined })
      await s.request('POST /notes', {}, { title: 'a' })
      ahead.milliseconds = days * day
      const pruning = { store, clock: expiryClock, ...retentionOf(model) }
      await pruneLog(pruning, new AbortController().signal)
      assert.equal((await store.logExtent()).entries, 1)
    })
  }

  it('prunes no entry where the clock was set back by a year', async () => {
    const { s, store, clock } = await expiring({ milliseconds: -365 * day })
    await using _ = s
    const pruning = { store, clock, ...retentionOf(s.service.model) }
    await pruneLog(pruning, new AbortController().signal)
    assert.equal((await store.logExtent()).entries, 1)
  })

  it('does not follow a clock that is set ahead during a run, and follows it when it is set right', async () => {
    const ahead = { milliseconds: 0 }
    const { s, clock } = await expiring(ahead)
    await using _ = s
    const before = clock.now()
    ahead.milliseconds = 25 * 3_600_000
    assert.ok(clock.now() < before + day)
    ahead.milliseconds = 30_000
    assert.ok(clock.now() >= before + 30_000)
  })
})
