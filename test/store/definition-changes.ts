/** Definitions, and every kind of change to them that a plan calls safe. */

import type { AnyDefinition } from '../../src/definition/service-definition.ts'
import { anyone, choice, decimal, integer, ref, refs, resource, service, text } from '../../src/index.ts'

export const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
export const things = (fields: Parameters<typeof resource>[0], options = {}) =>
  resource(fields, { access, ...options })
export const definition = (resources: Readonly<Record<string, ReturnType<typeof resource>>>) =>
  service({ title: 'T', resources }) as AnyDefinition

export const title = text({ max: 20 })
export const plain = definition({ things: things({ title }) })

export interface Change {
  readonly from: AnyDefinition
  readonly to: AnyDefinition
  /** What a node with either definition creates, in `things`. */
  readonly old: object
  readonly new: object
  /** Rows of the new definition do not fit the old one: it must have been served before. */
  readonly narrowing?: true
}

/** Every kind of change that a plan calls safe, or that needs no step at all. */
export const changes: Readonly<Record<string, Change>> = {
  'a new resource': {
    from: plain,
    to: definition({ things: things({ title }), others: things({ title }) }),
    old: { title: 'a' },
    new: { title: 'b' },
  },
  'a new resource that refers to an old one': {
    from: plain,
    to: definition({ things: things({ title }), others: things({ thing: ref('things') }) }),
    old: { title: 'a' },
    new: { title: 'b' },
  },
  'a new optional field': {
    from: plain,
    to: definition({ things: things({ title, pages: integer().optional() }) }),
    old: { title: 'a' },
    new: { title: 'b', pages: 5 },
  },
  'a new required field with a default': {
    from: plain,
    to: definition({
      things: things({
        title,
        price: decimal({ scale: 2 }).default('1.50'),
        kind: text().default('k'),
      }),
    }),
    old: { title: 'a' },
    new: { title: 'b', price: '2.00', kind: 'x' },
  },
  'a new reference': {
    from: plain,
    to: definition({ things: things({ title, next: ref('things').optional() }) }),
    old: { title: 'a' },
    new: { title: 'b' },
  },
  'a new set of references': {
    from: plain,
    to: definition({ things: things({ title, others: refs('things') }) }),
    old: { title: 'a' },
    new: { title: 'b' },
  },
  'a history': {
    from: plain,
    to: definition({ things: things({ title }, { history: {} }) }),
    old: { title: 'a' },
    new: { title: 'b' },
  },
  'a field becomes unique': {
    from: definition({ things: things({ title, code: text().optional() }) }),
    to: definition({ things: things({ title, code: text().optional().unique() }) }),
    old: { title: 'a' },
    new: { title: 'b' },
  },
  'fields become unique together': {
    from: definition({ things: things({ title, code: text().optional() }) }),
    to: definition({
      things: things({ title, code: text().optional() }, { unique: [['title', 'code']] }),
    }),
    old: { title: 'a' },
    new: { title: 'a' },
  },
  'fields are no longer unique together': {
    from: definition({
      things: things({ title, code: text().optional() }, { unique: [['title', 'code']] }),
    }),
    to: definition({ things: things({ title, code: text().optional() }) }),
    old: { title: 'a' },
    new: { title: 'a' },
  },
  'an index': {
    from: plain,
    to: definition({ things: things({ title }, { index: [['title']] }) }),
    old: { title: 'a' },
    new: { title: 'b' },
  },
  'a wider limit': {
    from: plain,
    to: definition({ things: things({ title: text({ max: 40 }) }) }),
    old: { title: 'a' },
    new: { title: 'b'.repeat(30) },
    narrowing: true,
  },
  'another choice': {
    from: definition({ things: things({ kind: choice(['a', 'b']) }) }),
    to: definition({ things: things({ kind: choice(['b', 'c']) }) }),
    old: { kind: 'b' },
    new: { kind: 'c' },
    narrowing: true,
  },
  'a narrower limit that every row keeps': {
    from: plain,
    to: definition({ things: things({ title: text({ max: 5 }) }) }),
    old: { title: 'a' },
    new: { title: 'b' },
  },
  'an optional field that is gone': {
    from: definition({ things: things({ title, note: text().optional() }) }),
    to: plain,
    old: { title: 'a', note: 'n' },
    new: { title: 'b' },
  },
  'a required field with a default that is gone': {
    from: definition({ things: things({ title, note: text().default('d') }) }),
    to: plain,
    old: { title: 'a', note: 'n' },
    new: { title: 'b' },
  },
  'a resource that is gone': {
    from: definition({ things: things({ title }), others: things({ title }) }),
    to: plain,
    old: { title: 'a' },
    new: { title: 'b' },
  },
}
