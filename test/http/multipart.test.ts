/** Multipart content (RFC 2046 §5.1), however its octets arrive. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MultipartFault, readMultipart } from '../../src/http/multipart.ts'

async function* inPieces(octets: Buffer, size: number) {
  for (let at = 0; at < octets.length; at += size) yield octets.subarray(at, at + size)
}

/** The header fields and the content of each part. */
async function partsOf(text: string, size: number): Promise<readonly unknown[]> {
  const parts: unknown[] = []
  for await (const { fields, content } of readMultipart(inPieces(Buffer.from(text), size), 'b')) {
    const octets = Buffer.concat(await Array.fromAsync(content))
    parts.push([{ ...fields }, octets.toString()])
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
