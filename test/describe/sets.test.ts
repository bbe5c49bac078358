/** Sets of references in descriptions: OpenAPI, JSON Schemas, the client, and `restwell check`. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { client } from 'restwell/client'
import { schemeNames } from '../../src/access/authentication-schemes.ts'
import { explainResource } from '../../src/commands/definition-summary.ts'
import { clientSource } from '../../src/describe/client-source.ts'
import { createCapabilities } from '../../src/describe/create-capabilities.ts'
import { createOpenApi } from '../../src/describe/openapi.ts'
import { anyone, openService, refs, resource, service, text } from '../../src/index.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { documentsFor } from '../documents.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
const definition = service({
  title: 'Tracker',
  resources: {
    labels: resource({ name: text({ max: 20 }) }, { key: 'name', access }),
    tasks: resource(
      { title: text(), labels: refs('labels', { max: 5 }), origin: refs('labels').immutable() },
      { access, conditional: 'required' },
    ),
  },
})
const model = checkDefinition(definition)

test('OpenAPI describes the elements of a set that can change, and the set itself', () => {
  const capabilities = createCapabilities(schemeNames(model), documentsFor(model))
  const text = JSON.stringify(createOpenApi({ model, audience: 'everyone', capabilities }))
  const { paths, components } = JSON.parse(text)
  const element = paths['/tasks/{id}/labels/{element}']
  assert.deepEqual(Object.keys(element), ['parameters', 'put', 'delete'])
  assert.deepEqual(
    element.parameters.map((one: { name: string }) => one.name),
    ['id', 'element'],
  )
  assert.deepEqual(
    [element.put.operationId, element.delete.operationId],
    ['tasksAddLabels', 'tasksRemoveLabels'],
  )
  assert.ok(element.put.responses[204] && element.put.responses[422] && element.put.responses[428])
  assert.equal(paths['/tasks/{id}/origin/{element}'], undefined)
  assert.ok(components.parameters['labels.References'])
  assert.match(text, /"maxItems":5,"uniqueItems":true/)
})

test('check says what a set refers to', () => {
  const summary = explainResource(model, model.resources.get('tasks')!)
  assert.match(summary, /labels: a set of at most 5 references to labels \(on delete: clear\)\n/)
})

test('the generated client names the sets that can change', () => {
  const source = clientSource(model, 'everyone')
  assert.match(source, /readonly sets: 'labels'\n/)
  assert.match(source, /readonly sets: never\n/)
})

test('the client adds and removes members, and reads the item where a precondition is required', async () => {
  const running = await openService(definition, { database: 'file::memory:', rate: 'off' })
  try {
    const api = client<typeof definition>('http://localhost', {
      fetch: async (request) => running.handle(request),
    })
    for (const name of ['bug', 'a b']) await api.labels.create({ name })
    const { id } = await api.tasks.create({ title: 'Land' })
    await api.tasks.addElement(id, 'labels', 'a b')
    await api.tasks.addElement(id, 'labels', 'bug')
    assert.deepEqual((await api.tasks.get(id)).labels, ['a b', 'bug'])
    await api.tasks.removeElement(id, 'labels', 'a b')
    const patched = await api.tasks.patch(id, { title: 'Landed' })
    assert.deepEqual([patched.title, patched.labels], ['Landed', ['bug']])
  } finally {
    await running.close()
  }
})
