/** A definition without logic does not pay for it. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { anyone, resource, service, text } from '../../../src/index.ts'
import { checkDefinition } from '../../../src/service/check-definition.ts'
import { createService } from '../../../src/service/service.ts'
import { schemaOf } from '../../../src/store/schema/model-schema.ts'
import type { Store } from '../../../src/store/store.ts'
import { handleDirectly } from '../../access/direct.ts'
import { openTestStore } from '../../database.ts'

test('the modules of logic are loaded only for a definition that has some', async () => {
  // In a thread of its own, because modules stay loaded.
  const worker = new Worker(join(import.meta.dirname, 'fixtures/loaded-logic.ts'))
  const [{ statuses, withoutLogic, withLogic }] = await once(worker, 'message')
  assert.deepEqual(statuses, [200, 204])
  assert.deepEqual(withoutLogic, [])
  assert.ok(withLogic.length > 0)
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
