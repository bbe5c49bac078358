/** A test of an application sets the time of its service, and runs its schedules. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, openService, resource, schedule, service, text } from '../../../src/index.ts'
import { freshDatabase } from '../../database.ts'

const access = { read: anyone, create: anyone }
const notes = resource({ title: text() }, { access })
const morning = new Date('2026-01-01T12:00:00Z')

/** A service whose schedules create notes of their times. */
function definitionOf(fails: (now: string) => boolean = () => false) {
  return service(
    { title: 'Notes', resources: { notes } },
    {
      notes: {
        schedules: {
          daily: schedule('0 3 * * *', async ({ notes, now }) => {
            if (fails(now)) throw new Error('It rains.')
            await notes.create({ title: `daily ${now.slice(0, 13)}` })
          }),
          noon: schedule('0 12 * * *', async ({ notes, now }) => {
            await notes.create({ title: `noon ${now.slice(0, 13)}` })
          }),
        },
      },
    },
  )
}

async function titlesOf(opened: { handle(request: Request): Promise<Response> }): Promise<readonly string[]> {
  const response = await opened.handle(new Request('http://localhost/notes?sort=id'))
  return ((await response.json()) as { title: string }[]).map(({ title }) => title)
}

test('runSchedules runs each schedule at its times, in order, and the clock is there', async () => {
  const options = { database: await freshDatabase(), rate: 'off', clock: () => morning } as const
  await using opened = await openService(definitionOf(), options)
  assert.deepEqual(await titlesOf(opened), [])
  await opened.runSchedules(new Date('2026-01-03T11:00:00Z'))
  const expected = ['daily 2026-01-02T03', 'noon 2026-01-02T12', 'daily 2026-01-03T03']
  assert.deepEqual(await titlesOf(opened), expected)
  await opened.runSchedules(new Date('2026-01-03T11:30:00Z'))
  assert.deepEqual(await titlesOf(opened), expected)
  const made = await opened.system.notes.create({ title: 'by hand' })
  assert.equal(made.createdAt, '2026-01-03T11:30:00.000Z')
})

test('the clock of a test may move by itself: times that passed are made up for once', async () => {
  let now = morning
  const options = { database: await freshDatabase(), rate: 'off', clock: () => now } as const
  await using opened = await openService(definitionOf(), options)
  now = new Date('2026-01-05T02:00:00Z')
  await opened.runSchedules(now)
  assert.deepEqual((await titlesOf(opened)).toSorted(), ['daily 2026-01-05T02', 'noon 2026-01-05T02'])
})

test('runSchedules rejects with the failure of a schedule, and goes on at the next call', async () => {
  const options = { database: await freshDatabase(), rate: 'off', clock: () => morning } as const
  const definition = definitionOf((now) => now < '2026-01-02T03:00:01')
  await using opened = await openService(definition, options)
  const until = new Date('2026-01-02T11:00:00Z')
  await assert.rejects(opened.runSchedules(until), /notes\.schedules\.daily.*It rains/s)
  await opened.runSchedules(until)
  assert.equal((await titlesOf(opened)).length, 1)
})

test('runSchedules needs the option clock and a valid date', async () => {
  const database = await freshDatabase()
  await using opened = await openService(definitionOf(), { database, rate: 'off', clock: () => morning })
  for (const until of [new Date('noon'), '2026-01-02' as never]) {
    await assert.rejects(opened.runSchedules(until), { name: 'TypeError', message: /a valid Date/ })
  }
  await using real = await openService(definitionOf(), { database: 'file::memory:', rate: 'off' })
  await assert.rejects(real.runSchedules(morning), /option 'clock'/)
})

test('a clock that is none is refused before the database is opened', async () => {
  for (const clock of [Date.now, () => new Date('noon')] as never[]) {
    await assert.rejects(openService(definitionOf(), { database: 'file:no/folder/notes.db', clock }), {
      name: 'TypeError',
      message: "The option 'clock' must be a function that returns a valid Date.",
    })
  }
})
