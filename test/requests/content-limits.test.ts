/** Readers count while they read, and end at the limit: both sides of each. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonSchema } from '../../src/definition/model.ts'
import { anyone, integer, json, list, resource, service, text } from '../../src/index.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { type Handling, handling } from '../handling.ts'

const open = { read: anyone, create: anyone, update: anyone }

const definition = service({
  title: 'Limits',
  resources: {
    things: resource(
      {
        name: text().optional(),
        number: integer().optional(),
        tags: list(text()).optional(),
        data: json().optional(),
      },
      { access: open, bulk: true },
    ),
  },
})

/** A service whose items have a value that the schema validates. */
function having(schema: JsonSchema) {
  const things = resource({ data: json(schema) }, { access: open })
  return service({ title: 'Schemas', resources: { things } })
}

async function post(s: Handling, type: string, body: string) {
  return s.handle('POST /things', { 'content-type': type }, body)
}

describe('a form', () => {
  const type = 'application/x-www-form-urlencoded'
  const pairs = (count: number, name: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => `${name(at)}=1`).join('&')

  it('has at most 1,000 names: one more is 400', async () => {
    await using s = await handling(definition)
    const most = await post(
      s,
      type,
      pairs(1000, (at) => `x${at}`),
    )
    assert.equal(most.status, 422)
    assert.equal(most.json.totalErrors, 1000)
    assert.equal(
      (
        await post(
          s,
          type,
          pairs(1001, (at) => `x${at}`),
        )
      ).status,
      400,
    )
  })

  it('has one value of each field that takes one: a repeated name is 400, as in JSON', async () => {
    await using s = await handling(definition)
    for (const body of ['name=a&name=b', 'name=a&name=a', 'number=1&number=', 'name=a&name[]=b']) {
      const { status, json: problem } = await post(s, type, body)
      assert.deepEqual([status, problem.type], [400, '/problems/malformed-content'], body)
    }
    assert.equal((await post(s, type, 'name=a&tags=b&tags=c')).status, 201)
  })

  it('has at most 11,000 values, and at most 10,000 in a list', async () => {
    await using s = await handling(definition)
    const tags = (count: number) => pairs(count, () => 'tags[]')
    const most = await post(s, type, tags(10_000))
    assert.equal(most.status, 201)
    assert.equal(most.json.tags.length, 10_000)
    assert.equal((await post(s, type, tags(10_001))).json.errors[0].rule, 'maxItems')
    assert.equal((await post(s, type, tags(11_000))).status, 422)
    // The rest is not decoded, or it would be malformed.
    const refused = await post(s, type, `${tags(11_001)}&%`)
    assert.equal(refused.json.detail, 'The form has more than 11000 values.')
  })

  it('has at most 10,000 lines in a list', async () => {
    await using s = await handling(definition)
    const lines = (count: number) => `tags=${'a%0A'.repeat(count)}`
    assert.equal((await post(s, type, lines(10_000))).json.tags.length, 10_000)
    assert.equal((await post(s, type, lines(10_001))).status, 400)
    assert.equal((await post(s, type, `tags=${'%0A'.repeat(100_000)}`)).status, 400)
  })
})

describe('NDJSON', () => {
  const type = 'application/x-ndjson'

  it('has 1 to 1,000 values: at the next one reading ends with 422', async () => {
    await using s = await handling(definition)
    assert.equal((await post(s, type, '{}\r\n\n'.repeat(1000))).json.length, 1000)
    // The rest is not read, or it would be malformed.
    const refused = await post(s, type, `${'{}\n'.repeat(1001)}{`)
    assert.equal(refused.status, 422)
    assert.deepEqual(refused.json.errors, [
      { pointer: '', rule: 'maxItems', detail: 'Must have 1 to 1000 items.' },
    ])
    assert.equal((await post(s, type, '\n'.repeat(100_000))).status, 422)
  })
})

describe('JSON', () => {
  it('has at most 100,000 values in all (RFC 8259 §9): one more is 400', async () => {
    await using s = await handling(definition)
    // Counted by what opens them and by the commas between them.
    const body = (last: number) =>
      `{"data":[${[...Array(9).fill(9_999), last].map((count) => `[${Array(count).fill(1)}]`)}]}`
    assert.equal((await post(s, 'application/json', body(9_998))).status, 201)
    const refused = await post(s, 'application/json', body(9_999))
    assert.equal(refused.status, 400)
    assert.match(refused.json.detail, /More than 100000 values/)
  })
})

describe('XML', () => {
  const type = 'application/xml'
  const thing = (content: string) => `<things>${content}</things>`

  it('has at most 1,000 elements that name fields: one more is 400', async () => {
    await using s = await handling(definition)
    const elements = (count: number) => thing(Array.from({ length: count }, (_, at) => `<x${at}/>`).join(''))
    assert.equal((await post(s, type, elements(1000))).status, 422)
    assert.equal((await post(s, type, elements(1001))).status, 400)
  })

  it('has at most 10,000 comments, instructions and CDATA sections: one more is 400', async () => {
    await using s = await handling(definition)
    const comments = (count: number) => thing(`<name>a</name>${'<!---->'.repeat(count)}`)
    assert.equal((await post(s, type, comments(10_000))).status, 201)
    assert.equal((await post(s, type, comments(10_001))).status, 400)
  })

  it('has line breaks as line feeds, however many carriage returns there are (XML 1.0 §2.11)', async () => {
    await using s = await handling(definition)
    const created = await post(s, type, thing('<name>a\r\nb\rc</name>'))
    assert.equal(created.json.name, 'a\nb\nc')
    const many = await post(s, type, thing(`<name>${'\r'.repeat(100_000)}</name>`))
    assert.equal(many.json.errors[0].rule, 'maxLength')
  })
})

