/** A definition without logic does not pay for it. The test is alone in its file, because modules stay loaded. */

import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { test } from 'node:test'
import { checkDefinition } from '../../../src/definition/check-definition.ts'
import { anyone, check, resource, service, text } from '../../../src/index.ts'
import { createService } from '../../../src/service/service.ts'
import { schemaOf } from '../../../src/store/schema/model-schema.ts'
import type { Store } from '../../../src/store/store.ts'
import { handleDirectly } from '../../access/direct.ts'
import { openTestStore } from '../../database.ts'
import { serve } from '../../service.ts'

test('the modules of logic are loaded only for a definition that has some', async () => {
  const loaded: string[] = []
  registerHooks({
    load(url, context, next) {
      if (url.includes('/src/features/logic/')) loaded.push(url)
      return next(url, context)
    },
  })
  const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
  const options = { title: 'Notes', resources: { notes: resource({ title: text() }, { access }) } }
  await using without = await serve(service(options))
  const { json: note } = await without.request('POST /notes', {}, { title: 'x' })
  assert.equal((await without.request(`PATCH /notes/${note.id}`, {}, { title: 'y' })).status, 200)
  assert.equal((await without.request(`DELETE /notes/${note.id}`)).status, 204)
  assert.deepEqual(loaded, [])
  await using _ = await serve(
    service(options, { notes: { checks: [check('title', 'Must not be x.', ({ title }) => title !== 'x')] } }),
  )
  assert.ok(loaded.length > 0)
})

test('a write without logic makes no other call of the store than before logic existed', async () => {
  const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
  const options = { title: 'Notes', resources: { notes: resource({ title: text() }, { access }) } }
  const model = checkDefinition(service(options))
  const calls: string[] = []
  const counted = countCalls(await openTestStore(schemaOf(model)), calls)
  const running = await createService({ model, store: counted, observe() {}, rate: 'off', overload: 'off' })
  const callsOf = async (line: string, body?: unknown) => {
    calls.length = 0
    const reply = await handleDirectly(running, { line, fields: {}, ...(body ? { body } : {}) })
    return { reply, made: [...calls] }
  }
  const created = await callsOf('POST /notes', { title: 'x' })
  assert.deepEqual(created.made, ['previewRow', 'write'])
  const { id } = JSON.parse(created.reply.text)
  assert.deepEqual((await callsOf(`PATCH /notes/${id}`, { title: 'y' })).made, [
    'find',
    'previewRow',
    'write',
  ])
  assert.deepEqual((await callsOf(`DELETE /notes/${id}`)).made, ['find', 'write'])
  await running.close()
})

function countCalls(store: Store, calls: string[]): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        calls.push(String(name))
        return member.apply(target, args)
      }
    },
  })
}
