/** Requests that ask for as much work as the limits admit, in every media type and coding. */

import { gzipSync } from 'node:zlib'
import { cases } from '../cases.ts'

export interface CostlyRequest {
  readonly name: string
  readonly line: string
  readonly fields: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** Octets of content, which is the limit. */
const most = 1024 * 1024

/** Units of each format that are repeated; `#` is another number each time. */
const units: Readonly<Record<string, readonly string[]>> = {
  'application/json': [
    '{}',
    '[]',
    '1',
    '"a"',
    '{"x":1}',
    '{"x#":1}',
    '"\\n"',
    '"\\u00e9"',
    '1e5',
    '1234567890.5',
    '[[[[[[]]]]]]',
    ' ',
    'null',
    '{"name":"a"}',
    '{"name":1,"number":"x","data":{}}',
  ],
  'application/x-www-form-urlencoded': [
    'x#=1',
    'x=1',
    'tags[]=a',
    '',
    '_#=1',
    'name=%C3%A9',
    'tags=%0A%0A%0A%0A%0A%0A',
    '+',
    'data=[]',
  ],
  'text/csv': [',', '"",', 'a,', '\n', '\r', '"a""b",', '"\n",', '"', 'name#,'],
  'application/x-ndjson': ['{}\n', '\n', '\r\n', '[]\n', '{"name":"a"}\n', '{"x#":1}\n', '1\n'],
  'application/xml': [
    '<x#/>',
    '<x/>',
    '<name>a</name>',
    '<item>a</item>',
    '<!---->',
    '<?a?>',
    '<![CDATA[]]>',
    '&amp;',
    '&#65;',
    '\r',
    '\n',
    '<x a="b" c="d"/>',
    '<a><b><c/></b></a>',
  ],
}

/** The text around the repeated units, and the separator between them. */
interface Frame {
  readonly name: string
  readonly before: string
  readonly between: string
  readonly after: string
}

const frames: Readonly<Record<string, readonly Frame[]>> = {
  'application/json': [
    { name: 'many items', before: '[', between: ',', after: ']' },
    { name: 'items within', before: '{"parts":[', between: ',', after: ']}' },
    { name: 'a value', before: '{"data":[', between: ',', after: ']}' },
    { name: 'a judged value', before: '{"judged":[', between: ',', after: ']}' },
    { name: 'a list', before: '{"tags":[', between: ',', after: ']}' },
    { name: 'lists of lists', before: '{"data":[[', between: ',', after: ']]}' },
  ],
  'application/x-www-form-urlencoded': [{ name: 'pairs', before: '', between: '&', after: '' }],
  'text/csv': [
    { name: 'cells', before: 'name,number\n', between: '', after: '' },
    { name: 'a wide header', before: '', between: '', after: '' },
    { name: 'lines', before: 'name\n', between: '\n', after: '' },
  ],
  'application/x-ndjson': [{ name: 'lines', before: '', between: '', after: '' }],
  'application/xml': [
    { name: 'members', before: '<things>', between: '', after: '</things>' },
    { name: 'a text', before: '<things><name>', between: '', after: '</name></things>' },
    { name: 'a list', before: '<things><tags>', between: '', after: '</tags></things>' },
    { name: 'items within', before: '<things><parts>', between: '', after: '</parts></things>' },
  ],
}

/** All counts, codings and lists take minutes. */
const isFull = cases(10) === 10

/** Every unit in every frame: as often as the limit of octets admits, and within that of elements. */
export function* contentRequests(): Generator<CostlyRequest> {
  for (const [type, kinds] of Object.entries(units)) {
    for (const unit of kinds) {
      for (const [at, frame] of (frames[type] ?? []).entries()) {
        const fewer = isFull ? [9_990, 990] : at === 0 ? [9_990] : []
        for (const count of [Number.POSITIVE_INFINITY, ...fewer]) {
          const body = repeated(unit, frame, count)
          const name = `${type}: ${frame.name} of ${JSON.stringify(unit)} × ${count}`
          const request = { name, line: 'POST /things', fields: { 'content-type': type }, body }
          if (isFull) yield* coded(request)
          else yield request
        }
      }
    }
  }
  yield* wideTables()
  yield* patches()
  yield* deepPatches()
  yield* formsWithFiles()
}

/** Records of invitations, with as many members as the limits admit. */
export function* invitationRequests(fields: CostlyRequest['fields']): Generator<CostlyRequest> {
  const json = '{"email":"a@example.org","record":{'
  const form = 'email=a%40example.org&'
  const xml = '<invitations><email>a@example.org</email><record>'
  const contents: readonly (readonly [type: string, unit: string, frame: Omit<Frame, 'name'>])[] = [
    ['application/json', '"x#":1', { before: json, between: ',', after: '}}' }],
    ['application/json', '"a"', { before: `${json}"tags":[`, between: ',', after: ']}}' }],
    ['application/x-www-form-urlencoded', 'record.x#=1', { before: form, between: '&', after: '' }],
    ['application/x-www-form-urlencoded', 'record.tags[]=a', { before: form, between: '&', after: '' }],
    ['application/xml', '<x#/>', { before: xml, between: '', after: '</record></invitations>' }],
    [
      'application/xml',
      '<item>a</item>',
      { before: `${xml}<tags>`, between: '', after: '</tags></record></invitations>' },
    ],
  ]
  for (const [type, unit, frame] of contents) {
    for (const count of [Number.POSITIVE_INFINITY, 9_990, 990]) {
      const body = repeated(unit, { ...frame, name: '' }, count)
      const name = `invitation: ${type} of ${unit} × ${count}`
      yield { name, line: 'POST /invitations', fields: { ...fields, 'content-type': type }, body }
    }
  }
}

function repeated(unit: string, { before, between, after }: Frame, count: number): string {
  const longest = unit.replace('#', '999999')
  const room = most - before.length - after.length
  const times = Math.min(count, Math.floor(room / Buffer.byteLength(longest + between)))
  const units = unit.includes('#')
    ? Array.from({ length: times }, (_, at) => unit.replace('#', String(at))).join(between)
    : unit + (between + unit).repeat(times - 1)
  return before + units + after
}

/** As it is, and in gzip. */
function* coded(request: CostlyRequest): Generator<CostlyRequest> {
  yield request
  const name = `${request.name}, in gzip`
  const fields = { ...request.fields, 'content-encoding': 'gzip' }
  yield { ...request, name, fields, body: gzipSync(request.body ?? '') }
}

function* wideTables(): Generator<CostlyRequest> {
  for (const columns of [10, 100, 1000]) {
    const header = Array.from({ length: columns }, (_, at) => `c${at}`).join()
    const line = `\n${','.repeat(columns - 1)}`
    const lines = Math.floor((most - header.length) / line.length)
    yield* coded({
      name: `text/csv: ${columns} columns of empty cells`,
      line: 'POST /things',
      fields: { 'content-type': 'text/csv' },
      body: header + line.repeat(lines),
    })
  }
}

function* patches(): Generator<CostlyRequest> {
  const operations: readonly [string, object][] = [
    ['copy', { op: 'copy', from: '/data', path: '/data/-' }],
    ['add', { op: 'add', path: '/data/0', value: [] }],
    ['test', { op: 'test', path: '/tags', value: [] }],
    ['remove', { op: 'remove', path: '/data/0' }],
  ]
  for (const unit of units['application/json'] ?? []) {
    const frame = { name: '', before: '{"data":[', between: ',', after: ']}' }
    yield {
      name: `application/merge-patch+json: ${JSON.stringify(unit)}`,
      line: 'PATCH /things/{id}',
      fields: { 'content-type': 'application/merge-patch+json' },
      body: repeated(unit, frame, Number.POSITIVE_INFINITY),
    }
  }
  for (const [name, operation] of operations) {
    for (const count of [990, 9_990]) {
      yield {
        name: `application/json-patch+json: ${count} × ${name}`,
        line: 'PATCH /things/{id}',
        fields: { 'content-type': 'application/json-patch+json' },
        body: JSON.stringify(Array(count).fill(operation)),
      }
    }
  }
}

/** Values as deep and as many as content may have. */
function* deepPatches(): Generator<CostlyRequest> {
  const nested = `${'{"a":'.repeat(27)}1${'}'.repeat(27)}`
  const values = `[${Array(3500).fill(nested).join()}]`
  const copies = [
    { op: 'add', path: '/data', value: [JSON.parse(nested)] },
    ...Array(990).fill({ op: 'copy', from: '/data/0', path: '/data/-' }),
  ]
  const bodies = {
    'a deep value': `[{"op":"add","path":"/data","value":${values}}]`,
    'a deep value, tested': `[{"op":"add","path":"/data","value":${values}},{"op":"test","path":"/data/0","value":1}]`,
    'copies of a deep value': JSON.stringify(copies),
  }
  for (const [name, body] of Object.entries(bodies)) {
    yield {
      name: `application/json-patch+json: ${name}`,
      line: 'PATCH /things/{id}',
      fields: { 'content-type': 'application/json-patch+json' },
      body,
    }
  }
}

/** Parts of a multipart form, as many as fit, after the delimiter `--b`. */
function* formsWithFiles(): Generator<CostlyRequest> {
  const field = (name: string, value: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const parts: readonly (readonly [string, string])[] = [
    ['fields', field('x#', '1')],
    ['the same field', field('name', 'a')],
    ['files', field('image"; filename="a.png', 'x')],
    ['delimiters', '--b\r\n'],
    ['beginnings of delimiters', '\r\n--'],
    ['header fields', '--b\r\nX: y\r\n'],
    ['lines', '\r\n'],
  ]
  const beginnings = { 'no part': '', 'the header section of a part': field('name', '').slice(0, -2) }
  for (const [name, part] of parts) {
    for (const [place, before] of Object.entries(beginnings)) {
      const frame = { name: '', before, between: '', after: '\r\n--b--\r\n' }
      yield {
        name: `multipart/form-data: ${name} after ${place}`,
        line: 'POST /pictures',
        fields: { 'content-type': 'multipart/form-data; boundary=b' },
        body: repeated(part, frame, Number.POSITIVE_INFINITY),
      }
    }
  }
}

/** Filters as content and in the target. */
export function* queryRequests(): Generator<CostlyRequest> {
  const groups = (depth: number, width: number): object =>
    depth === 0 ? {} : { [depth % 2 === 0 ? 'any' : 'all']: Array(width).fill(groups(depth - 1, width)) }
  const filters: readonly [string, object][] = [
    ['nested empty groups', groups(4, 20)],
    ['wide empty groups', { any: Array(20).fill({ all: Array(20).fill({ all: Array(20).fill({}) }) }) }],
    ['negations', { not: { not: { not: { not: groups(1, 20) } } } }],
    ['unknown fields', Object.fromEntries(Array.from({ length: 990 }, (_, at) => [`nmae${at}`, 1]))],
    ['a long field', { ['n'.repeat(60_000)]: 1 }],
    ['many values', { number: { in: Array(9_000).fill(1) } }],
    [
      'unknown operators',
      { name: Object.fromEntries(Array.from({ length: 990 }, (_, at) => [`x${at}`, 1])) },
    ],
  ]
  for (const [name, filter] of filters) {
    const fields = { 'content-type': 'application/json' }
    yield* coded({
      name: `QUERY: ${name}`,
      line: 'QUERY /things',
      fields,
      body: JSON.stringify(filter),
    })
  }
  const parameters = [
    Array(500).fill('name=a').join('&'),
    `number[in]=${Array(2000).fill(1).join()}`,
    `sort=${Array(1000).fill('name').join()}`,
    `fields=${Array(1000).fill('name').join()}`,
    `embed=${Array(1000).fill('author').join()}`,
    `${'x'.repeat(7000)}=1`,
    '&'.repeat(8000),
  ]
  for (const query of parameters) {
    yield { name: `GET: ${query.slice(0, 30)}`, line: `GET /things?${query}`, fields: {} }
  }
}

/** Queries of the definition, with parameters and content. */
export function* askRequests(): Generator<CostlyRequest> {
  const parameters = [
    Array(1000).fill('words=a').join('&'),
    `${Array(900).fill('words[]=a').join('&')}`,
    `words=${'%0A'.repeat(2600)}`,
    `data=${'['.repeat(4000)}`,
    `data=[${Array(3900).fill(1).join()}]`,
    `${'x'.repeat(7000)}=1`,
    '&'.repeat(8000),
  ]
  for (const query of parameters) {
    yield { name: `GET sorted: ${query.slice(0, 30)}`, line: `GET /things/sorted?${query}`, fields: {} }
  }
  for (const range of ['', 'bytes=0-', 'bytes=-1', `bytes=0-${'9'.repeat(8000)}`]) {
    const fields = range === '' ? {} : { range }
    const line = 'GET /things/file?octets=4000000'
    yield { name: `GET file: ${range.slice(0, 30)}`, line, fields }
  }
  for (const format of ['json', 'hal-forms', 'xml', 'csv', 'html']) {
    const line = `GET /letters/latest?most=20&format=${format}`
    yield { name: `GET latest: ${format}`, line, fields: {} }
  }
  const line = { name: 'a', parts: Array(100).fill({ words: ['a', 'b'] }) }
  const contents: readonly [string, object][] = [
    ['many objects', { lines: Array(1000).fill({ name: 'a', parts: [] }) }],
    ['too many objects', { lines: Array(100_000).fill({}) }],
    ['nested objects', { lines: Array(100).fill(line) }],
    ['faulty objects', { lines: Array(1000).fill({ nmae: 1, parts: [{ x: 1 }] }) }],
  ]
  for (const [name, body] of contents) {
    const fields = { 'content-type': 'application/json' }
    yield* coded({
      name: `QUERY counted: ${name}`,
      line: 'QUERY /things/counted',
      fields,
      body: JSON.stringify(body),
    })
  }
}

/** Lists of large items in every format: letters are written by the store, marks are not. */
export function* listRequests(): Generator<CostlyRequest> {
  const formats = ['json', 'hal', 'hal-forms', 'xml', 'csv', 'ndjson', 'html']
  const queries = ['limit=1000', 'limit=1000&embed=author', 'limit=1000&fields=author']
  const lists = [
    ...formats.map((format) => ['letters', format] as const),
    ...(isFull ? formats : ['json']).map((format) => ['marks', format] as const),
  ]
  for (const [collection, format] of lists) {
    for (const query of isFull ? queries : queries.slice(0, 2)) {
      for (const coding of isFull ? ['identity', 'gzip'] : ['identity']) {
        yield {
          name: `GET ${collection} as ${format} in ${coding}: ${query}`,
          line: `GET /${collection}?${query}&format=${format}`,
          fields: { 'accept-encoding': coding },
        }
      }
    }
  }
}
