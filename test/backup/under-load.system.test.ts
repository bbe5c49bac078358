/** Backups that are taken while a service writes and is killed: each restores to one state of the log. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import shop from '../../examples/shop.ts'
import { plainEncoding } from '../../src/operation/backup/backup-encoding.ts'
import { chooseBackup } from '../../src/operation/backup/backup-list.ts'
import type { BackupPlace } from '../../src/operation/backup/backup-place.ts'
import { openFolderPlace } from '../../src/operation/backup/folder-place.ts'
import { restoreBackup } from '../../src/operation/backup/restore-backup.ts'
import { type TakenBackup, takeBackup } from '../../src/operation/backup/take-backup.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { openStore } from '../../src/store/open-store.ts'
import { schemaOf } from '../../src/store/schema/model-schema.ts'
import { cases, isFull } from '../cases.ts'
import { freshDatabase, onPostgres } from '../database.ts'
import { type Node, startNode } from '../reliability/node.ts'
import { basic, createRequester, type SendRequest } from '../service.ts'
import { folderFor } from '../store/folder.ts'
import { createTableStates, readLog } from './table-state.ts'

const count = cases(500, 25)
/** Of these, so many are restored; the rows of the others are compared in the backup. */
const restored = isFull ? 500 : 8
const writers = 8
const schema = schemaOf(checkDefinition(shop))
const states = createTableStates(schema, 'products')
const admin = basic('admin@example.org', 'correct horse battery')

test(`${count} backups under load and kill -9 are states of the log, and have what was acknowledged before`, async (t) => {
  const folder = folderFor(t)
  const database = onPostgres ? await freshDatabase() : `file:${join(folder, 'service.db')}`
  const place = openFolderPlace(join(folder, 'backups'))
  const options = { database, schema, place, encoding: plainEncoding }
  const acknowledged = new Map<string, number>()
  const taken: TakenBackup[] = []
  for (let round = 0; taken.length < count; round += 1) {
    const node = await startNode({ definition: 'examples/shop.ts', database })
    const load = startLoad(node, `R${round}`, acknowledged)
    const until = Math.min(count, taken.length + count / 4)
    while (taken.length < until) taken.push(await takeBackup(options))
    const died = once(node.process, 'exit')
    node.process.kill('SIGKILL')
    // The first backup after the kill reads a log that nobody has recovered.
    taken.push(await takeBackup(options))
    await Promise.all([died, load])
  }
  const store = await openStore(database, schema, () => undefined)
  t.after(() => store.close())
  const log = await readLog(store)
  for (const [at, stored] of taken.entries()) {
    const { backup } = stored
    const products = await states.inBackup(stored)
    // On PostgreSQL, entries without a final order get other positions in the backup.
    if (!onPostgres) assert.deepEqual(products, states.at(log, backup.counters.position))
    for (const [sku, time] of acknowledged) {
      if (time < Date.parse(backup.at))
        assert.ok(products.has(sku), `${sku} is in the backup of ${backup.at}`)
    }
    if (at % Math.ceil(taken.length / restored) !== 0) continue
    const target = `file:${join(folder, `restored-${at}.db`)}`
    await restoreBackup(
      { stored, encoding: plainEncoding, report: () => undefined, openFiles: undefined },
      { database: target, existing: 'refuse' },
    )
    const copy = await openStore(target, schema, () => undefined)
    try {
      assert.deepEqual(await states.inStore(copy), products)
      assert.deepEqual(states.at(await readLog(copy), Number.POSITIVE_INFINITY), products)
      assert.equal((await copy.logExtent()).last, backup.counters.position)
    } finally {
      await copy.close()
    }
  }
  await chosenByTime(place, taken)
  t.diagnostic(`${taken.length} backups, ${acknowledged.size} acknowledged writes`)
})

/** For random times, the newest backup at or before it; so the interval is what can be lost. */
async function chosenByTime(place: BackupPlace, taken: readonly TakenBackup[]): Promise<void> {
  const times = taken.map(({ backup }) => Date.parse(backup.at))
  const [first = 0, last = 0] = [times[0], times.at(-1)]
  for (let n = 0; n < 200; n += 1) {
    const time = first + Math.floor(Math.random() * (last - first + 1000))
    const expected = taken.findLast(({ backup }) => Date.parse(backup.at) <= time)
    const chosen = await chooseBackup({ place, name: undefined }, new Date(time).toISOString())
    assert.equal(chosen.name, expected?.name)
  }
}

/** Creates, changes and deletes products until the connection breaks. */
async function startLoad(node: Node, prefix: string, acknowledged: Map<string, number>): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: writers })
  const request = createRequester(node.port, agent)
  const writing = Array.from({ length: writers }, (_, writer) =>
    write(request, `${prefix}-W${writer}`, acknowledged).catch((error) => {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error
    }),
  )
  await Promise.all(writing)
  agent.destroy()
}

async function write(request: SendRequest, prefix: string, acknowledged: Map<string, number>): Promise<void> {
  const patch = { ...admin, 'content-type': 'application/merge-patch+json' }
  for (let at = 0; ; at += 1) {
    const sku = `${prefix}-${at}`
    const made = await request('POST /products', admin, { sku, name: `Product ${sku}`, price: '1.00' })
    // The third of each four is deleted again.
    if (made.status === 201 && at % 4 !== 2) acknowledged.set(sku, Date.now())
    if (at % 4 === 1) await request(`PATCH /products/${sku}`, patch, JSON.stringify({ price: '2.00' }))
    if (at % 4 === 2) await request(`DELETE /products/${sku}`, admin)
  }
}
