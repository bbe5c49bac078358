/** A rolling deploy with real processes: nodes of two definitions, killed and started again. */

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { folderOf, type RunningCommand, root, running } from '../commands/command.ts'
import { postgres } from '../postgres.ts'
import { createRequester } from '../service.ts'

type Version = 'old' | 'new'

function start(database: string, version: Version): Promise<RunningCommand> {
  const definition = join(root, `test/reliability/fixtures/deploy-${version}.ts`)
  return running(['serve', definition, '--port', '0'], {
    environment: { DATABASE_URL: database, RESTWELL_RATE: 'off', LOG_LEVEL: 'silent' },
  })
}

/** Ends it as a power cut would. */
async function kill({ process, stderr }: RunningCommand): Promise<void> {
  process.kill('SIGKILL')
  await stderr
}

const contents = { old: { title: 'o' }, new: { title: 'n', rank: 5, hint: 'h' } }

/** The node is ready, creates an item, and shows as many as there are. */
async function assertServing({ port }: RunningCommand, version: Version, count: number) {
  const request = createRequester(port)
  assert.equal((await request('GET /health/ready')).status, 200)
  assert.equal((await request('POST /notes', {}, contents[version])).status, 201)
  assert.equal((await request('GET /notes?limit=100')).json.length, count)
}

async function assertStored({ port }: RunningCommand): Promise<void> {
  const { json } = await createRequester(port)('GET /notes?limit=100')
  for (const { title, rank, hint } of json) {
    assert.deepEqual([rank, hint], title === 'n' ? [5, 'h'] : [3, undefined])
  }
}

test('PostgreSQL: nodes of both definitions serve side by side, and each survives the other being killed', async (t) => {
  const database = (await postgres()).freshUrl()
  const nodes = new Map<Version, RunningCommand>()
  t.after(() => {
    for (const { process } of nodes.values()) process.kill('SIGKILL')
  })
  let count = 0
  for (const version of ['old', 'new', 'old', 'new'] as const) {
    const before = nodes.get(version)
    if (before) await kill(before)
    nodes.set(version, await start(database, version))
    for (const [one, node] of nodes) await assertServing(node, one, ++count)
  }
  await assertStored(nodes.get('new')!)
})

test('SQLite: nodes of both definitions serve in turns, each after the other was killed', async (t) => {
  const database = `file:${join(await folderOf(t), 'a.db')}`
  let node: RunningCommand | undefined
  t.after(() => node?.process.kill('SIGKILL'))
  let count = 0
  for (const version of ['old', 'new', 'old', 'new'] as const) {
    if (node) await kill(node)
    node = await start(database, version)
    await assertServing(node, version, ++count)
  }
  await assertStored(node!)
})
