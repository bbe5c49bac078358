import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openService } from 'restwell'
import { client } from 'restwell/client'
import definition from './service.ts'

test('a project and its numbered tasks are seen in its organisation alone', async () => {
  await using service = await openService(definition, { database: 'file::memory:', rate: 'off' })
  const password = 'correct horse battery'
  const join = async (name: string, organisation: string) => {
    const { system } = service
    await system.organisations.create({ slug: organisation, name: organisation })
    const { id: user, email } = await system.users.create({ email: `${name}@example.org`, password })
    await system.memberships.create({ name, organisation, user, role: 'manager' })
    const authorization = `Basic ${btoa(`${email}:${password}`)}`
    return client<typeof definition>('http://localhost', { fetch: service.handle, authorization })
  }
  const mona = await join('mona', 'acme')
  const olga = await join('olga', 'bolt')
  const project = await mona.projects.create({ name: 'Rocket', organisation: 'acme' })
  await mona.tasks.create({ title: 'Build the engine', project: project.id })
  const second = await mona.tasks.create({ title: 'Paint the hull', project: project.id })
  assert.equal(second.number, 2)
  assert.equal((await olga.tasks.list()).length, 0)
  await assert.rejects(olga.projects.get(project.id), { status: 404 })
})
