/** A disk that fails to read once: the file is checked, and the service goes on (SQLite reports EIO as damage). */

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { folderOf } from '../commands/command.ts'
import { admin } from '../service.ts'
import { nextReadFails } from './disk-error.ts'
import { createNote, startNotes } from './notes-node.ts'

for (const [name, method] of [
  ['read', 'GET'],
  ['write', 'POST'],
] as const) {
  test(`a ${name} whose disk fails once: later writes succeed without a restart, and the log says so`, async (t) => {
    const file = join(await folderOf(t), 'a.db')
    const node = await startNotes(t, file)
    for (let count = 1; count <= 50; count += 1) {
      assert.equal(await createNote(node.request, `note ${count}`, 'x'.repeat(16_000)), 201)
    }
    const fault = await nextReadFails(t, node.process.pid ?? 0, [file, `${file}-wal`])
    if (!fault) return
    let hasHappened = false
    const happened = fault.happen().then(() => {
      hasHappened = true
    })
    for (let count = 1; !hasHappened; count += 1) {
      if (method === 'GET') await node.request(`GET /notes?limit=50&title[contains]=${count}`)
      else await createNote(node.request, `while ${count}`)
    }
    await happened
    assert.equal(await createNote(node.request, 'after'), 201)
    assert.equal((await node.request('GET /status', admin)).json.databaseState, 'ready')
    assert.equal((await node.request('GET /health/ready')).status, 200)
    assert.equal(await node.stop(), 0)
    assert.match(await node.stderr, /"event":"store-unavailable"/)
  })
}
