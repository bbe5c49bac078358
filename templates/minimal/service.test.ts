import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openService } from 'restwell'
import { client } from 'restwell/client'
import definition from './service.ts'

test('only its owner can read a note', async () => {
  await using service = await openService(definition, { database: 'file::memory:', rate: 'off' })
  const fetch = service.handle
  const anyone = client<typeof definition>('http://localhost', { fetch })
  const ada = { email: 'ada@example.org', name: 'Ada', password: 'correct horse battery' }
  await anyone.users.create(ada)
  const authorization = `Basic ${btoa(`${ada.email}:${ada.password}`)}`
  const api = client<typeof definition>('http://localhost', { fetch, authorization })
  const note = await api.notes.create({ title: 'Buy milk' })
  assert.equal((await api.notes.list()).length, 1)
  await assert.rejects(anyone.notes.get(note.id), { status: 401 })
})
