import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkDefinition } from '../../src/definition/check-definition.ts'
import { DefinitionFault } from '../../src/definition/definition-fault.ts'
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
import { resource } from '../../src/definition/resource.ts'
import { or, role } from '../../src/definition/rule-functions.ts'
import { service } from '../../src/definition/service-definition.ts'
import { definitionOf, faultOf, faultOfField, faultsOf, loose, modelOf, things } from './sample.ts'

test('all faults are reported at once, each with its place, reason and suggestion', () => {
  const faults = faultsOf({
    Things: loose({ Name: text(), a: text({ mix: 3 } as object) }),
    others: loose({ b: ref('thing') }, { serch: ['b'] }),
  })
  assert.deepEqual(
    faults.map(({ resource, field, suggestion }) => [resource, field, suggestion]),
    [
      ['Things', undefined, "Did you mean 'things'?"],
      ['Things', 'Name', 'Write it like firstName.'],
      ['Things', 'a', "Did you mean 'min'?"],
      ['others', undefined, "Did you mean 'search'?"],
      ['others', 'b', "Did you mean 'Things'?"],
    ],
  )
})

test('faults of the service come first, then those of each resource', () => {
  const faults = faultsOf(
    { things: loose({ a: ref('x') }), others: loose({ id: text() }) },
    { accounts: 3, tilte: '' },
  )
  assert.deepEqual([...new Set(faults.map(({ resource }) => resource))], [undefined, 'things', 'others'])
})

test('the message has a line for each fault', () => {
  const definition = definitionOf({ things: loose({ a: ref('thingz'), id: text() }) })
  assert.throws(
    () => checkDefinition(definition),
    (error) => {
      assert.ok(error instanceof DefinitionFault)
      assert.equal(
        error.message,
        [
          'The definition has 2 faults:',
          "  things.id: The name 'id' is reserved: every item has this field. Choose another name.",
          "  things.a: Unknown collection 'thingz'. Did you mean 'things'?",
        ].join('\n'),
      )
      return true
    },
  )
})

const segments =
  'tokens events webhooks openapi.json schemas client.js client.d.ts docs problems .well-known sign-in sign-out forms health metrics status assets'
test('first path segments of the service itself are reserved', () => {
  for (const name of segments.split(' ')) {
    assert.equal(
      faultOf({ [name]: loose({ a: text() }) }),
      `${name}: The path /${name} is reserved. Choose another name.`,
    )
    assert.match(faultOf({ things: loose({ a: text() }, { formerly: [name] }) }), /is reserved/)
  }
})

test('collection names are lower case with hyphens', () => {
  for (const name of ['a', 'things', 'order-lines', 'a1', 'a'.repeat(63)]) {
    assert.ok(modelOf({ [name]: loose({ a: text() }) }))
  }
  for (const name of ['Things', 'order_lines', 'orderLines', '1a', 'a-', '-a', 'a--b', 'ü', '']) {
    assert.match(faultOf({ [name]: loose({ a: text() }) }), /lower case with hyphens/, name)
  }
  assert.match(faultOf({ ['a'.repeat(64)]: loose({ a: text() }) }), /63 characters/)
  assert.match(faultOf({ orderLines: loose({ a: text() }) }), /Did you mean 'order-lines'\?/)
})

test('field names are letters and digits, and not reserved', () => {
  for (const name of ['a', 'firstName', 'a1', 'a'.repeat(63)]) assert.ok(things({ [name]: text() }))
  for (const name of ['A', 'a_b', '1a', 'a-b', '', 'ä', '_a', '__proto', 'a'.repeat(64)]) {
    assert.match(faultOf({ things: loose({ [name]: text() }) }), /letters and digits/, name)
  }
  const taken =
    'id createdAt updatedAt limit after before sort fields embed q format any all not constructor toString'
  for (const name of taken.split(' ')) {
    assert.match(faultOf({ things: loose({ [name]: text() }) }), /is reserved/, name)
  }
})

test('field names may not differ only in case', () => {
  const faults = faultsOf({
    things: loose({ userName: text(), username: text(), createdat: text() }),
  })
  assert.deepEqual(
    faults.map(({ field }) => field),
    ['userName', 'username', 'createdat'],
  )
  for (const { reason } of faults) assert.match(reason, /differ only in case/)
})

