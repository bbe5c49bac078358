import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ref } from '../../src/definition/kinds/ref.ts'
import { state } from '../../src/definition/kinds/state.ts'
import { text } from '../../src/definition/kinds/text.ts'
import { faultOf, faultsOf, loose, modelOf } from './sample.ts'

const review = state({ initial: 'open', transitions: { archive: { from: 'open', to: 'closed' } } })

/** Projects, and tasks whose reference has this inverse. */
function resourcesWith(inverse: unknown) {
  return {
    projects: loose({ name: text(), review }),
    tasks: loose({ project: ref('projects', { inverse } as { inverse: string }) }),
  }
}

test('an inverse is a relation of the target, beside the references of each resource', () => {
  const { resources } = modelOf(resourcesWith('tasks'))
  const [projects, tasks] = [resources.get('projects')!, resources.get('tasks')!]
  const field = tasks.fieldByName.get('project')!
  assert.deepEqual([...tasks.relations.keys()], ['project'])
  assert.deepEqual([...projects.relations.keys()], ['tasks'])
  const [there, back] = [tasks.relations.get('project')!, projects.relations.get('tasks')!]
  assert.deepEqual([there.kind, there.target === projects, there.field === field], ['reference', true, true])
  assert.deepEqual([back.kind, back.target === tasks, back.field === field], ['inverse', true, true])
  assert.ok(Object.isFrozen(there) && Object.isFrozen(back))
})

test('a resource can refer to itself, and two resources to one target by different inverses', () => {
  const { resources } = modelOf({
    tasks: loose({
      parent: ref('tasks', { inverse: 'subtasks' }).optional(),
      next: ref('tasks', { inverse: 'time-entries' }).optional(),
      previous: ref('tasks', { inverse: 'timeEntries' }).optional(),
    }),
  })
  assert.deepEqual(
    [...resources.get('tasks')!.relations.keys()],
    ['parent', 'subtasks', 'next', 'time-entries', 'previous', 'timeEntries'],
  )
})

test('a reference without an inverse adds no relation to its target', () => {
  assert.equal(modelOf(resourcesWith(undefined)).resources.get('projects')!.relations.size, 0)
})

test('an inverse that already means something else is refused, with its place and a suggestion', () => {
  for (const [inverse, reason] of [
    ['name', 'projects has a field of this name.'],
    ['archive', 'projects has a transition of this name.'],
    ['id', 'This name is reserved: every item has this field.'],
    ['sort', 'This name is reserved: it is a query parameter.'],
    ['constructor', 'This name is reserved: every JavaScript object has this member.'],
    ['history', 'This name is reserved: it is a path of the service.'],
    ['credentials', 'This name is reserved: it is a path of the service.'],
    ['create', 'This name is reserved: the client has a method of this name.'],
  ]) {
    assert.equal(
      faultOf(resourcesWith(inverse)),
      `tasks.project: The inverse '${inverse}': ${reason} Choose another name.`,
    )
  }
})

test('two references cannot have the same inverse of one target, and a field with a fault keeps its name', () => {
  const project = ref('projects', { inverse: 'tasks' })
  assert.equal(
    faultOf({
      projects: loose({ name: text() }),
      tasks: loose({ project }),
      notes: loose({ subject: project }),
    }),
    "notes.subject: The inverse 'tasks': It is already the inverse of tasks.project. Choose another name.",
  )
  const faults = faultsOf({
    projects: loose({ tasks: text({ mix: 3 } as object) }),
    tasks: loose({ project }),
  })
  assert.deepEqual(
    faults.map(({ resource, field }) => `${resource}.${field}`),
    ['projects.tasks', 'tasks.project'],
  )
})

test('the inverse of a reference to the resource itself is not the name of the reference', () => {
  const parent = ref('tasks', { inverse: 'parent' }).optional()
  assert.match(faultOf({ tasks: loose({ parent }) }), /^tasks\.parent: .*tasks has a field of this name/)
})

test('an inverse is a path segment', () => {
  assert.match(
    faultOf(resourcesWith(5)),
    /^tasks\.project: The option 'inverse' must be a non-empty text, not 5/,
  )
  assert.match(faultOf(resourcesWith('')), /must be a non-empty text/)
  assert.match(faultOf(resourcesWith('Tasks')), /It is a path segment: .* Did you mean 'tasks'\?/)
  assert.match(faultOf(resourcesWith('open tasks')), /Did you mean 'open-tasks'\?/)
  assert.match(faultOf(resourcesWith('a/b')), /Write it like 'tasks'\./)
  assert.match(faultOf(resourcesWith('a'.repeat(64))), /at most 63 characters/)
  assert.ok(modelOf(resourcesWith('a'.repeat(63))))
})
