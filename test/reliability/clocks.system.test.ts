/** Real processes whose clocks are wrong. */

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { folderOf, root, running } from '../commands/command.ts'
import { eventually } from '../eventually.ts'
import { postgres } from '../postgres.ts'
import { createRequester } from '../service.ts'

const minute = 60_000
const hour = 60 * minute

/** A service on the database whose clock is ahead by so many milliseconds. */
async function start(t: TestContext, database: string, ahead: number, fixture = 'notes.ts') {
  const preload = join(import.meta.dirname, 'shifted-clock.ts')
  const definition = join(import.meta.dirname, 'fixtures', fixture)
  const command = await running(['serve', definition, '--host', '127.0.0.1', '--port', '0'], {
    environment: {
      DATABASE_URL: database,
      NODE_OPTIONS: `--import=${preload}`,
      CLOCK_SHIFT: String(ahead),
      RESTWELL_RATE: 'off',
    },
    folder: root,
  })
  t.after(() => command.process.kill('SIGKILL'))
  return { command, request: createRequester(command.port) }
}

const databases = {
  SQLite: async (t: TestContext) => `file:${join(await folderOf(t), 'notes.db')}`,
  PostgreSQL: async () => (await postgres()).freshUrl(),
}

for (const [name, create] of Object.entries(databases)) {
  test(`a start whose clock is 25 hours ahead does not repeat the effect of a key (${name})`, async (t) => {
    const database = await create(t)
    const key = { 'idempotency-key': '"k1"' }
    const right = await start(t, database, 0)
    const first = await right.request('POST /notes', key, { title: 'a' })
    await right.command.stop()
    const ahead = await start(t, database, 25 * hour)
    const second = await ahead.request('POST /notes', key, { title: 'a' })
    assert.equal(second.status, 201)
    assert.equal(second.fields.location, first.fields.location)
    await ahead.command.stop()
    // On PostgreSQL the clock of the database counts, which is right.
    assert.equal((await ahead.command.stderr).includes('"clock-ahead"'), name === 'SQLite')
  })
}

test('a node that is two minutes behind loses no update and gives no false 304 (RFC 9110 §13.1.3, §13.1.4)', async (t) => {
  const database = await databases.PostgreSQL()
  const right = await start(t, database, 0)
  const behind = await start(t, database, -2 * minute)
  const uri = (await right.request('POST /notes', {}, { title: 'a' })).fields.location
  const date = (await right.request(`GET ${uri}`)).fields['last-modified'] as string
  // A date in whole seconds cannot tell two versions of one second apart.
  await eventually(async () => (await right.request(`GET ${uri}`)).fields.date !== date)
  const changed = await behind.request(`PATCH ${uri}`, {}, { title: 'b' })
  assert.equal(changed.status, 200)
  const lost = await right.request(`PATCH ${uri}`, { 'if-unmodified-since': date }, { title: 'c' })
  assert.equal(lost.status, 412)
  const read = await right.request(`GET ${uri}`, { 'if-modified-since': date })
  assert.equal(read.status, 200)
  assert.equal(read.json.title, 'b')
})

test('a job runs on one node at a time, although the clock of another one is five minutes ahead', async (t) => {
  const database = await databases.PostgreSQL()
  const right = await start(t, database, 0, 'jobs.ts')
  const { request } = right
  const titles = async (): Promise<readonly string[]> =>
    (await request('GET /notes?limit=1000')).json.map(({ title }: { title: string }) => title)
  const begun = async (kind: string) => (await titles()).filter((title) => title.startsWith(kind))
  const job = String((await request('POST /notes/hold')).fields.location)
  await eventually(async () => (await begun('begun')).length === 1)
  const ahead = await start(t, database, 5 * minute, 'jobs.ts')
  // That node looks for work: it has done some, again and again.
  await eventually(async () => {
    await ahead.request('POST /notes/quick')
    const done = await begun(`quick by ${ahead.command.process.pid}`)
    return done.length >= 10
  })
  assert.deepEqual(await begun('begun'), [`begun by ${right.command.process.pid}`])
  await request('POST /notes', {}, { title: 'end' })
  await eventually(async () => (await request(`GET ${job}`)).json.status === 'done')
})
