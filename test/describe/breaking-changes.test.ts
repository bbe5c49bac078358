/** `restwell check --against`: which changes of a definition break clients, and which do not. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { schemeNames } from '../../src/access/authentication-schemes.ts'
import { checkDefinition } from '../../src/definition/check-definition.ts'
import { findBreakingChanges } from '../../src/describe/breaking-changes.ts'
import { createOpenApi } from '../../src/describe/openapi.ts'
import { createCapabilities } from '../../src/documents/create-capabilities.ts'
import { documents } from '../../src/documents/document-table.ts'
import {
  action,
  anyone,
  boolean,
  choice,
  date,
  decimal,
  email,
  integer,
  list,
  password,
  ref,
  resource,
  role,
  service,
  signedIn,
  text,
  timestamp,
} from '../../src/index.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }

// biome-ignore lint/suspicious/noExplicitAny: the table changes every part of the definition
type Options = any

/** The parts of the definition that the table changes. */
interface Parts {
  fields: Options
  options: Options
  resources: Options
  service: Options
  actions: Options
}

const parts = (): Parts => ({
  fields: {
    title: text({ min: 2, max: 20 }),
    note: text({ max: 100 }).optional(),
    size: integer({ min: 0, max: 10 }).optional(),
    price: decimal({ scale: 2 }).optional(),
    kind: choice(['bug', 'idea']).default('bug'),
    tags: list(text({ max: 10 }), { max: 5 }).default([]),
    due: date().optional(),
    code: text({ pattern: '^[A-Z]+$' }).optional(),
    project: ref('projects', { inverse: 'tasks' }).optional(),
  },
  options: { access: open, bulk: true, put: 'create' },
  resources: { projects: resource({ name: text() }, { access: open }) },
  service: { title: 'Tracker' },
  actions: { close: action({ input: { reason: text().optional() }, by: anyone, run: () => undefined }) },
})

function describeDefinition(change: (parts: Parts) => void = () => undefined) {
  const changed = parts()
  change(changed)
  const { fields, options, resources, actions } = changed
  const users = resource(
    {
      email: email().unique(),
      password: password(),
      role: choice(['admin', 'member']).default('member').writableBy(role('admin')),
    },
    { access: { read: anyone, create: anyone } },
  )
  const definition = service(
    {
      accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
      ...changed.service,
      resources: { users, ...resources, tasks: resource(fields, options) },
    },
    { tasks: { actions } },
  )
  return describeService(definition)
}

function describeService(definition: Parameters<typeof checkDefinition>[0]) {
  const model = checkDefinition(definition)
  const capabilities = createCapabilities(schemeNames(model), documents)
  return createOpenApi({ model, audience: 'everyone', capabilities })
}

