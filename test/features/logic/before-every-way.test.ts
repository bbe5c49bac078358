/** `before` runs once for each item, for every way of writing, and a refusal leaves no trace. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { serve } from '../../service.ts'
import { byOtherLogic, tracker } from './every-way-service.ts'
import { waysToWrite } from './ways-to-write.ts'

describe('before runs once for each item', () => {
  for (const { title, tasks, write } of [...waysToWrite, byOtherLogic]) {
    it(title, async () => {
      const { definition, seen } = tracker()
      await using s = await serve(definition)
      const { json: project } = await s.request('POST /projects', {}, { name: 'p' })
      const seed = { code: 'SEED', title: 's', start: '2026-02-01', due: '2026-02-10', project: project.id }
      const made = await s.request('POST /tasks', {}, seed)
      assert.equal(made.status, 201, made.text)
      const uri = String(made.fields.location)
      const before = (await s.service.store.readChanges(0, 1000)).length
      seen.length = 0
      const refused = await write(s.request, '2026-01-01', uri)
      assert.deepEqual([refused.status, refused.json.detail], [409, 'Too early.'])
      assert.equal(seen.length, 1)
      assert.equal((await s.service.store.readChanges(0, 1000)).length, before)
      seen.length = 0
      const written = await write(s.request, '2026-03-01', uri)
      assert.ok([200, 201, 303].includes(written.status), written.text)
      assert.deepEqual(seen, Array(tasks).fill('2026-03-01'))
      // Each task and its log entry.
      const others = title === byOtherLogic.title ? 1 : 0
      assert.equal((await s.service.store.readChanges(0, 1000)).length, before + 2 * tasks + others)
      const { json } = await s.request('GET /tasks?due=2026-03-01')
      assert.equal(json.length, tasks)
      for (const { note } of json) assert.match(note, /^(created|updated) 2026-03-01$/)
    })
  }
})
