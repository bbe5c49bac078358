/** Faults of the actions of a definition, each with its place and a suggestion. */

import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { DefinitionFault } from '../../src/definition/definition-fault.ts'
import { choice } from '../../src/definition/kinds/choice.ts'
import { integer } from '../../src/definition/kinds/number.ts'
import { password } from '../../src/definition/kinds/password.ts'
import { ref } from '../../src/definition/kinds/ref.ts'
import { state } from '../../src/definition/kinds/state.ts'
import { text } from '../../src/definition/kinds/text.ts'
import { action, query } from '../../src/definition/logic/action.ts'
import { resource } from '../../src/definition/resource.ts'
import { anyone, not, where } from '../../src/definition/rule-functions.ts'
import { service } from '../../src/definition/service-definition.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'

const tasks = resource(
  {
    title: text(),
    code: choice(['a', 'urgent']).unique(),
    status: state({ initial: 'open', transitions: { finish: { from: 'open', to: 'done' } } }),
  },
  { key: 'code', history: {}, access: { read: anyone } },
)
const notes = resource({ task: ref('tasks', { inverse: 'notes' }), text: text() })

function faultsOf(actions: unknown): string {
  return faultsOfLogic({ actions })
}

function faultsOfLogic(logic: object): string {
  try {
    checkDefinition(service({ title: 'Tracker', resources: { tasks, notes } }, { tasks: logic } as object))
  } catch (error) {
    if (error instanceof DefinitionFault) return error.message.split('\n').slice(1).join('\n').trim()
    throw error
  }
  return ''
}

const run = () => undefined
const simple = { by: anyone, run }
const withResult = (result: unknown) => ({ assign: action({ ...simple, result } as never) })
const withInput = (input: object) => ({ assign: action({ ...simple, input } as never) })

describe('faults of actions', () => {
  const at = 'tasks: Logic: '
  const inAssign = `${at}Action 'assign': `
  const faults: readonly (readonly [actions: unknown, message: string | RegExp])[] = [
    [[], `${at}'actions' must be an object, not []. Write: actions: { close: action({ … }) }.`],
    [
      { assign: () => 1 },
      `${inAssign}Not an action: a function. Write: action({ by: signedIn, run(item, input, tools) { … } }).`,
    ],
    [
      { assign: action({ by: anyone } as never) },
      `${inAssign}The option 'run' is missing. Write: run(item, input, tools) { … }.`,
    ],
    [
      { assign: action({ ...simple, background: 'yes' } as never) },
      `${inAssign}The option 'background' must be true or false, not "yes".`,
    ],
    [
      { assign: action({ ...simple, inputs: {} } as never) },
      `${inAssign}Unknown option 'inputs'. Did you mean 'input'?`,
    ],
    [
      { assign: action({ by: 'me', run } as never) },
      /^tasks: Logic: Action 'assign': 'by': Not a rule: "me"\./,
    ],
    [
      { assign: action({ by: where({ titel: 'x' }), run }) },
      /^tasks: Action 'assign': 'by': .*titel.* Did you mean 'title'\?/,
    ],
    [
      { 'Send Mail': action(simple) },
      "tasks: Action 'Send Mail': It is a path segment: letters, digits and single hyphens, beginning with a lower-case letter, at most 63 characters. Write it like 'assign'.",
    ],
    [
      { send_mail: action(simple) },
      "tasks: Action 'send_mail': It is a path segment: letters, digits and single hyphens, beginning with a lower-case letter, at most 63 characters. Did you mean 'send-mail'?",
    ],
    [
      { title: action(simple) },
      "tasks: Action 'title': tasks has a field of this name. Choose another name.",
    ],
    [
      { notes: action(simple) },
      "tasks: Action 'notes': It is already the inverse of a reference to tasks. Choose another name.",
    ],
    [
      { finish: action(simple) },
      "tasks: Action 'finish': tasks has a transition of this name. Choose another name.",
    ],
    [
      { history: action(simple) },
      "tasks: Action 'history': This name is reserved: it is a path of the service. Choose another name.",
    ],
    [
      { list: action(simple) },
      "tasks: Action 'list': This name is reserved: the client has a method of this name. Choose another name.",
    ],
    [
      { delete: action(simple) },
      "tasks: Action 'delete': This name is reserved: it is the name of a form. Choose another name.",
    ],
    [
      { toString: action(simple) },
      "tasks: Action 'toString': This name is reserved: every JavaScript object has this member. Choose another name.",
    ],
    [
      { urgent: action({ ...simple, on: 'collection' }) },
      "tasks: Action 'urgent': 'urgent' is also a choice of the key 'code'. Choose another name.",
    ],
    [
      { sweep: action({ on: 'collection', by: not(where({ title: 'x' })), run }) },
      "tasks: Action 'sweep': 'by': The rule where depends on an item, and an action on a collection has none. Use anyone, signedIn or role('…'), and refuse in 'run'.",
    ],
    [
      withInput({ secret: password() }),
      `${inAssign}The input 'secret': An input cannot be password(). Code cannot set passwords.`,
    ],
    [
      withInput({ to: state({ initial: 'a', transitions: { b: { from: 'a', to: 'b' } } }) }),
      `${inAssign}The input 'to': An input cannot be state(). Use choice(['…']).`,
    ],
    [withInput({ to: 'text' }), /The input 'to': Not a field: "text"/],
    [
      withInput({ to: text().unique() }),
      `${inAssign}The input 'to': .unique() has no meaning for an input. Remove it.`,
    ],
    [
      withInput({ to: text().visibleTo(anyone) }),
      `${inAssign}The input 'to': .visibleTo() has no meaning for an input. Remove it.`,
    ],
    [
      withInput({ to: ref('tasks', { inverse: 'x' }) }),
      `${inAssign}The input 'to': The option 'inverse' has no meaning for an input. Remove it.`,
    ],
    [
      withInput({ to: ref('task') }),
      `${inAssign}The input 'to': Unknown collection 'task'. Did you mean 'tasks'?`,
    ],
    [
      withInput({ 'to-do': text() }),
      `${inAssign}The input 'to-do': The name of a field must be letters and digits, beginning with a lower-case letter, at most 63. Write it like firstName.`,
    ],
    [withResult('text'), `${inAssign}The option 'result' must be an object, not "text".`],
    [withResult({}), `${inAssign}'result' must have a member. Write: result: { total: integer() }.`],
    [withResult({ total: 'text' }), /The result 'total': Not a field: "text"/],
    [
      withResult({ total: integer().default(1) }),
      `${inAssign}The result 'total': .default() has no meaning for a result. Remove it.`,
    ],
    [
      withResult({ secret: password() }),
      `${inAssign}The result 'secret': A result cannot be password(). Use text().`,
    ],
    [
      withResult({ task: ref('task') }),
      `${inAssign}The result 'task': Unknown collection 'task'. Did you mean 'tasks'?`,
    ],
    [
      withResult({ links: integer() }),
      `${inAssign}The result 'links': HAL shows links under this name. Choose another name.`,
    ],
    [
      { assign: action({ ...simple, results: { total: integer() } } as never) },
      `${inAssign}Unknown option 'results'. Did you mean 'result'?`,
    ],
    [
      withInput({ to: integer({ max: 3 }).default(4) }),
      /^tasks: Action 'assign': The input 'to': The default 4 is not valid: /,
    ],
  ]
  for (const [actions, message] of faults) {
    it(String(message), () => {
      const found = faultsOf(actions)
      if (typeof message === 'string') assert.equal(found, message)
      else assert.match(found, message)
    })
  }
})

