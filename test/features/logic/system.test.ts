/** `openService().system`: the collections with all rights, for scripts and tests. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nobody, openService, password, ref, resource, service, text } from '../../../src/index.ts'
import { freshDatabase } from '../../database.ts'
import numbered from './fixtures/numbered-tasks.ts'

describe('system of an opened service', () => {
  it('writes with checks and hooks, and reads with all rights', async () => {
    await using opened = await openService(numbered, { database: await freshDatabase() })
    const { projects, tasks } = opened.system
    const project = await projects.create({ name: 'p' })
    const made = await Promise.all(
      ['a', 'b', 'c'].map((title) => tasks.create({ title, project: project.id })),
    )
    const [first = project] = made.toSorted((one, other) => one.number - other.number)
    assert.deepEqual(made.map(({ number }) => number).toSorted(), [1, 2, 3])
    assert.equal((await tasks.patch(first.id, { title: 'z' })).title, 'z')
    assert.equal(await tasks.count({ number: { gt: 1 } }), 2)
    await tasks.remove(first.id)
    const listed = await tasks.list({ sort: 'number' })
    assert.deepEqual(
      listed.map(({ number }) => number),
      [2, 3],
    )
    await assert.rejects(tasks.get(first.id), { type: 'not-found', status: 404 })
    await assert.rejects(projects.remove(project.id), { type: 'referenced', status: 409 })
    await assert.rejects(projects.create({ name: 7 as never }), { type: 'invalid-content', status: 422 })
  })

  it('works without logic, sets passwords, and refuses duplicates', async () => {
    const users = resource({ login: text().unique(), secret: password({ min: 12 }) }, { key: 'login' })
    const notes = resource({ by: ref('users') }, { access: { read: nobody } })
    const definition = service({ title: 'Notes', resources: { users, notes } })
    await using opened = await openService(definition, { database: await freshDatabase() })
    const { users: people, notes: list } = opened.system
    const ada = await people.create({ login: 'ada', secret: 'correct horse battery' })
    assert.equal('secret' in ada, false)
    assert.equal((await list.create({ by: ada.id })).by, 'ada')
    await assert.rejects(people.create({ login: 'ada', secret: 'correct horse battery' }), {
      type: 'duplicate',
    })
  })
})