test('unknown options are refused, with a suggestion', () => {
  assert.match(faultOfField(text({ mx: 3 } as object)), /Unknown option 'mx'. Did you mean 'max'\?/)
  assert.match(faultOf({ things: loose({ a: text() }, { acess: {} }) }), /mean 'access'\?/)
  assert.match(faultOf({ things: loose({ a: text() }, { access: { raed: [] } }) }), /mean 'read'\?/)
  assert.match(faultOf({ things: loose({ a: text() }) }, { tilte: 'x' }), /mean 'title'\?/)
  assert.match(faultOf({ things: loose({ a: text() }) }, { orgins: [] }), /mean 'origins'\?/)
  const cache = { maxAge: 1, maxage: 2 }
  assert.match(faultOf({ things: loose({ a: text() }, { cache }) }), /mean 'maxAge'\?/)
})

test('invalid values of options are refused', () => {
  const refused: readonly Record<string, unknown>[] = [
    { key: 3 },
    { access: 'anyone' },
    { methods: 'GET' },
    { put: 'never' },
    { conditional: true },
    { bulk: 'yes' },
    { cache: 60 },
    { cache: { maxAge: -1 } },
    { cache: { maxAge: 1.5 } },
    { cache: {} },
    { search: 'a' },
    { index: 'a' },
    { index: [3] },
    { formerly: 'x' },
    { tombstones: 1 },
  ]
  for (const options of refused) {
    assert.match(faultOf({ things: loose({ a: text() }, options) }), /must be|needs/)
  }
})

test('a service needs a title and resources', () => {
  assert.throws(() => checkDefinition(service({} as never)), /'title' is missing[\s\S]*'resources'/)
  assert.throws(() => checkDefinition(service(undefined as never)), DefinitionFault)
  assert.throws(() => checkDefinition(service({ title: 'x', resources: {} })), /at least one/)
  assert.match(faultOf({ things: {} }), /Not a resource/)
  assert.match(faultOf({ things: loose({}) }), /at least one field/)
  assert.match(faultOf({ things: loose({ a: 'text' }) }), /Not a field/)
  assert.match(faultOf({ things: loose({ a: text() }) }, { title: ' ' }), /'title' must be/)
})

test('a base is a path without a trailing slash', () => {
  for (const base of ['', '/api', '/a/b.c']) {
    assert.equal(modelOf({ things: loose({ a: text() }) }, { base }).base, base)
  }
  for (const base of ['/', 'api', '/api/', '//', '/a/../b', '/.', '/a?b', 3]) {
    assert.match(faultOf({ things: loose({ a: text() }) }, { base }), /'base' must be/)
  }
})

test('the change log is kept for a duration from an hour to 100 years', () => {
  const retentionOf = (options: Readonly<Record<string, unknown>>) =>
    modelOf({ things: loose({ a: text() }) }, options).logRetention
  assert.equal(retentionOf({}), 30 * 86_400)
  for (const [log, seconds] of [
    ['1 hour', 3600],
    ['90 minutes', 5400],
    ['2 weeks', 14 * 86_400],
    ['6 months', 180 * 86_400],
    ['100 years', 36_500 * 86_400],
  ] as const) {
    assert.equal(retentionOf({ log }), seconds)
  }
  const refused = ['', '30', '30days', '59 minutes', '101 years', '0 days', '1.5 days', '-1 day', 30, null]
  for (const log of [...refused, '30 days ', '1 decade', '999999 days']) {
    const fault = faultOf({ things: loose({ a: text() }) }, { log })
    assert.match(fault, /'log' must be a duration such as '30 days', from '1 hour' to '100 years', not/)
  }
})

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

test('a fault that several parts of one rule have is reported once', () => {
  const access = { read: or(role('a'), role('b'), role('c')) }
  const faults = faultsOf({ things: resource({ a: text() }, { access }) })
  assert.equal(faults.length, 1, JSON.stringify(faults))
})

const light = { from: 'red', to: 'green' }
test('states: names are known, states reachable, transitions unambiguous', () => {
  const refused: readonly [object, RegExp][] = [
    [{}, /needs 'initial' and 'transitions'/],
    [{ initial: 'red', transitions: { go: 3 } }, /must be an object/],
    [{ initial: 'red', transitions: { go: { from: 'red' } } }, /needs 'from' and 'to'/],
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
    text({ min: 2, max: 1 }),
    undefined,
    'text',
  ]) {
    assert.match(faultOfField(list(item as never)), /^things\.thing: /)
  }
})