describe('faults', () => {
  it('of many items are collected up to 1,000; later items are not read', async () => {
    await using s = await handling(definition)
    const items = (count: number) => Array.from({ length: count }, () => ({ a: 1, b: 1, c: 1, d: 1, e: 1 }))
    const some = await s.handle('POST /things', {}, items(100))
    assert.equal(some.json.totalErrors, 500)
    const most = await s.handle('POST /things', {}, items(1000))
    assert.equal(most.json.totalErrors, 1000)
    assert.equal(most.json.errors.length, 100)
  })

  const lines = (line: string) => `${line}\n`.repeat(600)
  for (const [type, content] of [
    ['application/x-ndjson', lines('{"number":"x","tags":1}')],
    ['text/csv', `number,other\n${lines('x,y')}`],
  ] as const) {
    it(`of many items are collected up to 1,000 in ${type} too`, async () => {
      await using s = await handling(definition)
      const { status, json } = await post(s, type, content)
      assert.deepEqual([status, json.totalErrors, json.errors.length], [422, 1000, 100])
    })
  }

  it('of a JSON value are all reported up to 1,000 members; of a larger one the first', async () => {
    const schema = { type: 'array', items: { type: 'object', required: ['a', 'b'] } }
    await using s = await handling(having(schema))
    const objects = (count: number) => ({ data: Array.from({ length: count }, () => ({})) })
    const all = await s.handle('POST /things', {}, objects(999))
    assert.equal(all.json.totalErrors, 1000)
    const first = await s.handle('POST /things', {}, objects(1000))
    assert.deepEqual(
      first.json.errors.map(({ pointer }: { pointer: string }) => pointer),
      ['/data/0/a'],
    )
  })
})

describe('patterns and repetitions in schemas of users', () => {
  const faultsOf = (schema: JsonSchema) => {
    try {
      checkDefinition(having(schema))
      return ''
    } catch (error) {
      return (error as Error).message
    }
  }

  it('a pattern that is not linear needs a maxLength of at most 1,000 beside it', () => {
    assert.equal(faultsOf({ pattern: '^a*a*$', maxLength: 1000 }), '')
    assert.equal(faultsOf({ pattern: '^a*$' }), '')
    for (const schema of [
      { pattern: '^a*a*$' },
      { pattern: '^a*a*$', maxLength: 1001 },
      { properties: { a: { anyOf: [{ pattern: 'a+b' }] } } },
    ]) {
      assert.match(faultsOf(schema), /could be slow on long texts.*Set 'maxLength' to 1000/)
    }
  })

  it('a pattern of names must be linear, for nothing bounds a name', () => {
    assert.equal(faultsOf({ patternProperties: { '^a*$': true } }), '')
    assert.match(faultsOf({ patternProperties: { '^a*a*$': true } }), /could be slow on long texts/)
  })

  it('a text longer than its maxLength is not tried against the pattern', async () => {
    await using s = await handling(having({ pattern: '^a*a*$', maxLength: 1000 }))
    const long = await s.handle('POST /things', {}, { data: `${'a'.repeat(500_000)}!` })
    assert.deepEqual(
      long.json.errors.map(({ rule }: { rule: string }) => rule),
      ['maxLength'],
    )
    const wrong = await s.handle('POST /things', {}, { data: 'aaa!' })
    assert.equal(wrong.json.errors[0].detail, 'Must match the pattern ^a*a*$.')
  })

  it('texts that would together be slow are refused before they are', async () => {
    await using s = await handling(having({ items: { pattern: '^a*a*$', maxLength: 1000 } }))
    const texts = (count: number) => ({ data: Array(count).fill('a'.repeat(1000)) })
    assert.equal((await s.handle('POST /things', {}, texts(20))).status, 201)
    const refused = await s.handle('POST /things', {}, texts(900))
    assert.match(refused.json.errors[0].detail, /Too much text to check/)
  })

  it('uniqueItems compares by value, for any order of members', async () => {
    await using s = await handling(having({ uniqueItems: true }))
    const objects = Array.from({ length: 9000 }, (_, at) => ({ at, b: [at] }))
    assert.equal((await s.handle('POST /things', {}, { data: objects })).status, 201)
    const repeated = { data: [1, '1', { a: 1, b: 2 }, null, { b: 2, a: 1 }] }
    const refused = await s.handle('POST /things', {}, repeated)
    assert.equal(refused.json.errors[0].detail, 'Must not contain duplicates: items 2 and 4 are equal.')
  })
})
