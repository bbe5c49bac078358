/** CSV: RFC 4180 out and in, and no cell that a spreadsheet would run. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { escapeFormula, unescapeFormula } from '../../src/formats/csv-formula.ts'
import { parseCsv } from '../../src/formats/csv-reader.ts'
import { Refusal } from '../../src/refusal.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { cases } from '../cases.ts'
import { serve } from '../service.ts'
import { definition, items } from './items.ts'

const resource = checkDefinition(definition).resources.get('things')!
const read = (text: string | Uint8Array) => parseCsv(Buffer.from(text), { resource, charset: undefined })

test('JSON to CSV to JSON gives the same items, for random items of every kind (RFC 4180)', async () => {
  await using s = await serve(definition)
  const property = fc.asyncProperty(fc.array(items, { maxLength: 4 }), async (several) => {
    for (const item of several) {
      const made = await s.request('POST /things', {}, item)
      assert.equal(made.status, 201, made.text)
    }
    const shown = (await s.request('GET /things?limit=1000')).json
    const { text } = await s.request('GET /things', { accept: 'text/csv' })
    assert.deepEqual(read(text), shown)
    for (const { id } of shown) await s.request(`DELETE /things/${id}`)
  })
  await fc.assert(property, { numRuns: cases(300) })
})

test('a text that a spreadsheet would execute is escaped and unescaped (docs/reference/http/formats.md, "Formats")', () => {
  for (const text of ['=1+1', '+1', '-1', '@a', '\ta', '\ra', "'=1", "''-"]) {
    assert.ok(escapeFormula(text).startsWith("'"), text)
    assert.equal(unescapeFormula(escapeFormula(text)), text)
  }
  for (const text of ['', 'a=1', "'", "'a", ' =1', '1']) {
    assert.equal(escapeFormula(text), text)
    assert.equal(unescapeFormula(text), text)
  }
  const property = fc.property(
    fc.array(fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', 'a')),
    (parts) => {
      const text = parts.join('')
      assert.equal(unescapeFormula(escapeFormula(text)), text)
      assert.doesNotMatch(escapeFormula(text), /^[=+\-@\t\r]/)
    },
  )
  fc.assert(property, { numRuns: cases(10_000) })
})

test('lines end in CRLF, quotes are doubled, empty is quoted and absent is not (RFC 4180 §2)', async () => {
  await using s = await serve(definition)
  await s.request('POST /things', {}, { text: 'a "b", c', texts: [], choice: '=1+1' })
  await s.request('POST /things', {}, { text: '' })
  const { text, fields } = await s.request('GET /things?limit=10', { accept: 'text/csv' })
  assert.equal(fields['content-type'], 'text/csv')
  const [header, first, second, end] = text.split('\r\n')
  assert.equal(
    header,
    'id,text,email,url,uuid,integer,number,decimal,boolean,date,timestamp,choice,texts,numbers,flags,data,other,createdAt,updatedAt',
  )
  assert.match(first ?? '', /^[0-9a-f-]{36},"a ""b"", c",,,,,,,,,,'=1\+1,\[\],,,,,2/)
  assert.match(second ?? '', /^[0-9a-f-]{36},"",,/)
  assert.equal(end, '')
})

test('what is not well-formed is 400', () => {
  for (const text of ['', 'text\n"a', 'text,text\na,b', 'text\na,b', 'data\n{"a":1', 'text\n\xff']) {
    assert.throws(
      () => read(text.includes('\xff') ? Buffer.from(text, 'latin1') : text),
      (error) => error instanceof Refusal && error.status === 400,
      text,
    )
  }
})

test('1,000 lines are read; at the next one reading ends with 422', () => {
  const lines = (count: number) => `text\r\n${'a\r\n'.repeat(count)}`
  assert.equal(read(lines(1000)).length, 1000)
  // What comes after it is not looked at, or it would be 400.
  assert.throws(() => read(`${lines(1001)}"`), { status: 422 })
})

test('100,000 cells are read; at the next one reading ends with 400', () => {
  const header = Array.from({ length: 1000 }, (_, at) => `c${at}`).join()
  const lines = (count: number) => `${header}\n${`${','.repeat(999)}\n`.repeat(count)}`
  assert.equal(read(lines(99)).length, 99)
  assert.throws(() => read(`${lines(100)}"`), { message: /More than 100000 cells/ })
  assert.throws(() => read(`${header},c\n`), { message: /More than 1000 columns in line 1/ })
})

test('quotes, line breaks and empty lines are read as RFC 4180 §2 has them', () => {
  const texts = (text: string) => read(text).map((item) => (item as { text?: string }).text)
  assert.deepEqual(texts('\ufefftext\r\n\r\n"a ""b"",\r\nc"\rd\n\n""\n'), ['a "b",\r\nc', 'd', ''])
  for (const [text, reason] of [
    ['text\n"a\nb', /A quote is not closed in line 2/],
    ['text\na"b', /A quote is neither at the start nor at the end of a cell in line 2/],
    ['text\n"a\nb"\n"c"d', /A quote is neither at the start nor at the end of a cell in line 4/],
    ['text\na,b', /2 cells instead of 1 in line 2/],
  ] as const) {
    assert.throws(() => read(text), { message: reason })
  }
})

test('names that objects inherit are plain names', () => {
  const [item] = read('__proto__,constructor\nx,y')
  assert.deepEqual(Object.keys(item as object), ['__proto__', 'constructor'])
})

test('POST accepts CSV with many items (docs/reference/http/writing.md, "Writing")', async () => {
  await using s = await serve(definition)
  const fields = { 'content-type': 'text/csv' }
  const made = await s.request('POST /things', fields, 'text,integer,texts\r\n\'=1,2,"[""a""]"\r\n,3,\r\n')
  assert.equal(made.status, 201, made.text)
  const shown = made.json.map(({ text, integer, texts }: Record<string, unknown>) => [text, integer, texts])
  assert.deepEqual(shown, [
    ['=1', 2, ['a']],
    [undefined, 3, undefined],
  ])
  const wrong = await s.request('POST /things', fields, 'integer,nope\n1,\nx,y\n')
  assert.equal(wrong.status, 422)
  const pointers = wrong.json.errors.map((error: { pointer: string }) => error.pointer)
  assert.deepEqual(pointers.sort(), ['/1/integer', '/1/nope'])
  const accepted = (await s.request('OPTIONS /things')).fields['accept-post']
  assert.equal(
    accepted,
    'application/json, application/xml, application/x-www-form-urlencoded, text/csv, application/x-ndjson',
  )
  assert.equal((await s.request('POST /others', fields, 'code\na\n')).status, 415)
})
