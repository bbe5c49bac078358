/** Kill -9 while files are written: no row names content that is not whole, and no acknowledged file is lost. */

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { cases } from '../../cases.ts'
import { folderOf } from '../../commands/command.ts'
import { lastingDatabase } from '../../database.ts'
import { eventually } from '../../eventually.ts'
import { startNode } from '../../reliability/node.ts'
import { createRequester, type SendRequest } from '../../service.ts'
import { asPng, newPicture, png } from './gallery.ts'

const rounds = cases(30)
const writers = 8

test(`kill -9 under ${writers} uploads leaves no row without its file, ${rounds} times`, async (t) => {
  const database = await lastingDatabase(t)
  const environment = { FILES_URL: `file:${join(await folderOf(t), 'files')}` }
  const start = () => startNode({ definition: 'test/features/files/gallery.ts', database, environment })
  /** The digest of the last acknowledged file of each item. */
  const acknowledged = new Map<string, string>()
  for (let round = 0; round < rounds; round += 1) {
    const node = await start()
    const agent = new Agent({ keepAlive: true, maxSockets: writers })
    const request = createRequester(node.port, agent)
    await checkAll(request, acknowledged)
    const died = once(node.process, 'exit')
    let count = 0
    const uploads = Array.from({ length: writers }, () => upload(request, acknowledged, () => (count += 1)))
    await eventually(() => count >= writers * (1 + (round % 4)))
    node.process.kill('SIGKILL')
    await Promise.all([died, ...uploads])
    agent.destroy()
  }
  const node = await start()
  await checkAll(createRequester(node.port), acknowledged)
  node.process.kill('SIGTERM')
  assert.deepEqual(await once(node.process, 'exit'), [0, null])
  t.diagnostic(`${acknowledged.size} items, all with their files`)
})

/** Creates an item and replaces its file until the connection breaks. */
async function upload(request: SendRequest, acknowledged: Map<string, string>, done: () => void) {
  try {
    const item = await newPicture(request)
    for (let version = 0; ; version += 1) {
      const octets = Buffer.concat([png, Buffer.alloc(50_000, `${item} ${version} `)])
      const { status } = await request(`PUT ${item}/image`, asPng, octets)
      assert.equal(status, version === 0 ? 201 : 204)
      acknowledged.set(item, hash('sha256', octets, 'base64'))
      done()
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
  }
}

/** Each row that names a file has it, octet for octet. */
async function checkAll(request: SendRequest, acknowledged: ReadonlyMap<string, string>): Promise<void> {
  const { json } = await request('GET /pictures?limit=1000')
  const items = new Map(json.map((item: { id: string; image?: { digest: string } }) => [item.id, item]))
  for (const item of acknowledged.keys()) assert.ok(items.has(item.slice('/pictures/'.length)), item)
  for (const { id, image } of json) {
    assert.ok(image !== undefined || !acknowledged.has(`/pictures/${id}`), `${id} lost its file`)
    if (image === undefined) continue
    const { status, octets } = await request(`GET /pictures/${id}/image`)
    assert.equal(status, 200, id)
    assert.equal(image.digest, `sha-256=:${hash('sha256', octets, 'base64')}:`)
  }
}