test('contradicting modifiers are refused', () => {
  for (const [field, expected] of [
    [text().optional().default('x'), /cannot be optional and have a default/],
    [text().unique().default('x'), /second item would be a duplicate/],
    [text().default('').readOnly().writeOnly(), /cannot be read-only and write-only/],
    [text().readOnly(), /No request can set a read-only field/],
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

test('a default is a valid value of its field', () => {
  assert.match(faultOfField(text({ max: 2 }).default('abc')), /default "abc" is not valid/)
  assert.match(faultOfField(integer().default('1' as never)), /Must be a whole number/)
  assert.match(faultOfField(list(text({ max: 1 })).default(['a', 'bc'])), /not valid at \/1/)
  assert.match(faultOfField(boolean().default(null as never)), /Must not be null/)
  assert.match(faultOfField(json().default((() => 1) as never)), /not a JSON value/)
})

test('methods are known and fit the other options', () => {
  const fault = (options: object) => faultOf({ things: loose({ a: text() }, options as never) })
  assert.match(fault({ methods: ['GTE'] }), /Unknown method 'GTE'. Did you mean 'GET'\?/)
  assert.match(fault({ methods: ['get'] }), /Did you mean 'GET'\?/)
  assert.match(fault({ methods: [] }), /'methods' is empty/)
  assert.match(fault({ methods: ['HEAD'] }), /HEAD needs GET/)
  assert.match(fault({ methods: ['GET'], put: 'create' }), /needs the method PUT/)
  assert.match(fault({ methods: ['GET'], bulk: true }), /needs the method POST/)
})

test('former names are neither present names nor declared twice', () => {
  const fault = (fields: object) => faultOf({ things: loose(fields as never) })
  assert.match(fault({ a: text().formerly('b'), b: text() }), /'b' is also a present name/)
  assert.match(fault({ a: text().formerly('id') }), /'id' is also a present name/)
  assert.match(fault({ a: text().formerly('c'), b: text().formerly('c') }), /also a former name of 'a'/)
  const thing = (formerly: string[]) => loose({ a: text() }, { formerly })
  assert.match(faultOf({ things: thing(['others']), others: thing([]) }), /'others' is also a present name/)
  assert.match(faultOf({ things: thing(['x']), others: thing(['x']) }), /also a former name of 'things'/)
  assert.match(faultOf({ things: thing(['Old']) }), /former name 'Old'.*lower case/)
})

test('unique: each set names two fields or more, and has an effect of its own', () => {
  const fields = {
    slug: text().unique(),
    project: ref('things').optional(),
    number: integer(),
    tags: list(text()).default([]),
    data: json().optional(),
    secret: password(),
    long: text({ max: 501 }),
  }
  for (const [unique, expected] of [
    [[['project', 'numbr']], /Unknown field 'numbr' in things\. Did you mean 'number'\?/],
    [[['project', 'createdAt']], /Unknown field 'createdAt'/],
    [[['project', 'project']], /\["project","project"\] names a field twice\. Remove the duplicate/],
    [[['slug']], /'slug' is already unique\. Remove \["slug"\]/],
    [[['number']], /\["number"\] has only one field\. Add \.unique\(\) to 'number' instead/],
    [[[]], /A set is empty\. Remove it/],
    [[['slug', 'number']], /has no effect, because 'slug' is already unique/],
    [
      [
        ['project', 'number'],
        ['number', 'project'],
      ],
      /has no effect beside/,
    ],
    [['project', 'number'], /must be a list of sets of field names, such as \[\['project'/],
    [[['project', 'tags']], /'tags' is list\(\)\. A set cannot have fields of the kinds list, json/],
    [[['project', 'data']], /'data' is json\(\)/],
    [[['project', 'secret']], /'secret' is password\(\)/],
  ] as const) {
    const [fault] = faultsOf({ things: loose(fields, { unique } as never) })
    assert.equal(fault?.resource, 'things')
    assert.match(`${fault?.reason} ${fault?.suggestion}`, expected)
  }
  const [tooLong] = faultsOf({ things: loose(fields, { unique: [['number', 'long']] } as never) })
  assert.match(tooLong?.reason ?? '', /at most 500 characters, not 501/)
  assert.ok(
    things(
      { a: integer(), b: text(), c: boolean() },
      {
        unique: [
          ['a', 'b'],
          ['b', 'c'],
        ],
      },
    ),
  )
})
