/** JSON content (RFC 8259, and RFC 7493 where it is silent): refused or stored, never changed. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { serve } from '../service.ts'
import { asJson, isMalformed, post, things } from './json-service.ts'

describe('JSON grammar (RFC 8259 §2)', () => {
  test('content that is not a JSON text is 400, and nothing is created', async () => {
    await using s = await serve(things)
    const texts = ['{', '{"name":"a"', "{'name':'a'}", '{"name":"a",}', '{name:1}', '{"size":01}']
    const more = ['{"size":.5}', '{"size":1.}', '{"size":+1}', '{"size":NaN}', '{"name":"\t"}']
    const rest = ['{"name":"\\x"}', '{} {}', '// a\n{}', 'undefined', '"a', '{"a"}', '{"size":-}']
    for (const content of [...texts, ...more, ...rest]) await isMalformed(s, content)
    assert.deepEqual((await s.request('GET /things')).json, [])
  })

  test('the detail names the place of what the scan finds', async () => {
    await using s = await serve(things)
    const response = await isMalformed(s, '{"name":"a","name":"b"}')
    assert.match(response.json.detail, /"name" at character 13\.$/)
  })

  test('the detail names the place of wrong syntax', async () => {
    await using s = await serve(things)
    const trailing = await isMalformed(s, '{"name":"a",}')
    assert.equal(trailing.json.detail, 'The content is not valid JSON at character 13.')
    const cut = await isMalformed(s, '{"name":')
    assert.equal(cut.json.detail, 'The content is not valid JSON: it ends too early.')
    const quoted = await isMalformed(s, '{"name":(line 1 column 1)}')
    assert.equal(quoted.json.detail, 'The content is not valid JSON.')
  })

  test('insignificant whitespace is allowed anywhere (§2)', async () => {
    await using s = await serve(things)
    const response = await post(s, ' \t\r\n{ "size" :\n1 , "tags" : [ "a" , "b" ] } \r\n')
    assert.equal(response.status, 201)
    assert.deepEqual([response.json.size, response.json.tags], [1, ['a', 'b']])
  })

  test('empty content is 400', async () => {
    await using s = await serve(things)
    await isMalformed(s, '')
    await isMalformed(s, ' ')
  })

  test('a text that is not an object is 422 at the root pointer', async () => {
    await using s = await serve(things)
    const { location } = (await post(s, '{}')).fields
    for (const content of ['null', 'true', '1', '"a"', '[]', '[{"name":"a"}]']) {
      for (const line of ['POST /things', `PUT ${location}`, `PATCH ${location}`]) {
        const response = await s.request(line, asJson, content)
        assert.equal(response.status, 422, `${line} ${content}`)
        assert.equal(response.json.errors[0].pointer, '')
      }
    }
  })
})

describe('names (RFC 8259 §4)', () => {
  test('a duplicate name is 400, at any depth, escaped or not', async () => {
    await using s = await serve(things)
    await isMalformed(s, '{"name":"a","name":"a"}')
    await isMalformed(s, '{"name":"a","n\\u0061me":"b"}')
    await isMalformed(s, '{"data":[{"x":{"a":1,"\\u0061":2}}]}')
    await isMalformed(s, '{"data":{"__proto__":1,"__proto__":2}}')
  })

  test('the same name in two objects is no duplicate, nor is a value like a name', async () => {
    await using s = await serve(things)
    const content = '{"name":"data","data":[{"a":"a"},{"a":{"a":"b"}}]}'
    const response = await post(s, content)
    assert.equal(response.status, 201)
    assert.deepEqual(response.json.data, [{ a: 'a' }, { a: { a: 'b' } }])
  })

  test('1,000 names in an object are accepted, 1,001 are 400', async () => {
    await using s = await serve(things)
    const names = (count: number) =>
      JSON.stringify({ data: Object.fromEntries(Array.from({ length: count }, (_, i) => [i, i])) })
    assert.equal((await post(s, names(1000))).status, 201)
    await isMalformed(s, names(1001), '1,001 names')
  })

  test('__proto__, constructor and toString are names like any other: unknown fields, 422 each', async () => {
    await using s = await serve(things)
    const names = ['__proto__', 'constructor', 'toString', 'prototype', 'hasOwnProperty']
    const { location } = (await post(s, '{}')).fields
    for (const line of ['POST /things', `PUT ${location}`, `PATCH ${location}`]) {
      const members = names.map((name) => `${JSON.stringify(name)}:{"polluted":true}`)
      const response = await s.request(line, asJson, `{${members.join()}}`)
      assert.equal(response.status, 422)
      const pointers = response.json.errors.map((error: { pointer: string }) => error.pointer)
      assert.deepEqual(pointers.sort(), names.map((name) => `/${name}`).sort())
    }
    assert.equal(({} as { polluted?: boolean }).polluted, undefined)
  })

  test('within a json field they are stored as data, and merged as data', async () => {
    await using s = await serve(things)
    const content = '{"data":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}}}}'
    const created = await post(s, content)
    assert.equal(created.status, 201)
    assert.ok(created.text.includes(content.slice(1, -1)))
    const patch = '{"data":{"__proto__":{"more":3},"toString":null}}'
    const patched = await s.request(`PATCH ${created.fields.location}`, asJson, patch)
    assert.ok(patched.text.includes('"__proto__":{"polluted":1,"more":3}'))
    const { polluted, more } = {} as { polluted?: unknown; more?: unknown }
    assert.deepEqual([polluted, more], [undefined, undefined])
  })
})

describe('numbers (RFC 8259 §6, RFC 7493 §2.2)', () => {
  test('integers within ±(2^53−1) are stored exactly, beyond them 400', async () => {
    await using s = await serve(things)
    for (const exact of ['9007199254740991', '-9007199254740991']) {
      const response = await post(s, `{"count":${exact},"size":${exact},"data":[${exact}]}`)
      assert.equal(response.status, 201)
      assert.ok(response.text.includes(`"size":${exact},"count":${exact},"data":[${exact}]`))
    }
    for (const lost of ['9007199254740992', '-9007199254740992', '9007199254740993', '1'.repeat(400)]) {
      await isMalformed(s, `{"count":${lost}}`)
      await isMalformed(s, `{"data":[${lost}]}`)
    }
  })

  test('such an integer is 400 however it is written', async () => {
    await using s = await serve(things)
    await isMalformed(s, '{"data":9007199254740993.0}')
    await isMalformed(s, '{"size":-9007199254740993.000}')
  })

  test('1e308 is stored, 1e400 is 400, and so is 1e-400, which would become 0', async () => {
    await using s = await serve(things)
    const response = await post(s, '{"size":1e308,"data":[-1E+308,5e-324]}')
    assert.equal(response.status, 201)
    assert.deepEqual([response.json.size, response.json.data], [1e308, [-1e308, 5e-324]])
    for (const lost of ['1e400', '-1e400', '1E+400', `${'9'.repeat(310)}.5`, '1e-400']) {
      await isMalformed(s, `{"size":${lost}}`)
    }
    const zero = await post(s, '{"size":0e-400}')
    assert.equal(zero.json.size, 0)
  })

  test('1.0 and 1e2 are integers, 1.5 is 422, and −0 is 0', async () => {
    await using s = await serve(things)
    assert.equal((await post(s, '{"count":1.0}')).json.count, 1)
    assert.equal((await post(s, '{"count":1e2}')).json.count, 100)
    assert.equal((await post(s, '{"count":1.5}')).status, 422)
    assert.equal((await post(s, '{"count":1e16}')).status, 422)
    assert.match((await post(s, '{"count":-0,"size":-0.0}')).text, /"size":0,"count":0,/)
  })

  test('digits within a string are no number', async () => {
    await using s = await serve(things)
    assert.equal((await post(s, '{"name":"1e400 9007199254740993"}')).status, 201)
  })
})

describe('strings and encoding (RFC 8259 §7, §8)', () => {
  test('content that is not valid UTF-8 is 400, not mended (§8.1)', async () => {
    await using s = await serve(things)
    for (const octets of [[0xff], [0xc3], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]]) {
      const content = Buffer.concat([Buffer.from('{"name":"'), Buffer.from(octets), Buffer.from('"}')])
      await isMalformed(s, content)
    }
    await isMalformed(s, Buffer.from('{"name":"a"}', 'utf16le'))
  })

  test('a byte order mark is 400, and responses have none (§8.1)', async () => {
    await using s = await serve(things)
    await isMalformed(s, '\ufeff{}')
    assert.equal((await post(s, '{"name":"\ufeff"}')).status, 201)
    assert.ok((await s.request('GET /things')).text.startsWith('['))
  })

  test('lone surrogates and NUL in text are 422 at their place (§8.2)', async () => {
    await using s = await serve(things)
    for (const escaped of ['\\ud800', '\\udfff', '\\ude00\\ud83d', '\\u0000', '\\u0007', '\\uffff']) {
      const fields = {
        name: '"name":"a%"',
        tags: '"tags":["a","b%"]',
        secret: '"secret":"longer %"',
      }
      for (const [name, member] of Object.entries(fields)) {
        const response = await post(s, `{${member.replace('%', escaped)}}`)
        assert.equal(response.status, 422, `${name} ${escaped}`)
        assert.equal(response.json.errors[0].pointer, name === 'tags' ? '/tags/1' : `/${name}`)
      }
    }
  })

  test('every other character is returned unchanged', async () => {
    await using s = await serve(things)
    const name = 'tab\t lf\n cr\r quote" back\\ slash/ \u007f \u2028 é 東京 \u{1f600} \ufeff'
    const created = await s.request('POST /things', {}, { name, data: { [name]: name } })
    const { json: read } = await s.request(`GET ${created.fields.location}`)
    assert.deepEqual([read.name, read.data], [name, { [name]: name }])
  })

  test('a surrogate pair is one character (RFC 8259 §7)', async () => {
    await using s = await serve(things)
    assert.equal((await post(s, '{"name":"\\ud83d\\ude00"}')).json.name, '\u{1f600}')
  })

  test('lone surrogates and NUL within a json field are stored', async () => {
    await using s = await serve(things)
    const created = await post(s, '{"data":["\\ud800","\\u0000"]}')
    assert.equal(created.status, 201)
    assert.deepEqual(created.json.data, ['\ud800', '\0'])
    assert.deepEqual((await s.request(`GET ${created.fields.location}`)).json.data, ['\ud800', '\0'])
  })
})

describe('members (docs/reference/http/writing.md, Writing)', () => {
  test('unknown members are 422 naming each, with the pointer escaped (RFC 6901 §3)', async () => {
    await using s = await serve(things)
    const response = await s.request('POST /things', {}, { nam: 1, 'a/b~c': 2, '': 3 })
    assert.equal(response.status, 422)
    const pointers = response.json.errors.map((error: { pointer: string }) => error.pointer)
    assert.deepEqual(pointers.sort(), ['/', '/a~1b~0c', '/nam'])
  })

  test('id and times cannot be assigned: 422', async () => {
    await using s = await serve(things)
    for (const name of ['id', 'createdAt', 'updatedAt', '_version', '_identity']) {
      const response = await s.request('POST /things', {}, { [name]: '2020-01-01T00:00:00.000Z' })
      assert.equal(response.status, 422, name)
      assert.equal(response.json.errors[0].pointer, `/${name}`)
    }
  })

  test('values are never coerced: 422', async () => {
    await using s = await serve(things)
    const wrong = { name: 1, tags: 'a', size: '1', count: true }
    const response = await s.request('POST /things', {}, wrong)
    assert.equal(response.status, 422)
    assert.equal(response.json.errors.length, 4)
  })
})