const breaking: Readonly<Record<string, readonly [change: (parts: Parts) => void, reported: RegExp]>> = {
  'a collection is removed': [
    (it) => {
      delete it.fields.project
      it.resources = {}
    },
    /^\/projects no longer exists\.$/,
  ],
  'a method is dropped': [
    (it) => {
      it.options.methods = ['GET', 'POST', 'PUT', 'PATCH', 'QUERY']
    },
    /^DELETE \/tasks\/\{id\} no longer exists\.$/,
  ],
  'a field is removed': [
    ({ fields }) => {
      delete fields.note
    },
    /\/note is no longer sent\.$/,
  ],
  'a field is renamed': [
    ({ fields }) => {
      fields.deadline = fields.due
      delete fields.due
    },
    /\/due is no longer accepted\.$/,
  ],
  'a filter is removed with its field': [
    ({ fields }) => {
      delete fields.size
    },
    /the parameter 'size' is no longer accepted\.$/,
  ],
  'a field has another type': [
    ({ fields }) => {
      fields.size = text().optional()
    },
    /\/size has the type string instead of integer\.$/,
  ],
  'an optional field is required': [
    ({ fields }) => {
      fields.note = text({ max: 100 })
    },
    /^POST \/tasks: content \/note is required now\.$/,
  ],
  'a required field is added': [
    ({ fields }) => {
      fields.owner = text()
    },
    /^POST \/tasks: content \/owner is required now\.$/,
  ],
  'a required field is optional, so that responses may lack it': [
    ({ fields }) => {
      fields.title = text({ min: 2, max: 20 }).optional()
    },
    /\/title may be absent now\.$/,
  ],
  'a default is removed': [
    ({ fields }) => {
      fields.kind = choice(['bug', 'idea'])
    },
    /\/kind is required now\.$/,
  ],
  'a text may be less long': [
    ({ fields }) => {
      fields.title = text({ min: 2, max: 10 })
    },
    /\/title has maxLength 10 instead of 20\.$/,
  ],
  'a text must be longer': [
    ({ fields }) => {
      fields.title = text({ min: 3, max: 20 })
    },
    /\/title has minLength 3 instead of 2\.$/,
  ],
  'a number may be less great': [
    ({ fields }) => {
      fields.size = integer({ min: 0, max: 5 }).optional()
    },
    /\/size has maximum 5 instead of 10\.$/,
  ],
  'a number must be greater': [
    ({ fields }) => {
      fields.size = integer({ min: 1, max: 10 }).optional()
    },
    /\/size has minimum 1 instead of 0\.$/,
  ],
  'a pattern is added': [
    ({ fields }) => {
      fields.note = text({ max: 100, pattern: '^a' }).optional()
    },
    /\/note has another pattern\.$/,
  ],
  'a pattern is changed': [
    ({ fields }) => {
      fields.code = text({ pattern: '^[A-F]+$' }).optional()
    },
    /\/code has another pattern\.$/,
  ],
  'a choice loses a value': [
    ({ fields }) => {
      fields.kind = choice(['bug']).default('bug')
    },
    /\/kind no longer accepts 'idea'\.$/,
  ],
  'a list may have fewer items': [
    ({ fields }) => {
      fields.tags = list(text({ max: 10 }), { max: 3 }).default([])
    },
    /\/tags has maxItems 3 instead of 5\.$/,
  ],
  'a list must have no repeated items': [
    ({ fields }) => {
      fields.tags = list(text({ max: 10 }), { max: 5, unique: true }).default([])
    },
    /\/tags must have no repeated items now\.$/,
  ],
  'a decimal has another scale': [
    ({ fields }) => {
      fields.price = decimal({ scale: 3 }).optional()
    },
    /\/price has another pattern\.$/,
  ],
  'a field can no longer be set': [
    ({ fields }) => {
      fields.note = text({ max: 100 }).optional().readOnly()
    },
    /^POST \/tasks: content \/note is no longer accepted\.$/,
  ],
  'a field is set only once': [
    ({ fields }) => {
      fields.note = text({ max: 100 }).optional().immutable()
    },
    /\/note must be unchanged now\.$/,
  ],
  'a field is no longer sent': [
    ({ fields }) => {
      fields.note = text({ max: 100 }).optional().writeOnly()
    },
    /\/note is no longer sent\.$/,
  ],
  'credentials are needed': [
    (it) => {
      it.options.access = { ...open, create: signedIn }
    },
    /^POST \/tasks: needs credentials now\.$/,
  ],
  'a condition is needed': [
    (it) => {
      it.options.conditional = 'required'
    },
    /^PATCH \/tasks\/\{id\}: needs If-Match now\.$/,
  ],
  'many items can no longer be sent at once': [
    (it) => {
      delete it.options.bulk
    },
    /^POST \/tasks: content: text\/csv is no longer accepted\.$/,
  ],
  'a PUT no longer creates': [
    (it) => {
      delete it.options.put
    },
    /^PUT \/tasks\/\{id\}: response 201 no longer exists\.$/,
  ],
  'an inverse is removed': [
    ({ fields }) => {
      fields.project = ref('projects').optional()
    },
    /^\/projects\/\{id\}\/tasks no longer exists\.$/,
  ],
  'an action is removed': [
    (it) => {
      it.actions = {}
    },
    /^\/tasks\/\{id\}\/close no longer exists\.$/,
  ],
  'an input of an action is required': [
    (it) => {
      it.actions = { close: action({ input: { reason: text() }, by: anyone, run: () => undefined }) }
    },
    /\/reason is required now\.$/,
  ],
  'the base path is another one': [
    (it) => {
      it.service.base = '/api'
    },
    /^The base path is /,
  ],
}

