/** Multipart content (RFC 2046 §5.1), however its octets arrive. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { MultipartFault, readMultipart } from '../../src/http/multipart.ts'
import { cases } from '../cases.ts'

type Part = readonly [fields: Readonly<Record<string, string>>, content: string]

async function* inPieces(octets: Buffer, size: number) {
  for (let at = 0; at < octets.length; at += size) yield octets.subarray(at, at + size)
}

async function* inTwo(octets: Buffer, at: number) {
  yield octets.subarray(0, at)
  yield octets.subarray(at)
}

function partsOf(text: string, size: number): Promise<readonly Part[]> {
  return readParts(inPieces(Buffer.from(text), size))
}

/** The header fields and the content of each part. */
async function readParts(octets: AsyncIterable<Uint8Array>): Promise<readonly Part[]> {
  const parts: Part[] = []
  for await (const { fields, content } of readMultipart(octets, 'b')) {
    const read = Buffer.concat(await Array.fromAsync(content))
    parts.push([{ ...fields } as Record<string, string>, read.toString()])
  }
  return parts
}

const content = [
  'ignored\r\n--b  \r\nA: 1\r\nB:  two \r\n\r\nfirst\r\n--not a delimiter\r\n',
  '\r\n--b\r\n\r\n',
  '\r\n--b\r\nA: 3\r\n\r\n--b\r\n\r\nlast\r\n--b--\r\nignored',
].join('')

test('parts are the same in pieces of any size, with and without header fields and content (RFC 2046 §5.1.1)', async () => {
  const parts = [
    [{ a: '1', b: 'two' }, 'first\r\n--not a delimiter\r\n'],
    [{}, ''],
    [{ a: '3' }, ''],
    [{}, 'last'],
  ]
  for (let size = 1; size <= content.length; size += 1) {
    assert.deepEqual(await partsOf(content, size), parts, `pieces of ${size}`)
  }
})

test('content that ends early, and a header section without an end, are faults', async () => {
  for (const text of [
    '',
    '--b',
    '--b\r\nA: 1\r\n',
    '--b\r\nA: 1\r\n\r\nx',
    `--b\r\n${'A: 1\r\n'.repeat(2000)}`,
  ]) {
    for (const size of [1, 7, 20_000]) await assert.rejects(partsOf(text, size), MultipartFault)
  }
})

/** Usual libraries lose parts of some of them, or hang in some splits. */
const messages: readonly (readonly [name: string, text: string, parts: readonly Part[] | 'malformed'])[] = [
  ['text before the first boundary', 'a\r\n--c\r\n--b\r\n\r\nx\r\n--b--', [[{}, 'x']]],
  ['text after the last boundary', '--b\r\n\r\nx\r\n--b--\r\n--b\r\n\r\ny', [[{}, 'x']]],
  ['no line break after the last boundary', '--b\r\n\r\nx\r\n--b--', [[{}, 'x']]],
  [
    'padded boundaries',
    '--b \t \r\n\r\nx\r\n--b\t\r\n\r\ny\r\n--b-- \r\n',
    [
      [{}, 'x'],
      [{}, 'y'],
    ],
  ],
  [
    'a part without a name',
    '--b\r\nContent-Type: a/b\r\n\r\nx\r\n--b--\r\n',
    [[{ 'content-type': 'a/b' }, 'x']],
  ],
  ['a part without header fields', '--b\r\n\r\nx\r\n--b--\r\n', [[{}, 'x']]],
  ['empty content', '--b\r\nA: 1\r\n\r\n\r\n--b--\r\n', [[{ a: '1' }, '']]],
  ['empty content without a line', '--b\r\nA: 1\r\n\r\n--b--\r\n', [[{ a: '1' }, '']]],
  ['line breaks as content', '--b\r\n\r\n\r\n\r\n\r\n--b--\r\n', [[{}, '\r\n\r\n']]],
  ['a boundary after a line feed', '--b\r\n\r\nx\n--b\n\r\n--b--\r\n', [[{}, 'x\n--b\n']]],
  ['carriage returns before a boundary', '--b\r\n\r\nx\r\r\r\n--b--\r\n', [[{}, 'x\r\r']]],
  ['a boundary within a line', '--b\r\n\r\nx--b\r\n --b\r\n--b--\r\n', [[{}, 'x--b\r\n --b']]],
  ['beginnings of boundaries', '--b\r\n\r\n\r\n-\r\n--\r\n--c\r\n--b--', [[{}, '\r\n-\r\n--\r\n--c']]],
  ['a repeated field', '--b\r\nA: 1\r\na: 2\r\n\r\nx\r\n--b--', [[{ a: '1' }, 'x']]],
  ['no part', '--b--\r\n', []],
  ['text after a boundary', '--b\r\n\r\nx\r\n--bX\r\n\r\ny\r\n--b--\r\n', 'malformed'],
  ['boundaries that end with LF', '--b\nA: 1\n\nx\n--b--\n', 'malformed'],
  ['a long header section with LF', `--b\nA: ${'1'.repeat(200)}\n\nx\n--b--\n`, 'malformed'],
  ['a field line that ends with LF', '--b\r\nA: 1\nB: 2\r\n\r\nx\r\n--b--\r\n', 'malformed'],
  ['a folded field', '--b\r\nA: 1\r\n 2\r\n\r\nx\r\n--b--\r\n', 'malformed'],
]

