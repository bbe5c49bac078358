/**
 * Non-interference: two databases differ only in data that a caller may not see, and one of them goes on
 * changing in such data. The same random requests get the same responses, byte for byte, header fields
 * included.
 */

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { cases, isFull, someOf } from '../cases.ts'
import { type NamedDatabases, namedDatabases } from './named-databases.ts'
import { anyStep, repertoire } from './repertoire/repertoire.ts'
import type { Step, World } from './repertoire/step.ts'
import { uuid } from './rows.ts'
import { openSide, type Side } from './side.ts'
import { bob, changeHidden, createTwoDatabases, model } from './two-databases.ts'

let folder = ''
let databases: NamedDatabases
let world: World
let bobs = ''

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'restwell-noninterference-'))
  databases = await namedDatabases(folder)
  ;({ world, bobs } = await createTwoDatabases(databases, folder))
})

after(() => rm(folder, { recursive: true, force: true }))

/** A copy of the database, served by a service whose clock and identities are its own. */
const sideOf = (name: string, run: number): Promise<Side> => openSide({ model, databases, folder, name, run })

/** A hidden change of a visible item during the run, which only one of the services has. */
const changeHiddenIn = (side: Side, number: number) =>
  side.change((store, at) => changeHidden(store, number, at))

// With the requests of a tenant: 100,000 at full count.
const runs = cases(800, 400)
const length = 100

test(`${runs * length} random requests reveal nothing hidden`, async (t) => {
  const seed = Math.trunc(Math.random() * 2 ** 31)
  t.diagnostic(`seed ${seed}`)
  let run = 0
  let offset = 0
  const steps = fc.array(anyStep(world), { minLength: length, maxLength: length })
  const property = fc.asyncProperty(steps, async (sequence) => {
    run += 1
    const began = Date.now()
    await using one = await sideOf('one', run)
    await using two = await sideOf('two', run)
    for (const [at, step] of sequence.entries()) {
      if (at % 2 === 0) await changeHiddenIn(two, at / 2)
      const [first, second] = [await one.ask(step), await two.ask(step)]
      assert.deepEqual(first, second, `${JSON.stringify(step([]))}`)
    }
    offset += Date.now() - began
  })
  await fc.assert(property, { numRuns: runs, seed, endOnFailure: true })
  t.diagnostic(`${Math.round(offset / runs)} ms for ${length} requests on both sides`)
})

/** Their names are in the message of a failure. */
const chosenRows = someOf(Object.entries(repertoire), 10)

test(`each of ${chosenRows.length} rows of the repertoire by itself reveals nothing hidden`, async (t) => {
  const seed = Math.trunc(Math.random() * 2 ** 31)
  t.diagnostic(`seed ${seed}`)
  const rows = chosenRows.map(([name, kind]): Row => {
    return { name, steps: fc.sample(kind(world), { numRuns: cases(200), seed }) }
  })
  const { reading = [], writing = [] } = Object.groupBy(rows, ({ steps }) =>
    steps.every(changesNothing) ? 'reading' : 'writing',
  )
  if (isFull) assert.ok(reading.length > 10 && writing.length > 10)
  await compareRows(reading)
  for (const row of writing) await compareRows([row])
})

interface Row {
  readonly name: string
  readonly steps: readonly Step[]
}

/** Whether the databases and the counters of failed sign-ins are afterwards as before. */
function changesNothing(step: Step): boolean {
  const { line, fields } = step([])
  return /^(GET|HEAD|OPTIONS|QUERY) /.test(line) && world.credentials.includes(fields?.authorization)
}

/** Asks both sides for the steps of the rows, from the first state of the databases on. */
async function compareRows(rows: readonly Row[]): Promise<void> {
  await using one = await sideOf('one', -2)
  await using two = await sideOf('two', -2)
  for (const { name, steps } of rows) {
    for (const [at, step] of steps.entries()) {
      await changeHiddenIn(two, at)
      const [first, second] = [await one.ask(step), await two.ask(step)]
      assert.deepEqual(first, second, `${name}: ${JSON.stringify(step([]))}`)
    }
  }
}

test('the test detects a leak: a caller who may see the difference gets different responses', async () => {
  await using one = await sideOf('one', 0)
  await using two = await sideOf('two', 0)
  const hidden = ['/articles', '/notes', '/webhooks', `/users/${uuid(bob)}`, `/scans/${uuid(702)}/image`]
  for (const line of hidden.map((uri) => `GET ${uri}`)) {
    const step = () => ({ line, fields: { authorization: bobs } })
    assert.notDeepEqual(await one.ask(step), await two.ask(step))
  }
})

test('every row of the repertoire creates requests that succeed', async () => {
  await using one = await sideOf('one', -1)
  for (const [name, kind] of Object.entries(repertoire)) {
    for (const step of fc.sample(kind(world), 5)) {
      const { status } = await one.ask(step)
      assert.ok(status >= 200 && status < 500, `${name}: ${status}`)
    }
  }
})
