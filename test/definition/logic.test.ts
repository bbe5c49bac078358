/** Faults of the logic of a definition, each with its place and a suggestion. */

import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { DefinitionFault } from '../../src/definition/definition-fault.ts'
import { text } from '../../src/definition/kinds/text.ts'
import { action } from '../../src/definition/logic/action.ts'
import { check, schedule } from '../../src/definition/logic/logic.ts'
import { resource } from '../../src/definition/resource.ts'
import { service } from '../../src/definition/service-definition.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'

const options = { title: 'Tracker', resources: { tasks: resource({ title: text() }) } }

function modelWith(logic: unknown) {
  return checkDefinition(service(options, logic as object))
}

function messageOf(logic: unknown): string {
  try {
    modelWith(logic)
  } catch (error) {
    if (error instanceof DefinitionFault) return error.message.split('\n').slice(1).join('\n').trim()
    throw error
  }
  return ''
}

const valid = { field: 'title', message: 'Must be short.', test: () => true }

describe('faults of logic', () => {
  const faults: readonly (readonly [logic: unknown, message: string])[] = [
    [[], 'The logic must be an object, not []. Write: service({ … }, { tasks: { … } }).'],
    [{ task: {} }, "Logic for an unknown resource 'task'. Did you mean 'tasks'?"],
    [{ people: {} }, "Logic for an unknown resource 'people'. Expected: tasks."],
    [{ tasks: 1 }, 'tasks: Logic: Must be an object, not 1.'],
    [{ tasks: { check: [] } }, "tasks: Logic: Unknown option 'check'. Did you mean 'checks'?"],
    [
      { tasks: { onSave: [] } },
      "tasks: Logic: Unknown option 'onSave'. Expected: checks, before, after, actions, queries, schedules.",
    ],
    [{ tasks: { checks: {} } }, "tasks: Logic: 'checks' must be a list, not {}. Write: checks: [check(…)]."],
    [
      { tasks: { before: { created() {} } } },
      "tasks: Logic: before: Unknown option 'created'. Did you mean 'create'?",
    ],
    [
      { tasks: { before: [] } },
      'tasks: Logic: before: Must be an object, not []. Write: before: { create(item, tools) { … } }.',
    ],
    [
      { tasks: { before: { create: 1 } } },
      "tasks: Logic: before: The option 'create' must be a function, not 1.",
    ],
    [
      { tasks: { after: { create() {} } } },
      "tasks: Logic: after: Unknown option 'create'. Did you mean 'created'?",
    ],
    [
      { tasks: { after: () => 1 } },
      'tasks: Logic: after: Must be an object, not a function. Write: after: { created(item, tools) { … } }.',
    ],
    [
      { tasks: { after: { deleted: {} } } },
      "tasks: Logic: after: The option 'deleted' must be a function, not {}.",
    ],
    [
      { tasks: { schedules: [] } },
      "tasks: Logic: schedules: Must be an object, not []. Write: schedules: { nightly: schedule('0 3 * * *', async (tools) => { … }) }.",
    ],
    [
      { tasks: { schedules: { daily: () => 1 } } },
      "tasks: Logic: schedules: daily: Not a schedule: a function. Write: schedules: { nightly: schedule('0 3 * * *', async (tools) => { … }) }.",
    ],
    [
      { tasks: { schedules: { 'every-day': schedule('0 3 * * *', () => undefined) } } },
      'tasks: Logic: schedules: every-day: The name must be at most 20 letters and digits, beginning with a lower-case letter.',
    ],
    [
      { tasks: { schedules: { daily: schedule('0 24 * * *', () => undefined) } } },
      "tasks: Logic: schedules: daily: The hour must be from 0 to 23, such as *, 5, 1-5, */2 or 1,3, not '24'. Write it like '0 3 * * *': every day at 03:00 UTC.",
    ],
    [
      { tasks: { checks: [() => true] } },
      "tasks: Logic: checks[0]: Not a check: a function. Write: check('field', 'What must hold.', (item) => …).",
    ],
    [
      { tasks: { checks: [valid, { ...valid, field: 'titel' }] } },
      `tasks: Logic: checks[1]: Unknown field "titel" in tasks. Did you mean 'title'?`,
    ],
    [
      { tasks: { checks: [{ ...valid, message: '' }] } },
      'tasks: Logic: checks[0]: The message must be a non-empty text, not "".',
    ],
  ]
  for (const [logic, message] of faults) {
    it(message, () => assert.equal(messageOf(logic), message))
  }
})

test('valid logic is part of the model; a resource without logic has none', () => {
  const title = check<{ title: string }>('title', 'Must be short.', (task) => task.title.length < 9)
  assert.deepEqual(modelWith({ tasks: { checks: [title] } }).resources.get('tasks')?.logic, {
    checks: [title],
    before: {},
    after: {},
    schedules: {},
  })
  const none = { checks: [], before: {}, after: {}, schedules: {} }
  assert.deepEqual(modelWith({ tasks: {} }).resources.get('tasks')?.logic, none)
  assert.equal(modelWith(undefined).resources.get('tasks')?.logic, undefined)
})

test('a definition has tables for queued work only where it has accounts or code that runs later', () => {
  const tablesWith = (logic: unknown) => [...modelWith(logic).ownTables.keys()]
  assert.deepEqual(tablesWith({ tasks: { before: { create() {} } } }), [])
  assert.deepEqual(tablesWith({ tasks: { after: {} } }), [])
  assert.deepEqual(tablesWith({ tasks: { after: { created() {} } } }), ['log_cursors', 'log_queue'])
  const schedules = { daily: schedule('0 3 * * *', () => undefined) }
  assert.deepEqual(tablesWith({ tasks: { schedules } }), ['log_cursors', 'log_queue'])
  const job = action({ on: 'collection', background: true, run: () => undefined })
  assert.deepEqual(tablesWith({ tasks: { actions: { job } } }), ['log_cursors', 'log_queue'])
})
