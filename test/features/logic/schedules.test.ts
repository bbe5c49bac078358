/** Schedules: code that runs at certain times, on one node, and once for times that were missed. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { anyone, resource, schedule, service, text } from '../../../src/index.ts'
import { freshDatabase, lastingDatabase, onPostgres } from '../../database.ts'
import { eventually } from '../../eventually.ts'
import { serve, type TestService } from '../../service.ts'

const day = 86_400_000
const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
const notes = resource({ title: text() }, { access })
const options = { title: 'Notes', resources: { notes } }

/** A service whose schedule runs every day. */
function daily(run: (now: string) => void | Promise<void>, cron = '0 3 * * *') {
  const schedules = { daily: schedule<{ now: string }>(cron, ({ now }) => run(now)) }
  return service(options, { notes: { schedules } })
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
    await using s = await serve(definition)
    const titles = async () =>
      (await s.request('GET /notes')).json.map(({ title }: { title: string }) => title)
    await pause(100)
    assert.deepEqual(await titles(), [])
    for (const count of [1, 2]) {
      s.advance(day)
      await eventually(async () => (await titles()).length >= count)
    }
    assert.equal(new Set(await titles()).size, 2)
    const [entry] = await s.service.store.readChanges(0, 10)
    const name = 'notes.schedules.daily'
    assert.deepEqual(entry?.actor, { name, path: [name] })
  })

  it('makes up once for all times that came while no node ran', async (t) => {
    const database = await lastingDatabase(t)
    const runs: string[] = []
    const definition = daily((now) => void runs.push(now))
    {
      await using _ = await serve(definition, { database })
    }
    await using s = await serve(definition, { database })
    s.advance(10 * day)
    await eventually(() => runs.length > 0)
    await pause(50)
    assert.equal(runs.length, 1)
    s.advance(day)
    await eventually(() => runs.length === 2)
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
      await using s = await serve(definition, { database })
      await s.request('GET /notes')
    }
    await using s = await serve(at('30 4 * * *'), { database })
    await pause(100)
    assert.deepEqual(runs, [])
    s.advance(day)
    await eventually(() => runs.length > 0)
    assert.deepEqual(runs, ['30 4 * * *'])
  })

  const onSeveralNodes = onPostgres ? it : () => undefined
  onSeveralNodes('runs on one of two nodes', async () => {
    const database = await freshDatabase()
    const runs: string[] = []
    const run = async (now: string) => {
      await pause(50)
      runs.push(now)
    }
    await using one = await serve(daily(run), { database })
    await using two = await serve(daily(run), { database })
    for (const node of [one, two]) node.advance(day)
    await eventually(() => runs.length > 0)
    await pause(1500)
    assert.equal(runs.length, 1)
  })
})
