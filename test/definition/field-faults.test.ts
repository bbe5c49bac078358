/** Faults in the declaration of fields: limits, patterns, choices, states, lists, modifiers and defaults. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boolean } from '../../src/definition/kinds/boolean.ts'
import { choice } from '../../src/definition/kinds/choice.ts'
import { decimal } from '../../src/definition/kinds/decimal.ts'
import { json } from '../../src/definition/kinds/json.ts'
import { list } from '../../src/definition/kinds/list.ts'
import { integer, number } from '../../src/definition/kinds/number.ts'
import { password } from '../../src/definition/kinds/password.ts'
import { ref } from '../../src/definition/kinds/ref.ts'
import { state } from '../../src/definition/kinds/state.ts'
import { text } from '../../src/definition/kinds/text.ts'
import { url } from '../../src/definition/kinds/url.ts'
import { faultOf, faultOfField, faultsOf, loose, modelOf, things } from './sample.ts'

test('limits are valid numbers with min up to max', () => {
  const refused = [
    text({ min: 3, max: 2 }),
    text({ min: -1 }),
    text({ max: 0 }),
    text({ max: 1.5 }),
    text({ min: 10_001 }),
    text({ max: '3' } as object),
    text({ max: 501 }).unique(),
    integer({ min: 2, max: 1 }),
    integer({ min: 0.5 }),
    integer({ max: 2 ** 53 }),
    number({ min: Number.NaN }),
    number({ min: 1, max: 0 }),
    list(text(), { min: 2, max: 1 }),
    list(text(), { max: 10_001 }),
    url({ max: 2049 }),
    password({ min: 0 }),
    password({ min: 129 }),
  ]
  for (const field of refused) assert.match(faultOfField(field), /^things\.thing: /)
  assert.ok(things({ a: text({ min: 2, max: 2 }), b: text({ max: 500 }).unique() }))
  assert.ok(things({ a: integer({ min: -(2 ** 53) + 1, max: 2 ** 53 - 1 }) }))
})

test('decimals have at most 18 digits, and limits within them', () => {
  for (const options of [
    { scale: 0 },
    { scale: 18 },
    { scale: 2, digits: 2 },
    { scale: 2, min: '-1.50', max: '3' },
  ]) {
    assert.ok(things({ price: decimal(options) }))
  }
  for (const options of [
    { scale: 19 },
    { scale: -1 },
    {},
    { scale: 3, digits: 2 },
    { scale: 2, digits: 19 },
    { scale: 2, min: '2', max: '1.99' },
    { scale: 2, min: '0.001' },
    { scale: 2, min: 0 },
    { scale: 2, min: '1e3' },
  ]) {
    assert.match(faultOfField(decimal(options as never)), /^things\.thing: /)
  }
})

test('a pattern is a regular expression without exponential time', () => {
  assert.match(faultOfField(text({ pattern: '[' })), /not a regular expression/)
  assert.match(faultOfField(text({ pattern: '\\-' })), /not a regular expression/)
  assert.match(faultOfField(text({ pattern: '^(a+)+$' })), /exponential time/)
  assert.match(faultOfField(json({ type: 'string', pattern: '^(a+)+$' })), /exponential time/)
})

test('a long text with a pattern of polynomial time is refused; a short one, or a linear pattern, is not', () => {
  const slow = '^a*b?a*b?a*$'
  for (const field of [text({ pattern: slow, max: 20_000 }), text({ pattern: slow })]) {
    assert.match(faultOfField(field), /pattern/)
  }
  assert.match(faultOfField(json({ type: 'string', pattern: slow, maxLength: 20_000 })), /pattern/)
  assert.ok(things({ a: text({ pattern: slow, max: 100 }), b: text({ pattern: '^[a-z]*$', max: 20_000 }) }))
})

const circular: Record<string, unknown> = {}
circular.not = circular

test('the schema of a json field is a valid JSON Schema', () => {
  for (const schema of [
    { type: 'strin' },
    { maxLenght: 3 },
    { $ref: 'https://example.org/other' },
    { $async: true },
    { default: () => 1 },
    circular,
    3,
  ]) {
    assert.match(faultOfField(json(schema as never)), /JSON Schema is not valid|must be an object/)
  }
  assert.ok(things({ a: json({ properties: { b: { minLength: 1 } }, required: ['b'] }) }))
})

test('choices are texts, at least one, without duplicates', () => {
  for (const values of [[], ['a', 'a'], [''], [1], 'a', undefined]) {
    assert.match(faultOfField(choice(values as never)), /^things\.thing: /)
  }
})

const light = { from: 'red', to: 'green' }
test('states: names are known, states reachable, transitions unambiguous', () => {
  const refused: readonly [object, RegExp][] = [
    [{ initial: 'red' }, /The option 'transitions' is missing/],
    [{ initial: 'red', transitions: { go: 3 } }, /must be an object/],
    [{ initial: 'red', transitions: { go: { from: 'red' } } }, /The option 'to' is missing/],
    [{ initial: 'red', transitions: { go: { ...light, bye: 1 } } }, /mean 'by'\?/],
    [{ initial: 'red', transitions: { go: { from: [], to: 'green' } } }, /'from' must be/],
    [{ initial: 'red', transitions: { 'Go!': light } }, /transition name 'Go!'/],
    [{ initial: 'red', transitions: { delete: light } }, /'delete' is reserved/],
    [{ initial: 'red', transitions: { go: { from: 'red', to: 'red' } } }, /to itself/],
    [{ initial: 'red', transitions: { go: light, run: light } }, /'go' and 'run' both lead/],
    [{ initial: 'red', transitions: { go: light }, states: ['red', 'green', 'red'] }, /twice/],
    [
      { initial: 'red', transitions: { go: light }, states: ['red', 'green', 'blue'] },
      /'blue' cannot be reached from 'red'/,
    ],
    [
      { initial: 'red', transitions: { go: light, stop: { from: 'grene', to: 'red' } } },
      /Did you mean the same state by 'grene' and 'green'\?/,
    ],
    [
      { initial: 'rde', transitions: { go: light, stop: { from: 'green', to: 'red' } } },
      /^things\.thing: No transition leads from the initial state 'rde'\. Did you mean 'red'\?$/,
    ],
  ]
  for (const [options, expected] of refused) {
    assert.match(faultOfField(state(options as never)), expected)
  }
})

test('states: initial, from and to are among the listed states', () => {
  const states = ['red', 'green']
  const faults = (options: object) =>
    faultsOf({ things: loose({ s: state({ states, ...options } as never) }) }).map((f) => f.reason)
  assert.match(faults({ initial: 'rde', transitions: { go: light } }).join(), /'initial' state 'rde'/)
  const away = { initial: 'red', transitions: { go: light, away: { from: 'red', to: 'blue' } } }
  assert.match(faults(away).join(), /'to' 'blue' is not a state/)
  const back = { initial: 'red', transitions: { go: light, back: { from: 'blue', to: 'red' } } }
  assert.match(faults(back).join(), /'from' 'blue' is not a state/)
})

test('the items of a list are single values without modifiers', () => {
  for (const item of [
    ref('things'),
    password(),
    list(text()),
    json(),
    state({ initial: 'red', transitions: { go: light } }),
    text().optional(),
    text().unique(),
    text().immutable(),
    text().default('x'),
    text().filterable(false),
    text({ min: 2, max: 1 }),
    undefined,
    'text',
  ]) {
    assert.match(faultOfField(list(item as never)), /^things\.thing: /)
  }
})

test('a modifier of the items of a list is a fault with its name', () => {
  for (const [item, name] of [
    [text().filterable(false), 'filterable'],
    [text().writeOnly(), 'writeOnly'],
    [text().formerly('old'), 'formerly'],
    [text().help('A word.'), 'help'],
  ] as const) {
    assert.equal(
      faultOfField(list(item as never)),
      `things.thing: The items of a list cannot have modifiers such as .${name}(). Put them on the list.`,
    )
  }
})

test('contradicting modifiers are refused', () => {
  for (const [field, expected] of [
    [text().optional().default('x'), /cannot be optional and have a default/],
    [text().unique().default('x'), /second item would be a duplicate/],
    [text().default('').readOnly().writeOnly(), /cannot be read-only and write-only/],
    [text().optional().readOnly().immutable(), /immutable has no effect\. Remove \.immutable\(\)/],
    [ref('things').optional().fromPrincipal().immutable(), /immutable has no effect/],
    [text().writeOnly().visibleTo({ kind: 'anyone' }), /visibleTo has no effect/],
    [text().optional().readOnly().writableBy({ kind: 'anyone' }), /writableBy has no effect/],
    [(text() as never as { visibleTo(): unknown }).visibleTo(), /need a rule/],
    [text().filterable(3 as never), /filterable must be/],
    [text().formerly('A b'), /former name must be/],
  ] as const) {
    assert.match(faultOfField(field), expected)
  }
  assert.ok(things({ a: text().optional().readOnly(), b: text().default('').readOnly() }))
})

test('a required read-only field needs code that sets it, except where only code creates items', () => {
  const things = (access: object) => loose({ thing: text().readOnly() }, { access } as never)
  assert.match(
    faultOf({ things: things({ create: { kind: 'anyone' } }) }),
    /No request can set a read-only field/,
  )
  assert.ok(modelOf({ things: things({ read: { kind: 'anyone' } }) }))
})

test('a default is a valid value of its field', () => {
  assert.match(faultOfField(text({ max: 2 }).default('abc')), /default "abc" is not valid/)
  assert.match(faultOfField(integer().default('1' as never)), /Must be a whole number/)
  assert.match(faultOfField(list(text({ max: 1 })).default(['a', 'bc'])), /not valid at \/1/)
  assert.match(faultOfField(boolean().default(null as never)), /Must not be null/)
  assert.match(faultOfField(json().default((() => 1) as never)), /not a JSON value/)
})
