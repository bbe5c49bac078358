/** Changes of a definition that break clients, with what is reported of each. */

import { action, anyone, choice, decimal, integer, list, ref, signedIn, text } from '../../src/index.ts'
import { open, type Parts } from './changeable-definition.ts'

export const breaking: Readonly<Record<string, readonly [change: (parts: Parts) => void, reported: RegExp]>> =
  {
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