const compatible: Readonly<Record<string, (parts: Parts) => void>> = {
  nothing: () => undefined,
  'a collection is added': ({ resources }) => {
    resources.labels = resource({ name: text() }, { access: open })
  },
  'an optional field is added': ({ fields }) => {
    fields.priority = integer().optional()
  },
  'a field with a default is added': ({ fields }) => {
    fields.done = boolean().default(false)
  },
  'a reference is added': ({ fields }) => {
    fields.parent = ref('projects').optional()
  },
  'a text may be longer': ({ fields }) => {
    fields.title = text({ min: 2, max: 40 })
  },
  'a text may be shorter': ({ fields }) => {
    fields.title = text({ min: 1, max: 20 })
  },
  'a number may be greater': ({ fields }) => {
    fields.size = integer({ min: 0, max: 20 }).optional()
  },
  'a number may be less': ({ fields }) => {
    fields.size = integer({ min: -5, max: 10 }).optional()
  },
  'a pattern is removed': ({ fields }) => {
    fields.code = text().optional()
  },
  'a choice has a further value': ({ fields }) => {
    fields.kind = choice(['bug', 'idea', 'question']).default('bug')
  },
  'a choice has another order': ({ fields }) => {
    fields.kind = choice(['idea', 'bug']).default('bug')
  },
  'a list may have more items': ({ fields }) => {
    fields.tags = list(text({ max: 10 }), { max: 9 }).default([])
  },
  'an optional field has a default': ({ fields }) => {
    fields.size = integer({ min: 0, max: 10 }).default(1)
  },
  'fields have another order': (it) => {
    it.fields = Object.fromEntries(Object.entries(it.fields).reverse())
  },
  'a title is changed': (it) => {
    it.service.title = 'Other'
  },
  'a field is unique': ({ fields }) => {
    fields.title = text({ min: 2, max: 20 }).unique()
  },
  'words can be searched': (it) => {
    it.options.search = ['title']
  },
  'an action is added': ({ actions }) => {
    actions.reopen = action({ by: anyone, run: () => undefined })
  },
  'an optional input of an action is added': (it) => {
    const input = { reason: text().optional(), by: text().optional() }
    it.actions = { close: action({ input, by: anyone, run: () => undefined }) }
  },
  'responses may be stored': (it) => {
    it.options.cache = { maxAge: 60 }
  },
  'deleted items are 410': (it) => {
    it.options.tombstones = true
  },
  'a history is kept': (it) => {
    it.options.history = {}
  },
  'many items can be sent to another collection': ({ resources }) => {
    resources.projects = resource({ name: text() }, { access: open, bulk: true })
  },
  'an optional time is added': (it) => {
    it.fields.at = timestamp().optional()
  },
}

describe('a change that breaks clients is reported', () => {
  const old = describeDefinition()
  for (const [name, [change, reported]] of Object.entries(breaking)) {
    test(name, () => {
      const found = findBreakingChanges(old, describeDefinition(change))
      assert.ok(
        found.some((line) => reported.test(line)),
        `${reported} is not in:\n${found.join('\n')}`,
      )
    })
  }
  test('of at least 20 kinds', () => assert.ok(Object.keys(breaking).length >= 20))
})

test('collections that refer to each other in many circles are compared in one pass', () => {
  const names = Array.from({ length: 10 }, (_, at) => `set${at}`)
  const describeCircles = (removed?: string) => {
    const resources = Object.fromEntries(
      names.map((name) => {
        const references = names
          .filter((other) => other !== name)
          .map((other) => [other, ref(other, { inverse: `${name}s` }).optional()])
        const title = name === removed ? {} : { title: text({ max: 10 }) }
        return [name, resource({ ...title, ...Object.fromEntries(references) }, { access: open })]
      }),
    )
    return describeService(service({ title: 'Circles', resources }))
  }
  const old = describeCircles()
  assert.deepEqual(findBreakingChanges(old, describeCircles()), [])
  assert.ok(findBreakingChanges(old, describeCircles('set3')).some((line) => line.includes('/set3')))
})

describe('a compatible change is not reported', () => {
  const old = describeDefinition()
  for (const [name, change] of Object.entries(compatible)) {
    test(name, () => assert.deepEqual(findBreakingChanges(old, describeDefinition(change)), []))
  }
  test('of at least 20 kinds', () => assert.ok(Object.keys(compatible).length >= 20))
})
