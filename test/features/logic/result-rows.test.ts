/** Results with one list of objects (docs/reference/http/actions.md): CSV shows it as a table. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  action,
  anyone,
  decimal,
  integer,
  json,
  list,
  query,
  ref,
  resource,
  service,
  text,
} from '../../../src/index.ts'
import { serve } from '../../service.ts'

const access = { read: anyone, create: anyone }
const words = resource({ word: text() }, { key: 'word', access })

const lines = list({
  word: ref('words'),
  note: text().optional(),
  amount: decimal({ scale: 2 }),
  tags: list(text()).optional(),
  data: json().optional(),
  parts: list({ size: integer() }).optional(),
})
const total = decimal({ scale: 2 })

const found = [
  {
    word: '=1',
    note: 'a "b", c\nd',
    amount: '-5.00',
    tags: ['x', 'y'],
    data: '=2',
    parts: [{ size: 1 }, { size: 2 }],
  },
  { word: 'plain', note: '+3', amount: '1.50' },
  { word: 'plain', note: '', amount: '0.00', tags: [], data: { a: 1 } },
]

const definition = service(
  { title: 'Words', name: 'words', resources: { words }, versions: { v1: {} } },
  {
    words: {
      queries: {
        report: query({
          on: 'collection',
          by: anyone,
          input: { most: integer().default(3) },
          result: { total, lines },
          run: ({ most }) => ({ total: '-3.50', lines: found.slice(0, most) }),
        }),
        perhaps: query({
          on: 'collection',
          by: anyone,
          result: { lines: list({ size: integer() }).optional() },
          run: () => ({}),
        }),
        two: query({
          on: 'collection',
          by: anyone,
          result: { sizes: list({ size: integer() }), names: list({ name: text() }) },
          run: () => ({ sizes: [{ size: 1 }], names: [] }),
        }),
        flat: query({
          on: 'collection',
          by: anyone,
          result: { total, tags: list(text()) },
          run: () => ({ total: '1.00', tags: [] }),
        }),
      },
      actions: {
        sized: action({
          on: 'collection',
          by: anyone,
          result: { lines: list({ size: integer(), name: text() }) },
          run: () => ({ lines: [{ size: 1, name: 'one' }] }),
        }),
      },
    },
  },
)

const csv = { accept: 'text/csv' }
const table = [
  'word,note,amount,tags,data,parts',
  `'=1,"a ""b"", c\nd",-5.00,"[""x"",""y""]","""=2""","[{""size"":1},{""size"":2}]"`,
  `plain,'+3,1.50,,,`,
  'plain,"",0.00,[],"{""a"":1}",',
  '',
].join('\r\n')

async function open() {
  const s = await serve(definition)
  for (const word of ['=1', 'plain']) {
    assert.equal((await s.request('POST /words', {}, { word })).status, 201)
  }
  return s
}

describe('a result with one list of objects', () => {
  it('is a table in CSV, without the members beside it, with texts that begin like a formula escaped', async () => {
    await using s = await open()
    for (const line of ['GET /words/report', 'GET /words/report?most=3&format=csv']) {
      const { status, text, fields } = await s.request(line, csv)
      assert.deepEqual([status, text, fields['content-type']], [200, table, 'text/csv'])
    }
    const asked = await s.request('QUERY /words/report', csv, { most: 3 })
    assert.deepEqual([asked.status, asked.text], [200, table])
    assert.equal((await s.request('GET /words/report?most=0', csv)).text, `${table.split('\r\n')[0]}\r\n`)
    assert.equal((await s.request('GET /words/perhaps', csv)).text, 'size\r\n')
  })

  it('has an entity tag of its own in CSV', async () => {
    await using s = await open()
    const [{ fields }, other] = [
      await s.request('GET /words/report', csv),
      await s.request('GET /words/report'),
    ]
    assert.notEqual(fields.etag, other.fields.etag)
    const again = await s.request('GET /words/report', { ...csv, 'if-none-match': String(fields.etag) })
    assert.equal(again.status, 304)
  })

  it('of an action is a table too', async () => {
    await using s = await open()
    const { status, text } = await s.request('POST /words/sized', csv)
    assert.deepEqual([status, text], [200, 'size,name\r\n1,one\r\n'])
  })

  it('has CSV on its page, in OpenAPI and beside an older version of the interface', async () => {
    await using s = await open()
    const page = await s.request('GET /words/report', { accept: 'text/html' })
    assert.match(page.text, /href="\/words\/report\?format=csv"/)
    const { paths } = (await s.request('GET /openapi.json')).json
    const typesOf = ({ responses }: { responses: Record<string, { content: object }> }) =>
      Object.keys(responses['200']?.content ?? {})
    assert.ok(typesOf(paths['/words/report'].get).includes('text/csv'))
    assert.ok(typesOf(paths['/words/sized'].post).includes('text/csv'))
    assert.ok(!typesOf(paths['/words/flat'].get).includes('text/csv'))
    const reply = await s.request('GET /words/report?api-version=v1', csv)
    assert.deepEqual([reply.status, reply.text], [200, table])
  })
})

it('without a list of objects, or with several, there is no table: 406', async () => {
  await using s = await open()
  for (const name of ['flat', 'two']) {
    const { status, json } = await s.request(`GET /words/${name}`, csv)
    assert.deepEqual([status, json.type], [406, '/problems/not-acceptable'], name)
    assert.ok(!json.offered.includes('text/csv'))
    assert.equal((await s.request(`GET /words/${name}?format=csv`)).status, 400)
  }
})
