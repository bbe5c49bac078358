/** XML and JSON are equal: what goes out comes in again, and what is hostile stays out. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { parseXmlItem } from '../../src/formats/xml-reader.ts'
import { Refusal } from '../../src/refusal.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { cases } from '../cases.ts'
import { type Reply, serve } from '../service.ts'
import { definition, items } from './items.ts'

const resource = checkDefinition(definition).resources.get('things')!
const asXml = { accept: 'application/xml', 'content-type': 'application/xml' }

function read(text: string | Uint8Array, charset?: string) {
  const content = typeof text === 'string' ? Buffer.from(text) : text
  return parseXmlItem(content, { resource, charset })
}

function refusalOf(text: string | Uint8Array): Refusal {
  try {
    read(text)
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
  throw new Error(`It was read: ${String(text).slice(0, 100)}`)
}

describe('XML has the same members as JSON (docs/reference/http/formats.md, "Formats")', () => {
  test('JSON to XML to JSON is the identity, for random items of every kind', async () => {
    await using s = await serve(definition)
    const property = fc.asyncProperty(items, async (item) => {
      const made = await s.request('POST /things', {}, item)
      assert.equal(made.status, 201, made.text)
      const uri = made.fields.location as string
      const shown = (await s.request(`GET ${uri}`)).json
      const { text } = await s.request(`GET ${uri}`, { accept: 'application/xml' })
      assert.deepEqual(read(text), shown)
      const put = await s.request(`PUT ${uri}`, { 'content-type': 'application/xml' }, text)
      assert.equal(put.status, 200, put.text)
      assert.deepEqual(put.json, shown)
    })
    await fc.assert(property, { numRuns: cases(1000) })
  })

  test('a list is its collection with an item for each; a reference is its id', async () => {
    await using s = await serve(definition)
    assert.equal((await s.request('POST /others', {}, { code: '<a>' })).status, 201)
    const body = '<things><text>a</text><other>&lt;a></other></things>'
    const made = await s.request('POST /things', asXml, body)
    assert.equal(made.status, 201, made.text)
    const { text } = await s.request('GET /things', { accept: 'application/xml' })
    assert.match(text, /^<\?xml version="1.0" encoding="UTF-8"\?>\n<things><item><id>/)
    assert.match(text, /<text>a<\/text><other>&lt;a&gt;<\/other>.*<\/item><\/things>\n$/)
  })

  test('empty text is an empty element, an absent field is no element', () => {
    assert.deepEqual(read('<things><text/><texts/></things>'), { text: '', texts: [] })
    assert.deepEqual(read('<things><texts><item/></texts></things>'), { texts: [''] })
    assert.deepEqual(read('<things/>'), {})
  })

  test('space around numbers, dates and truth does not count; within text it does', () => {
    const text = '<things><integer> 1 </integer><boolean>\n1</boolean><text> a </text></things>'
    assert.deepEqual(read(text), { integer: 1, boolean: true, text: ' a ' })
  })

  test('what has not the form of its kind is 422 at its pointer, as in JSON', async () => {
    await using s = await serve(definition)
    const body =
      '<things><integer>x</integer><boolean>maybe</boolean><numbers><item>1</item><item>z</item></numbers><titel/></things>'
    const response = await s.request('POST /things', { ...asXml, accept: 'application/json' }, body)
    assert.equal(response.status, 422, response.text)
    const pointers = response.json.errors.map((error: { pointer: string }) => error.pointer)
    assert.deepEqual(pointers.sort(), ['/boolean', '/integer', '/numbers/1', '/titel'])
  })

  test('an integer beyond 2^53-1 is 400, never rounded', () => {
    assert.equal(refusalOf('<things><integer>9007199254740993</integer></things>').status, 400)
    const least = '<things><integer>9007199254740991</integer></things>'
    assert.deepEqual(read(least), { integer: 9007199254740991 })
  })

  test('a PATCH in XML is a merge patch; xsi:nil="true" removes a field (RFC 7396)', async () => {
    await using s = await serve(definition)
    const made = await s.request('POST /things', {}, { text: 'a', integer: 1, data: { a: 1 } })
    const uri = made.fields.location as string
    for (const body of [
      '<things><text xsi:nil="true"/></things>',
      '<things xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><integer xsi:nil="true"/></things>',
      '<things xmlns:i="http://www.w3.org/2001/XMLSchema-instance"><data i:nil="1"/></things>',
    ]) {
      const response = await s.request(`PATCH ${uri}`, asXml, body)
      assert.equal(response.status, 200, response.text)
    }
    const { json } = await s.request(`GET ${uri}`)
    assert.deepEqual([json.text, json.integer, json.data], [undefined, undefined, undefined])
    assert.equal((await s.request(`PATCH ${uri}`, asXml, '<things><text>b</text></things>')).status, 200)
    assert.equal((await s.request(`GET ${uri}`)).json.text, 'b')
  })

  test('the root is the collection, or the item that a list shows', () => {
    assert.deepEqual(read('<item><text>a</text></item>'), { text: 'a' })
    assert.deepEqual(read('<things><item><text>a</text></item></things>'), { text: 'a' })
    assert.equal(refusalOf('<others><text>a</text></others>').status, 400)
  })
})

describe('hostile XML (XML 1.0 §2.8, §4.4)', () => {
  test('a document type, whatever it declares, is 400 before anything is parsed', () => {
    const bomb = '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    for (const text of [
      '<!DOCTYPE things><things/>',
      `${bomb}<things><text>&b;</text></things>`,
      '<?xml version="1.0"?>\n<!DOCTYPE things SYSTEM "file:///etc/passwd"><things/>',
      '<things/><!DOCTYPE things>',
      '<things><!ENTITY x "y"></things>',
    ]) {
      assert.match(refusalOf(text).message, /document type/, text)
    }
    const large = `<!DOCTYPE a><things><text>${'&#65;'.repeat(200_000)}</text></things>`
    assert.match(refusalOf(large).message, /document type/)
  })

  test('the words of a document type are data where they are data', () => {
    const text = '<things><text><![CDATA[<!DOCTYPE html>]]></text><!-- <!DOCTYPE --></things>'
    assert.deepEqual(read(text), { text: '<!DOCTYPE html>' })
  })

  test('32 levels are read, 33 are not', () => {
    const nested = (depth: number) => `<things>${'<a>'.repeat(depth - 1)}${'</a>'.repeat(depth - 1)}</things>`
    assert.ok(read(nested(32)))
    assert.match(refusalOf(nested(33)).message, /deeper than 32/)
    assert.match(refusalOf('<things>'.repeat(100_000)).message, /deeper than 32/)
  })

  test('50,000 references are read, one more is not', () => {
    const text = (count: number) => `<things><text>${'&lt;'.repeat(count)}</text></things>`
    assert.deepEqual(read(text(50_000)), { text: '<'.repeat(50_000) })
    assert.match(refusalOf(text(50_001)).message, /references/)
  })

  test('20,000 elements and tags of 4,096 characters are read, more are not', () => {
    const list = (count: number) => `<things><texts>${'<item/>'.repeat(count)}</texts></things>`
    assert.deepEqual(read(list(19_998)), { texts: Array(19_998).fill('') })
    assert.match(refusalOf(list(19_999)).message, /elements/)
    const tag = (length: number) => `<things xml:lang="${'a'.repeat(length - 21)}"/>`
    assert.deepEqual(read(tag(4096)), {})
    assert.match(refusalOf(tag(4097)).message, /longer than 4096/)
  })

  test('what is not well-formed is 400', () => {
    for (const text of [
      '',
      'text',
      '<things>',
      '<things></thing>',
      '<things/><things/>',
      '<things>&nope;</things>',
      '<things>&#0;</things>',
      '<things><text>\u0001</text></things>',
      '<things a="1" a="2"/>',
      '<things><text>a</text><text>b</text></things>',
      '<things>stray<text>a</text></things>',
      '<things><text style="x">a</text></things>',
      '<things><texts><text>a</text></texts></things>',
      '<things><data>{"a":1,"a":2}</data></things>',
    ]) {
      assert.equal(refusalOf(text).status, 400, text)
    }
  })

  test('names that objects inherit are plain names', () => {
    const text = '<things><__proto__><polluted>1</polluted></__proto__><constructor>x</constructor></things>'
    const members = read(text) as object
    assert.deepEqual(Object.keys(members), ['__proto__', 'constructor'])
    assert.equal(Object.getPrototypeOf(members), Object.prototype)
    assert.equal(Object(undefined).polluted, undefined)
  })

  test('the charset is that of the mark, the field, the declaration, else UTF-8 (RFC 7303 §3)', () => {
    const declared = '<?xml version="1.0" encoding="UTF-8"?><things><text>é</text></things>'
    assert.deepEqual(read(declared), { text: 'é' })
    const utf16 = Buffer.from(`\uFEFF${declared.replace('UTF-8', 'UTF-16')}`, 'utf16le')
    assert.deepEqual(read(utf16), { text: 'é' })
    const latin = declared.replace('UTF-8', 'ISO-8859-1')
    assert.equal(refusalOf(Buffer.from(latin, 'latin1')).status, 400)
    assert.deepEqual(read(latin, 'utf-8'), { text: 'é' })
    assert.equal(refusalOf(Buffer.from([...Buffer.from('<things>'), 0xff])).status, 400)
  })
})

describe('a client that uses only XML (docs/reference/http/formats.md, "Formats")', () => {
  test('it creates, reads, lists, replaces, patches and deletes', async () => {
    await using s = await serve(definition)
    const idOf = (reply: Reply) => /<id>([^<]*)<\/id>/.exec(reply.text)?.[1]
    const made = await s.request('POST /things', asXml, '<things><text>a</text></things>')
    assert.deepEqual([made.status, made.fields['content-type']], [201, 'application/xml'])
    const uri = `/things/${idOf(made)}`
    assert.equal(made.fields.location, uri)
    const got = await s.request(`GET ${uri}`, asXml)
    const put = await s.request(`PUT ${uri}`, asXml, got.text.replace('>a<', '>b<'))
    assert.match(put.text, /<text>b<\/text>/)
    assert.match((await s.request(`PATCH ${uri}`, asXml, '<things><text>c</text></things>')).text, />c</)
    assert.match((await s.request('GET /things', asXml)).text, /<item>.*<text>c<\/text>/)
    assert.equal((await s.request(`DELETE ${uri}`, asXml)).status, 204)
    const home = await s.request('GET /', asXml)
    assert.match(home.text, /<home><title>Everything<\/title><links>.*<things>\/things<\/things>/)
  })
})
