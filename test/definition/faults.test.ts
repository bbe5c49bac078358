/** Faults of a definition as a whole: how they are reported, names, options, methods and sets of unique fields. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { client } from '../../src/client.ts'
import { DefinitionFault } from '../../src/definition/definition-fault.ts'
import { boolean } from '../../src/definition/kinds/boolean.ts'
import { json } from '../../src/definition/kinds/json.ts'
import { list } from '../../src/definition/kinds/list.ts'
import { integer } from '../../src/definition/kinds/number.ts'
import { password } from '../../src/definition/kinds/password.ts'
import { ref } from '../../src/definition/kinds/ref.ts'
import { text } from '../../src/definition/kinds/text.ts'
import { isSegment } from '../../src/definition/paths.ts'
import { resource } from '../../src/definition/resource.ts'
import { or, role } from '../../src/definition/rule-functions.ts'
import { service } from '../../src/definition/service-definition.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
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

test('tools of logic and members of the client are no names of collections', () => {
  const inClient = Object.keys(client('http://localhost')).filter((name) => isSegment(name))
  assert.deepEqual(inClient, ['batch', 'session'])
  for (const [name, reason] of [
    ['event', 'logic has a tool with this name'],
    ['now', 'logic has a tool with this name'],
    ['session', 'the client has a member of this name'],
    ['then', 'the client has a member of this name'],
  ] as const) {
    const fault = `${name}: The name '${name}' is reserved: ${reason}. Choose another name.`
    assert.equal(faultOf({ [name]: loose({ a: text() }) }), fault)
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
    assert.match(fault, /'log' must be a duration from '1 hour' to '100 years', not/)
  }
})

test('a fault that several parts of one rule have is reported once', () => {
  const access = { read: or(role('a'), role('b'), role('c')) }
  const faults = faultsOf({ things: resource({ a: text() }, { access }) })
  assert.equal(faults.length, 1, JSON.stringify(faults))
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
