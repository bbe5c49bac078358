/** The parsers for files: ranges, digests, names and multipart. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { formatContentDisposition, parseContentDisposition } from '../../src/http/content-disposition.ts'
import { parseDigests } from '../../src/http/digest.ts'
import { isBoundary, MultipartFault, readMultipart } from '../../src/http/multipart.ts'
import { parseRange } from '../../src/http/range.ts'

test('RFC 9110 §14.1.2: a range of an empty representation is not satisfiable', () => {
  for (const range of ['bytes=0-', 'bytes=0-0', 'bytes=-1'])
    assert.equal(parseRange(range, 0), 'unsatisfiable')
})

describe('RFC 9530', () => {
  const sha256 = Buffer.alloc(32).toString('base64')
  test('known algorithms are returned, others ignored', () => {
    const digests = parseDigests(`md5=:AAAA:, sha-256=:${sha256}:;a=1`)
    assert.deepEqual([...(digests ?? [])], [['sha-256', sha256]])
  })
  test('other values are malformed', () => {
    for (const value of [
      '',
      'sha-256',
      'sha-256=abc',
      'sha-256=:AAAA:',
      'SHA-256=:AAAA:',
      `sha-256=:${sha256}:,`,
    ]) {
      assert.equal(parseDigests(value), undefined, value)
    }
  })
})

describe('RFC 6266', () => {
  test('the name is that of filename*, else that of filename', () => {
    const names: readonly [string, string | undefined][] = [
      ['attachment; filename="a.png"', 'a.png'],
      ['attachment; filename=a.png', 'a.png'],
      [`attachment; filename="x"; filename*=UTF-8''%E2%82%AC.png`, '€.png'],
      [`attachment; filename="x"; filename*=ISO-8859-1''%A3`, 'x'],
      [`attachment; filename*=UTF-8''%FF`, undefined],
      ['inline', undefined],
      ['attachment; filename="a\\"b"', 'a"b'],
      [`attachment; filename="${Buffer.from('é.png').toString('latin1')}"`, 'é.png'],
    ]
    for (const [value, name] of names) assert.equal(parseContentDisposition(value)?.filename, name, value)
    assert.equal(parseContentDisposition('attachment; filename=my file.png'), undefined)
  })

  test('a formatted name has no character that could end the field', () => {
    assert.equal(formatContentDisposition('inline', 'a.png'), 'inline; filename="a.png"')
    const hostile = formatContentDisposition('attachment', 'a"\\\r\n%41€.html')
    assert.match(hostile, /^[ -~]*$/)
    assert.equal(parseContentDisposition(hostile)?.filename, 'a"\\\r\n%41€.html')
  })
})

describe('RFC 2046 §5.1', () => {
  async function* pieces(text: string, length: number) {
    for (let at = 0; at < text.length; at += length) yield Buffer.from(text.slice(at, at + length), 'latin1')
  }
  const read = async (text: string, length = 7, limits?: Parameters<typeof readMultipart>[2]) => {
    const found: [string | undefined, string][] = []
    for await (const { fields, content } of readMultipart(pieces(text, length), 'b', limits)) {
      found.push([fields['content-type'], Buffer.concat(await Array.fromAsync(content)).toString('latin1')])
    }
    return found
  }
  const form =
    'preamble\r\n--b\r\nContent-Type: text/plain\r\n\r\none\r\n--x\r\n--b \t\r\n\r\n\r\n--b\r\n\r\ntwo\r\n--b--\r\nrest'

  test('the parts are the same however the octets arrive', async () => {
    const expected = [
      ['text/plain', 'one\r\n--x'],
      [undefined, ''],
      [undefined, 'two'],
    ]
    for (let length = 1; length < 40; length += 1) assert.deepEqual(await read(form, length), expected)
  })

  test('content that is not taken is skipped', async () => {
    let count = 0
    for await (const _ of readMultipart(pieces(form, 5), 'b')) count += 1
    assert.equal(count, 3)
  })

  test('a missing last boundary, text after a boundary and malformed fields are faults', async () => {
    const faulty = [
      '',
      'x',
      '--b',
      '--b\r\n',
      '--b\r\n\r\nx',
      '--b\r\n\r\nx\r\n--b',
      '--b\r\nbad\r\n\r\n\r\n--b--',
      '--bx\r\n\r\n\r\n--b--',
    ]
    for (const text of faulty) await assert.rejects(read(text), MultipartFault, JSON.stringify(text))
  })

  test('parts and header sections are limited on both sides', async () => {
    const limits = { parts: 2, headerSection: 20 }
    const part = (name: string) => `--b\r\n${name}\r\n\r\nx\r\n`
    assert.equal((await read(`${part('A: 1')}${part('A: 1')}--b--`, 9, limits)).length, 2)
    await assert.rejects(read(`${part('A: 1').repeat(3)}--b--`, 9, limits), { reason: 'too-large' })
    assert.equal((await read(`${part(`A: ${'x'.repeat(17)}`)}--b--`, 9, limits)).length, 1)
    await assert.rejects(read(`${part(`A: ${'x'.repeat(18)}`)}--b--`, 9, limits), { reason: 'too-large' })
  })

  test('a boundary has 1 to 70 characters and does not end in a space', () => {
    assert.ok(isBoundary('x'.repeat(70)))
    for (const text of [undefined, '', 'x'.repeat(71), 'a ', 'a"b', 'a\r\n'])
      assert.equal(isBoundary(text), false)
  })
})