for (const [name, text, parts] of messages) {
  test(`${name}: the same in all splits (RFC 2046 §5.1.1, RFC 7578 §4)`, async () => {
    const octets = Buffer.from(text)
    for (let at = 1; at <= octets.length; at += 1) {
      for (const pieces of [inPieces(octets, at), inTwo(octets, at)]) {
        if (parts === 'malformed') await assert.rejects(readParts(pieces), { reason: 'malformed' }, `${at}`)
        else assert.deepEqual(await readParts(pieces), parts, `${at}`)
      }
    }
  })
}

/** The parts of text that is there as a whole, by the grammar of RFC 2046 §5.1.1; undefined where it is malformed. */
function slowParts(text: string): readonly Part[] | undefined {
  const parts: Part[] = []
  let rest = `\r\n${text}`
  rest = rest.slice(Math.max(0, rest.indexOf('\r\n--b')))
  for (;;) {
    if (rest.startsWith('\r\n--b--')) return parts
    const head = /^\r\n--b[ \t]*\r\n((?:(?!\r\n)(?:(?!\r\n).)*\r\n)*)(?=\r\n)/s.exec(rest)
    if (!head) return undefined
    const lines = head[1]?.split('\r\n').slice(0, -1) ?? []
    // A line feed alone ends no line.
    if (lines.some((line) => !/^[\w-]+:[^\n]*$/.test(line))) return undefined
    const fields = lines.toReversed().map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, '')]
    })
    rest = rest.slice(head[0].length)
    const end = rest.indexOf('\r\n--b')
    if (end < 0) return undefined
    parts.push([Object.fromEntries(fields), rest.slice(Math.min(2, end), end)])
    rest = rest.slice(end)
  }
}

test('random content has the parts of a slow parser, or is malformed for both, in random splits', async () => {
  const tokens = ['--b', '--', '\r\n', '\r', '\n', 'b', 'A: 1', ' ', 'x', ':']
  const delimiters = ['\r\n--b\r\n', '\r\n--b\r\n\r\n', '\r\n--b--']
  const middle = fc.array(fc.constantFrom(...tokens, ...delimiters), { maxLength: 14 })
  const property = fc.asyncProperty(middle, fc.boolean(), fc.nat(100), async (drawn, isFramed, size) => {
    const text = isFramed ? `--b\r\n\r\n${drawn.join('')}\r\n--b--` : drawn.join('')
    const read = await partsOf(text, size + 1).catch((error) => {
      assert.ok(error instanceof MultipartFault, String(error))
      return undefined
    })
    assert.deepEqual(read, slowParts(text))
  })
  await fc.assert(property, { numRuns: cases(3000) })
})
