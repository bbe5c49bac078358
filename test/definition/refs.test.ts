/** `refs()` in a definition: its model, and each option and use that is refused at the start. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findSampleFaults } from '../../src/definition/sample-rows.ts'
import { boolean, exists, its, list, owner, ref, refs, state, text, where } from '../../src/index.ts'
import { faultOf, faultsOf, loose, modelOf } from './sample.ts'

const labels = loose({ name: text() })
const tasks = (field: object, options = {}) => ({
  labels,
  tasks: loose({ title: text(), ...field }, options),
})
const withSet = (options: object = {}) => tasks({ labels: refs('labels', options) })

test('a set of references is a field with the empty set as its default, and a relation', () => {
  const { resources } = modelOf(withSet())
  const [target, resource] = [resources.get('labels')!, resources.get('tasks')!]
  const field = resource.fieldByName.get('labels')!
  assert.deepEqual([field.kind.name, field.required, field.default], ['refs', true, []])
  assert.deepEqual(
    [field.refs!.max, field.refs!.onDelete, field.refs!.resource === target],
    [100, 'clear', true],
  )
  assert.deepEqual(field.schema.maxItems, 100)
  const relation = resource.relations.get('labels')!
  assert.deepEqual([relation.kind, relation.target === target], ['references', true])
  assert.deepEqual(target.referencedBy, [{ resource, field }])
})

test('an unknown target and options out of range are refused, with a suggestion', () => {
  assert.match(
    faultOf(tasks({ labels: refs('label') })),
    /tasks\.labels: Unknown collection 'label'.*'labels'\?/,
  )
  assert.match(faultOf(tasks({ labels: refs('' as string) })), /'target' must be a non-empty text/)
  for (const max of [0, 1001, 1.5, '3']) {
    assert.match(faultOf(withSet({ max })), /'max' must be a whole number from 1 to 1000/)
  }
  for (const max of [1, 1000]) modelOf(withSet({ max }))
  assert.match(faultOf(withSet({ onDelete: 'cascade' })), /'onDelete' must be 'clear' or 'restrict'/)
  assert.match(faultOf(withSet({ unique: true })), /Unknown option 'unique'/)
  assert.match(faultOf(tasks({ labels: refs('tokens') })), /its items expire|Unknown collection/)
})

test('a set is no key, and cannot be searched, indexed or unique', () => {
  const field = { labels: refs('labels') }
  assert.match(faultOf(tasks(field, { key: 'labels' })), /A key cannot be refs\(\)/)
  assert.match(faultOf(tasks(field, { search: ['labels'] })), /'labels' is refs\(\). Only text fields/)
  assert.match(
    faultOf(tasks(field, { index: ['labels'] })),
    /'labels' cannot be indexed, because it is refs\(\)/,
  )
  assert.match(faultOf(tasks(field, { unique: [['title', 'labels']] })), /'labels' is refs\(\)/)
  for (const modifier of ['unique', 'optional', 'default', 'readOnly', 'writeOnly', 'fromPrincipal']) {
    assert.ok(!Object.hasOwn(refs('labels'), modifier), modifier)
  }
})

test('a list of references is refused with the way to write it', () => {
  const listed = list(ref('labels') as never)
  assert.match(faultOf(tasks({ labels: listed })), /cannot be of the kind ref. Use refs\('…'\)/)
})

test('no rule compares a set or follows it', () => {
  const field = { labels: refs('labels'), public: boolean().default(true) }
  const readBy = (rule: object) => faultOf(tasks(field, { access: { read: rule } }))
  assert.match(readBy(where({ labels: 'x' })), /where cannot compare 'labels', which is refs\(\)/)
  assert.match(
    readBy(where({ 'labels.name': 'x' })),
    /'labels' in the path .* a set of references, which no rule/,
  )
  assert.match(readBy(exists('tasks', { labels: its('id') })), /exists cannot compare 'labels'/)
  const owned = faultsOf(tasks(field, { access: { read: owner('labels') } }))
  assert.match(JSON.stringify(owned), /'labels' is a set of references, which no rule can follow/)
})

test('transitions neither require nor set a set', () => {
  const stage = (step: object) =>
    state({ initial: 'a', transitions: { go: { from: 'a', to: 'b', ...step } } } as never)
  const fieldsWith = (step: object) => tasks({ labels: refs('labels'), stage: stage(step) })
  assert.match(faultOf(fieldsWith({ requires: ['labels'] })), /'requires' has no effect on 'labels'/)
  assert.match(faultOf(fieldsWith({ sets: { labels: [] } })), /'sets' cannot set 'labels', which is refs\(\)/)
})

test('in a sample a set is a list of different indexes', () => {
  const model = modelOf(withSet({ max: 2 }))
  const rows = (...value: unknown[]) => ({
    labels: [{ name: 'a' }, { name: 'b' }, { name: 'c' }],
    tasks: value.map((one) => ({ title: 'x', labels: one })),
  })
  assert.deepEqual(findSampleFaults(model, rows([], [0], [2, 1])), [])
  for (const wrong of [0, [3], [-1], [0, 0], [0, 1, 2], ['0']]) {
    assert.match(
      findSampleFaults(model, rows(wrong)).join(),
      /sample\.tasks\[0\]\.labels: Must be a list of at most 2 different indexes of rows in sample\.labels, from 0 to 2/,
    )
  }
})
