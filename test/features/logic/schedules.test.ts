/** Schedules: code that runs at certain times, on one node, and once for times that were missed. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { queueName } from '../../../src/definition/delivery-resources.ts'
import { scheduleConsumerName } from '../../../src/features/logic/consumer-names.ts'
import { anyone, resource, schedule, service, text } from '../../../src/index.ts'
import { listWaiting } from '../../../src/work/queued-work.ts'
import { freshDatabase, lastingDatabase, onPostgres } from '../../database.ts'
import { eventually } from '../../eventually.ts'
import { serve, type TestService } from '../../service.ts'
import { lookedForWork } from '../../work/looked-for-work.ts'

const day = 86_400_000
const noon = Date.UTC(2026, 0, 1, 12)
const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
const notes = resource({ title: text() }, { access })
const options = { title: 'Notes', resources: { notes } }

/** A service whose schedule runs every day. */
function daily(run: (now: string) => void | Promise<void>, cron = '0 3 * * *') {
  const schedules = { daily: schedule<{ now: string }>(cron, ({ now }) => run(now)) }
  return service(options, { notes: { schedules } })
}

/** Resolves when the schedules are due at these times. */
async function nextTimes(
  { service: { model, store } }: TestService,
  expected: readonly string[],
): Promise<void> {
  const queue = model.ownTables.get(queueName)!
  await eventually(async () => {
    const works = await listWaiting(store, { queue, consumer: scheduleConsumerName }, 10)
    return isDeepStrictEqual(
      works.map(({ dueAt }) => dueAt),
      expected,
    )
  })
}

function failuresOf({ observations }: TestService) {
  return observations.filter((one) => one.kind === 'logic-failed')
}

describe('a schedule', () => {
  it('runs when its time has come, not before, with writes that name it', async () => {
    const definition = service(options, {
      notes: {
        schedules: {
          daily: schedule('0 3 * * *', async ({ notes, now }) => {
            await notes.create({ title: now.slice(0, 10) })
          }),
        },
      },
    })
    await using s = await serve(definition, { startsAt: noon })
    const titles = async () =>
      (await s.request('GET /notes')).json.map(({ title }: { title: string }) => title)
    for (const count of [1, 2]) {
      s.advance(day)
      await eventually(async () => (await titles()).length >= count)
    }
    assert.deepEqual((await titles()).toSorted(), ['2026-01-02', '2026-01-03'])
    const firstChange = async () => (await s.service.store.readChanges(0, 10))[0]
    // On PostgreSQL the log shows a change a moment after its commit.
    await eventually(async () => (await firstChange()) !== undefined)
    const name = 'notes.schedules.daily'
    assert.deepEqual((await firstChange())?.actor, { name, path: [name] })
  })

  it('makes up once for all times that came while no node ran', async (t) => {
    const database = await lastingDatabase(t)
    const runs: string[] = []
    const definition = daily((now) => void runs.push(now))
    {
      await using _ = await serve(definition, { database, startsAt: noon })
    }
    await using s = await serve(definition, { database, startsAt: noon })
    s.advance(10 * day)
    await nextTimes(s, ['2026-01-12T03:00:00.000Z'])
    assert.equal(runs.length, 1)
    s.advance(day)
    await eventually(() => runs.length === 2)
  })

  it('that a clock a year ahead has made due in a year is due at its next time after the next start', async (t) => {
    const database = await lastingDatabase(t)
    const runs: string[] = []
    const definition = daily((now) => void runs.push(now))
    {
      await using ahead = await serve(definition, { database, startsAt: noon })
      ahead.advance(365 * day)
      await nextTimes(ahead, ['2027-01-02T03:00:00.000Z'])
    }
    await using s = await serve(definition, { database, startsAt: noon })
    await nextTimes(s, ['2026-01-02T03:00:00.000Z'])
  })

  it('that fails is repeated before its next time, with a log line that names it', async () => {
    let failures = 1
    const runs: string[] = []
    const definition = daily((now) => {
      if (failures-- > 0) throw new Error('The disk is full.')
      runs.push(now)
    })
    await using s = await serve(definition)
    s.advance(day)
    await eventually(() => failuresOf(s).length === 1)
    const [failure] = failuresOf(s)
    assert.ok(failure?.kind === 'logic-failed')
    assert.equal(failure.hook, 'notes.schedules.daily')
    assert.match(String(failure.cause), /notes\.schedules\.daily failed: The disk is full\./)
    s.advance(6000)
    await eventually(() => runs.length === 1)
  })

  it('with another expression has another time, and forgets the former one', async (t) => {
    const database = await lastingDatabase(t)
    const runs: string[] = []
    const at = (cron: string) => daily(() => void runs.push(cron), cron)
    for (const definition of [at('0 3 * * *'), at('0 0 29 2 *'), service(options)]) {
      await using s = await serve(definition, { database, startsAt: noon })
      await s.request('GET /notes')
    }
    await using s = await serve(at('30 4 * * *'), { database, startsAt: noon })
    await nextTimes(s, ['2026-01-02T04:30:00.000Z'])
    s.advance(day)
    await nextTimes(s, ['2026-01-03T04:30:00.000Z'])
    assert.deepEqual(runs, ['30 4 * * *'])
  })

  const onSeveralNodes = onPostgres ? it : () => undefined
  onSeveralNodes('runs on one of two nodes', async () => {
    const database = await freshDatabase()
    const runs: string[] = []
    const seen = Promise.withResolvers<void>()
    const run = async (now: string) => {
      runs.push(now)
      await seen.promise
    }
    await using one = await serve(daily(run), { database, startsAt: noon })
    await using two = await serve(daily(run), { database, startsAt: noon })
    for (const node of [one, two]) node.advance(day)
    await eventually(() => runs.length > 0)
    const stores = [one, two].map(({ service }) => service.store)
    await Promise.all(stores.map(lookedForWork))
    seen.resolve()
    await nextTimes(one, ['2026-01-03T03:00:00.000Z'])
    assert.equal(runs.length, 1)
  })
})
