/** A database that goes back in time: an event id of a lost change gets a reset, and new changes are not missed. */

import assert from 'node:assert/strict'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { anyone, resource, service, text } from 'restwell'
import { serve } from '../../service.ts'

const definition = service({
  title: 'Notes',
  resources: { notes: resource({ title: text() }, { access: { read: anyone, create: anyone } }) },
})

test('an id from after the copy that replaces a SQLite file is answered with a reset, an older one goes on', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'restwell-set-back-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const [file, copy] = [join(folder, 'notes.db'), join(folder, 'copy.db')]
  const during = async <Result>(work: (s: Awaited<ReturnType<typeof serve>>) => Promise<Result>) => {
    await using s = await serve(definition, { database: `file:${file}` })
    return await work(s)
  }
  const create = async (s: Awaited<ReturnType<typeof serve>>, titles: readonly string[]) => {
    for (const title of titles) await s.request('POST /notes', {}, { title })
    return (await s.request('GET /events')).json
  }
  const kept = await during((s) => create(s, ['A', 'B']))
  await copyFile(file, copy)
  const lost = await during((s) => create(s, ['C', 'D', 'E']))
  await copyFile(copy, file)
  await during(async (s) => {
    await create(s, ['F', 'G', 'H', 'I'])
    assert.equal((await s.request(`GET /events?last-event-id=${lost[3].id}`)).json[0].type, 'reset')
    const resumed = (await s.request(`GET /events?last-event-id=${kept[0].id}`)).json
    const titles = resumed.map(({ item }: { item: { title: string } }) => item.title)
    assert.deepEqual(titles, ['B', 'F', 'G', 'H', 'I'])
    assert.equal((await s.service.store.logExtent()).entries, 6)
    assert.ok(s.observations.some(({ kind }) => kind === 'database-set-back'))
  })
  await during(async (s) => {
    assert.ok(!s.observations.some(({ kind }) => kind === 'database-set-back'))
  })
})
