/**
 * A database file that is deleted, replaced or linked while it is served: writes would go to a file
 * without a name, so they are refused and the service is not ready (RFC 9110 §15.6.4).
 */

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { copyFile, link, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { someOf } from '../cases.ts'
import { folderOf } from '../commands/command.ts'
import { createNote, type NotesNode, startNotes, titlesOf } from './notes-node.ts'

for (const workers of someOf([1, 2], 1)) {
  const served = workers === 1 ? '' : ' of a service with workers'

  test(`a deleted file${served}: ready and writes are 503, reads continue, no new file is created`, async (t) => {
    const file = join(await folderOf(t), 'a.db')
    const node = await startNotes(t, file, { workers })
    assert.equal(await createNote(node.request, 'kept'), 201)
    await rm(file)
    await assertRefusing(node)
    assert.equal(await node.stop(), 0)
    assert.ok(!existsSync(file))
    assert.match(await node.stderr, /was deleted or moved while the service runs\. Put it back/)
  })

  test(`a replaced file${served}: ready and writes are 503 until the first is put back`, async (t) => {
    const folder = await folderOf(t)
    const [file, aside] = [join(folder, 'a.db'), join(folder, 'aside.db')]
    const node = await startNotes(t, file, { workers })
    assert.equal(await createNote(node.request, 'kept'), 201)
    await rename(file, aside)
    await copyFile(aside, file)
    await assertRefusing(node)
    await rename(aside, file)
    assert.equal((await node.request('GET /health/ready')).status, 200)
    assert.equal(await createNote(node.request, 'again'), 201)
    assert.equal(await node.stop(), 0)
    assert.match(await node.stderr, /was replaced while the service runs/)
    assert.deepEqual(await titlesOf((await startNotes(t, file)).request), ['kept', 'again'])
  })
}

test('a hard link to a served file: ready and writes are 503 until it is removed', async (t) => {
  const folder = await folderOf(t)
  const [file, other] = [join(folder, 'a.db'), join(folder, 'b.db')]
  const node = await startNotes(t, file)
  assert.equal(await createNote(node.request, 'kept'), 201)
  await link(file, other)
  await assertRefusing(node)
  await rm(other)
  assert.equal((await node.request('GET /health/ready')).status, 200)
  assert.equal(await createNote(node.request, 'again'), 201)
})

async function assertRefusing({ request }: NotesNode): Promise<void> {
  assert.equal((await request('GET /health/ready')).status, 503)
  for (const attempt of [1, 2]) {
    const refused = await request('POST /notes', {}, { title: 'lost' })
    assert.equal(refused.status, 503, `attempt ${attempt}: ${refused.text}`)
    assert.match(String(refused.fields['retry-after']), /^[1-9]\d*$/)
  }
  assert.deepEqual(await titlesOf(request), ['kept'])
}
