/** RFC 9112 §2 and §5: versions, and the syntax of messages and fields. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { membersOf, type RawService, serveRaw } from '../server/raw.ts'

let service: RawService
before(async () => {
  service = await serveRaw()
})
after(() => service.stop())

async function onlyAnswerTo(message: string) {
  const responses = await service.exhaust(message)
  assert.equal(responses.length, 1)
  return responses[0]!
}

describe('versions (RFC 9110 §2.5, §15.6.6)', () => {
  // 1.2 and 1.9 deviate from the SHOULD of RFC 9110 §2.5: Node's parser refuses them.
  for (const version of ['0.9', '1.2', '1.9', '2.0', '3.0', '9.9']) {
    test(`HTTP/${version} is 505 with a problem`, async () => {
      const response = await onlyAnswerTo(`GET / HTTP/${version}\r\nHost: a\r\n\r\n`)
      assert.equal(response.status, 505)
      assert.equal(membersOf(response).type, 'http-version-not-supported')
      assert.equal(response.fields.connection, 'close')
    })
  }
  test('a request-line without version, as in HTTP/0.9, is 505', async () => {
    assert.equal((await onlyAnswerTo('GET /\r\n\r\n')).status, 505)
  })
  test('the preface of HTTP/2 is 505 (RFC 9113 §3.4)', async () => {
    assert.equal((await onlyAnswerTo('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')).status, 505)
  })
  for (const version of ['HTTP/1.10', 'HTTP/1', 'HTTP/11', 'http/1.1', 'HTTP/x.1', 'HTP/1.1']) {
    test(`the version ${version} is malformed: 400 (RFC 9112 §2.3)`, async () => {
      assert.equal((await onlyAnswerTo(`GET / ${version}\r\nHost: a\r\n\r\n`)).status, 400)
    })
  }
})

describe('the syntax of messages (RFC 9112 §2.2, §5)', () => {
  const refused = {
    'a space before the colon (§5.1)': 'B : c\r\n',
    'a fold (§5.2)': 'B: c\r\n d\r\n',
    'a fold by a tab (§5.2)': 'B: c\r\n\td\r\n',
    'a bare CR in a value (§2.2)': 'B: c\rd\r\n',
    'a bare LF after a value (§2.2)': 'B: c\nD: e\r\n',
    'a NUL in a value (RFC 9110 §5.5)': 'B: \0\r\n',
    'a control in a value (RFC 9110 §5.5)': 'B: \x01\r\n',
    'no colon (§5)': 'B\r\n',
    'an empty name (RFC 9110 §5.1)': ': b\r\n',
    'a name that is no token (RFC 9110 §5.1)': 'B(): c\r\n',
    'a name with an octet above 127 (RFC 9110 §5.1)': 'B\xe9: c\r\n',
  }
  for (const [kind, line] of Object.entries(refused)) {
    test(`${kind}: 400 with Date and a problem, and a close`, async () => {
      const response = await onlyAnswerTo(`GET / HTTP/1.1\r\nHost: a\r\n${line}\r\n`)
      assert.equal(response.status, 400)
      assert.equal(response.fields.connection, 'close')
      assert.equal(response.fields.date, new Date(response.fields.date ?? '').toUTCString())
      assert.equal(response.fields['content-type'], 'application/problem+json')
      assert.equal(membersOf(response).instance, response.fields['request-id'])
    })
  }
  test('whitespace before the first field is 400 (§2.2)', async () => {
    assert.equal((await onlyAnswerTo('GET / HTTP/1.1\r\n Host: a\r\n\r\n')).status, 400)
  })
  test('bare LF as line end is 400 (§2.2 allows it, smuggling thrives on it)', async () => {
    assert.equal((await onlyAnswerTo('GET / HTTP/1.1\nHost: a\n\n')).status, 400)
  })
  test('empty lines before the request-line are ignored (§2.2)', async () => {
    const client = await service.open('\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n')
    assert.equal((await client.one()).status, 200)
    client.destroy()
  })
  test('a message cut off by the client is 400 where the client still listens (§8)', async () => {
    const client = await service.open('GET / HTTP/1.1\r\nHo')
    client.endSending()
    assert.deepEqual(
      (await client.rest()).map(({ status }) => status),
      [400],
    )
  })
  test('octets above 127 in a value are data (RFC 9110 §5.5)', async () => {
    const client = await service.open('GET / HTTP/1.1\r\nHost: a\r\nB: \xe9\r\n\r\n')
    assert.equal((await client.one()).status, 200)
    assert.equal(service.requests.at(-1)?.fields.b, '\xe9')
    client.destroy()
  })
})

describe('fields (RFC 9110 §5)', () => {
  async function fieldsOf(lines: string) {
    const client = await service.open(`GET / HTTP/1.1\r\nHost: a\r\n${lines}\r\n`)
    assert.equal((await client.one()).status, 200)
    client.destroy()
    return service.requests.at(-1)!.fields
  }
  test('names are the same in any case, lines are combined in order (§5.1, §5.3)', async () => {
    const fields = await fieldsOf('Accept: a/b\r\nACCEPT: c/d\r\naccept:  e/f  \r\n')
    assert.equal(fields.accept, 'a/b, c/d, e/f')
  })
  test('Cookie lines are combined by semicolon (RFC 9113 §8.2.3)', async () => {
    assert.equal((await fieldsOf('Cookie: a=1\r\nCookie: b=2\r\n')).cookie, 'a=1; b=2')
  })
  const singletons = ['Content-Type', 'Authorization', 'Idempotency-Key', 'Origin']
  for (const name of [...singletons, 'Content-Range', 'Sec-Fetch-Site']) {
    test(`${name} in two lines is 400, in one it is served (§5.3)`, async () => {
      const line = `${name}: x\r\n`
      assert.equal((await fieldsOf(line))[name.toLowerCase()], 'x')
      const twice = `GET / HTTP/1.1\r\nHost: a\r\n${line}${line}\r\n`
      assert.equal((await onlyAnswerTo(twice)).status, 400)
    })
  }
  test('two lines of If-Modified-Since are no error: they are ignored later (§13.1.3)', async () => {
    const date = 'Sun, 06 Nov 1994 08:49:37 GMT'
    const fields = await fieldsOf(`If-Modified-Since: ${date}\r\nIf-Modified-Since: ${date}\r\n`)
    assert.equal(fields['if-modified-since'], `${date}, ${date}`)
  })
  test('names of prototypes are fields like others (CVE-2026-21710)', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
    const fields = await fieldsOf(names.map((name) => `${name}: x\r\n`).join(''))
    assert.deepEqual(Object.keys(fields), ['host', ...names.map((name) => name.toLowerCase())])
    for (const name of names) assert.equal(fields[name.toLowerCase()], 'x')
    assert.equal(fields.tostring, 'x')
    for (const name of ['toString', 'hasOwnProperty', 'valueOf']) assert.equal(name in fields, false)
    assert.equal(Object.hasOwn(Object.prototype, 'x'), false)
  })
})
