/** With workers, the primary evaluates no function of the definition: one that blocks would stop all connections. */

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { folderOf } from '../../commands/command.ts'
import { freshDatabase, onPostgres } from '../../database.ts'
import { eventually } from '../../eventually.ts'
import { admin, clientOf, startWorkers } from '../../reliability/worker-service.ts'
import { startReceiver } from './receiver.ts'

test('the primary evaluates no function, also where a webhook has an older version', async (t) => {
  await using receiver = await startReceiver()
  const folder = await folderOf(t)
  const file = join(folder, 'evaluations')
  const database = onPostgres ? await freshDatabase() : `file:${join(folder, 'service.db')}`
  const definition = 'test/features/webhooks/fixtures/recorded-versions.ts'
  const service = await startWorkers(t, { definition, database, environment: { EVALUATIONS: file } })
  // Before the port opens, the primary checks the definition.
  writeFileSync(file, '')
  const request = await clientOf(t, service.port)
  const webhook = { url: receiver.url, events: ['notes.*'] }
  const made = await request('POST /webhooks?api-version=v1', admin, webhook)
  assert.equal(made.status, 201, made.text)
  assert.equal((await request('POST /notes?api-version=v1', admin, { name: 'a' })).status, 201)
  await receiver.reached(1)
  assert.equal(receiver.received[0]?.json.data.item.name, 'a')
  const evaluations = () =>
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' '))
  await eventually(() => new Set(evaluations().map(([, name]) => name)).size === 5)
  const inPrimary = evaluations().filter(([pid]) => Number(pid) === service.process.pid)
  assert.deepEqual(inPrimary, [])
})