describe('faults of queries', () => {
  const at = 'tasks: Logic: '
  const result = { total: integer() }
  const ask = (options: object) => query({ by: anyone, run, result, ...options } as never)
  const faults: readonly (readonly [logic: object, message: string])[] = [
    [
      { queries: [] },
      `${at}'queries' must be an object, not []. Write: queries: { progress: query({ … }) }.`,
    ],
    [{ queries: { late: action(simple) } }, `${at}Query 'late': It is an action. Declare it in 'actions'.`],
    [
      { queries: { late: query({ by: anyone, run } as never) } },
      `${at}Query 'late': The option 'result' is missing. Write: result: { total: integer() }.`,
    ],
    [
      { queries: { late: ask({ background: true }) } },
      `${at}Query 'late': Unknown option 'background'. Expected: on, input, result, by, cache, run.`,
    ],
    [
      { queries: { late: ask({ cache: { maxAge: -1 } }) } },
      `${at}Query 'late': Cache: The option 'maxAge' must be a whole number from 0 to 2147483647, not -1.`,
    ],
    [
      { queries: { late: ask({ cache: { maxAge: 1, compositeMaxAge: 1 } }) } },
      `${at}Query 'late': Cache: 'compositeMaxAge' is for resources. Use 'maxAge'.`,
    ],
    [
      { queries: { late: ask({ input: { format: text() } }) } },
      `${at}Query 'late': The input 'format': Every query has a parameter of this name. Choose another name.`,
    ],
    [
      { queries: { late: ask({}) }, actions: { late: action(simple) } },
      `${at}The query 'late' has the name of an action. Choose another name.`,
    ],
    [
      { queries: { title: ask({}) } },
      "tasks: Query 'title': tasks has a field of this name. Choose another name.",
    ],
    [
      { queries: { late: ask({ on: 'collection', by: not(where({ title: 'x' })) }) } },
      "tasks: Query 'late': 'by': The rule where depends on an item, and a query on a collection has none. Use anyone, signedIn or role('…'), and refuse in 'run'.",
    ],
  ]
  for (const [logic, message] of faults) it(message, () => assert.equal(faultsOfLogic(logic), message))
})

test('an action without `by` is for nobody; the key of no item is the name of an action on the collection', () => {
  const keyed = resource({ slug: text({ max: 20 }).unique() }, { key: 'slug' })
  const definition = service(
    { title: 'Tracker', resources: { pages: keyed } },
    {
      pages: {
        actions: {
          import: action({ on: 'collection', input: { limit: integer() }, run }),
          archive: action({ by: anyone, run }),
        },
      },
    },
  )
  const pages = checkDefinition(definition).resources.get('pages')
  assert.equal(pages?.actions.get('import')?.by.kind, 'nobody')
  assert.equal(pages?.actions.get('archive')?.on, 'item')
  assert.deepEqual(pages?.validate({ slug: 'archive' }), [])
  assert.deepEqual(pages?.validate({ slug: 'import' }), [
    { pointer: '/slug', rule: 'reserved', detail: 'This is the name of an action. Choose another value.' },
  ])
})

test('the collection jobs exists, and its name is reserved, only where an action runs in the background', () => {
  const jobs = resource({ title: text() })
  const check = (background: boolean) =>
    checkDefinition(
      service({ title: 'Tracker', resources: { jobs } }, {
        jobs: { actions: { assign: action({ ...simple, background } as never) } },
      } as object),
    )
  assert.equal(check(false).resources.get('jobs')?.declared, true)
  assert.throws(
    () => check(true),
    /^.*\n.*jobs: The path \/jobs is reserved: an action of the definition runs/,
  )
})
