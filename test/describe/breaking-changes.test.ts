/** `restwell check --against`: which changes of a definition break clients, and which do not. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonSchema } from '../../src/definition/model.ts'
import { findBreakingChanges } from '../../src/describe/breaking-changes.ts'
import { createSchemaComparer } from '../../src/describe/schema-compatibility.ts'
import {
  action,
  anyone,
  boolean,
  choice,
  integer,
  list,
  ref,
  resource,
  service,
  text,
  timestamp,
} from '../../src/index.ts'
import { breaking } from './breaking-change-table.ts'
import { describeDefinition, describeService, open, type Parts } from './changeable-definition.ts'

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

test('a pattern of names may gain names; each one that it loses is reported', () => {
  const compare = createSchemaComparer({ resolveOld: same, resolveNew: same })
  const reasons = (before: object, after: object) =>
    compare({
      direction: 'request',
      old: { type: 'string', ...before },
      new: { type: 'string', ...after },
    }).map(({ reason }) => reason)
  const terms = (own: string, references: string) => ({
    pattern: `^-?(?:(?:${own})|(?:${references})(?:\\.[a-z]+){1,2})$`,
  })
  const old = terms('title|size', 'author')
  assert.deepEqual(reasons(old, terms('size|title|kind', 'author|team')), [])
  assert.deepEqual(reasons(old, terms('title', 'author')), ["no longer accepts 'size'"])
  assert.deepEqual(reasons(old, terms('title', 'team')), ["no longer accepts 'size', 'author'"])
  assert.deepEqual(reasons(old, { pattern: '^x$' }), ['has another pattern'])
  assert.deepEqual(reasons({ enum: ['title', '-size'] }, old), [])
  assert.deepEqual(reasons({ enum: ['title', 'kind'] }, old), ["no longer accepts 'kind'"])
  assert.deepEqual(reasons(old, { enum: ['title', '-title'] }), ["no longer accepts 'other values'"])
  assert.deepEqual(reasons({}, old), ['has another pattern'])
})

function same(schema: JsonSchema) {
  return schema
}
