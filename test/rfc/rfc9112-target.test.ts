/** RFC 9112 §3: the request-line, its target, and Host. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { noNetworks, parseNetworks } from '../../src/http/ip-network.ts'
import { echo, membersOf, type RawService, serveRaw } from '../server/raw.ts'

let service: RawService
before(async () => {
  service = await serveRaw()
})
after(() => service.stop())

async function responseTo(message: string) {
  const client = await service.open(message)
  const response = await client.one()
  client.destroy()
  return response
}

async function onlyAnswerTo(message: string) {
  const responses = await service.exhaust(message)
  assert.equal(responses.length, 1)
  return responses[0]!
}

describe('Host (RFC 9112 §3.2)', () => {
  const refused = {
    'no Host': '',
    'two Host lines': 'Host: a\r\nHost: b\r\n',
    'two identical Host lines': 'Host: a\r\nHost: a\r\n',
    'user information': 'Host: u@h\r\n',
    'a path': 'Host: h/p\r\n',
    'a list': 'Host: a, b\r\n',
    'an empty value': 'Host:\r\n',
    'a space': 'Host: a b\r\n',
    'a port that is no number': 'Host: a:b\r\n',
  }
  for (const [kind, lines] of Object.entries(refused)) {
    test(`HTTP/1.1 with ${kind} is 400, and the connection closes (§3.2)`, async () => {
      const response = await onlyAnswerTo(`GET / HTTP/1.1\r\n${lines}\r\n`)
      assert.equal(response.status, 400)
      assert.equal(response.fields.connection, 'close')
    })
  }
  for (const host of ['a', 'a:80', '127.0.0.1:3000', '[::1]:80', 'xn--bcher-kva.example']) {
    test(`Host: ${host} is served (§3.2)`, async () => {
      assert.equal((await responseTo(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).status, 200)
    })
  }
  test('HTTP/1.0 may lack Host, but not have an invalid one (§3.2)', async () => {
    assert.equal((await onlyAnswerTo('GET / HTTP/1.0\r\n\r\n')).status, 200)
    assert.equal((await onlyAnswerTo('GET / HTTP/1.0\r\nHost: a/b\r\n\r\n')).status, 400)
  })
})

describe('the forms of a target (RFC 9112 §3.2)', () => {
  test('absolute-form is served, and its authority wins over Host (§3.2.2)', async () => {
    const response = await responseTo('GET http://b:81/x?y=1 HTTP/1.1\r\nHost: a\r\n\r\n')
    const { target, host } = membersOf(response)
    assert.deepEqual({ target, host }, { target: '/x?y=1', host: 'b:81' })
  })
  test('absolute-form without a path means / (RFC 9110 §4.2.3)', async () => {
    const bare = await responseTo('GET http://b HTTP/1.1\r\nHost: a\r\n\r\n')
    assert.equal(membersOf(bare).target, '/')
    const query = await responseTo('GET HTTP://b?y HTTP/1.1\r\nHost: a\r\n\r\n')
    assert.equal(membersOf(query).target, '/?y')
  })
  for (const target of ['ftp://b/x', 'http://u@b/x', 'http:///x', 'http://b:c/x']) {
    test(`the target ${target} is 400 (RFC 9110 §4.2)`, async () => {
      assert.equal((await onlyAnswerTo(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`)).status, 400)
    })
  }
  test('an https target over plain TCP is 421 (RFC 9110 §7.4)', async () => {
    for (const target of ['https://b/x', 'HTTPS://b', 'https://b:80/']) {
      const response = await onlyAnswerTo(`GET ${target} HTTP/1.1\r\nHost: b\r\n\r\n`)
      assert.deepEqual([response.status, membersOf(response).type], [421, 'misdirected-request'], target)
    }
  })
  test('a trusted proxy may send https targets over plain TCP (RFC 9110 §7.4)', async () => {
    await using service = await serveRaw(echo, { trusted: parseNetworks(['127.0.0.1']) ?? noNetworks })
    const client = await service.open('GET https://b/x HTTP/1.1\r\nHost: b\r\n\r\n')
    assert.deepEqual(membersOf(await client.one()).target, '/x')
    client.destroy()
  })
  test('absolute-form does not replace a missing Host (§3.2)', async () => {
    assert.equal((await onlyAnswerTo('GET http://b/ HTTP/1.1\r\n\r\n')).status, 400)
  })
  test('OPTIONS * reaches the service as * (§3.2.4)', async () => {
    const response = await responseTo('OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n')
    assert.equal(membersOf(response).target, '*')
  })
  test('OPTIONS of a URI without path or query is OPTIONS * (§3.2.4)', async () => {
    const response = await responseTo('OPTIONS http://b:80 HTTP/1.1\r\nHost: a\r\n\r\n')
    assert.deepEqual(membersOf(response), {
      method: 'OPTIONS',
      target: '*',
      host: 'b:80',
      content: '',
    })
  })
  for (const method of ['GET', 'POST', 'TRACE']) {
    test(`${method} * is 400 (§3.2.4)`, async () => {
      assert.equal((await onlyAnswerTo(`${method} * HTTP/1.1\r\nHost: a\r\n\r\n`)).status, 400)
    })
  }
  test('authority-form with a method other than CONNECT is 400 (§3.2.3)', async () => {
    assert.equal((await onlyAnswerTo('GET a:80 HTTP/1.1\r\nHost: a\r\n\r\n')).status, 400)
  })
  test('a raw octet above 127 or a control in the target is 400 (§3.2)', async () => {
    assert.equal((await onlyAnswerTo('GET /\xe9 HTTP/1.1\r\nHost: a\r\n\r\n')).status, 400)
    assert.equal((await onlyAnswerTo('GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n')).status, 400)
  })
})

describe('CONNECT (RFC 9110 §9.3.6)', () => {
  test('is 405 with Allow and a problem, then the connection closes', async () => {
    const response = await onlyAnswerTo('CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n')
    assert.equal(response.status, 405)
    assert.equal(response.fields.allow, 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, QUERY')
    assert.equal(response.fields.connection, 'close')
    assert.ok(Date.parse(response.fields.date ?? '') > 0)
    assert.equal(membersOf(response).type, 'method-not-allowed')
  })
  test('octets after it are not a request (RFC 9110 §9.3.6)', async () => {
    const next = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
    const countBefore = service.requests.length
    await onlyAnswerTo(`CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n${next}`)
    assert.equal(service.requests.length, countBefore)
  })
  test('in a pipeline its response follows those of earlier requests (RFC 9112 §9.3.2)', async () => {
    const first = 'GET /1 HTTP/1.1\r\nHost: a\r\n\r\n'
    const connect = 'CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n'
    const responses = await service.exhaust(first + connect)
    assert.deepEqual(statusesOf(responses), [200, 405])
  })
})

describe('methods (RFC 9110 §9.1)', () => {
  for (const method of ['FOO', 'get', 'GETS', 'GE', 'P', 'constructor', '__proto__', "A!#$%&'*+"]) {
    test(`the unknown method ${method} is 501 with a problem`, async () => {
      const response = await onlyAnswerTo(`${method} / HTTP/1.1\r\nHost: a\r\n\r\n`)
      assert.equal(response.status, 501)
      assert.equal(membersOf(response).type, 'not-implemented')
    })
  }
  test('it is 501 for any division into packets', async () => {
    const message = 'POSTER /x HTTP/1.1\r\nHost: a\r\n\r\n'
    for (let cut = 1; cut < 18; cut++) {
      const [response] = await service.exhaust(message.slice(0, cut), message.slice(cut))
      assert.equal(response?.status, 501, `cut at ${cut}`)
    }
  })
  for (const octets of [16_384, 300_000]) {
    test(`a method of ${octets} octets is 501 (RFC 9112 §3, RFC 9110 §15.6.2)`, async () => {
      const message = `${'A'.repeat(octets)} / HTTP/1.1\r\nHost: a\r\n\r\n`
      assert.equal((await onlyAnswerTo(message)).status, 501)
    })
  }
  for (const start of ['x', 'FOO /', 'FOO HTTP/1.1', 'FOO\t/']) {
    test(`${JSON.stringify(start)} is 501 before its line ends (RFC 9110 §15.6.2)`, async () => {
      assert.equal((await onlyAnswerTo(start)).status, 501)
    })
  }
  test('a method of another protocol is 501', async () => {
    assert.equal((await onlyAnswerTo('DESCRIBE / HTTP/1.1\r\nHost: a\r\n\r\n')).status, 501)
  })
  for (const start of ['(GET) /', ' GET /', 'F\x00O /', '{"a":1}', '\x00', '\x16\x03\x01']) {
    test(`${JSON.stringify(start)} begins no request-line: 400 before a line ends (RFC 9112 §3)`, async () => {
      assert.equal((await onlyAnswerTo(start)).status, 400)
    })
  }
  test('an unknown method after content without a line end is 501 (RFC 9112 §9.3.2)', async () => {
    const first = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\n\r\n{"a":1}'
    const responses = await service.exhaust(`${first}FOO / HTTP/1.1\r\nHost: a\r\n\r\n`)
    assert.deepEqual(statusesOf(responses), [200, 501])
  })
  test('TRACE reaches the service (RFC 9110 §9.3.8)', async () => {
    const response = await responseTo('TRACE / HTTP/1.1\r\nHost: a\r\n\r\n')
    assert.equal(membersOf(response).method, 'TRACE')
  })
})

describe('lengths (RFC 9112 §3, RFC 6585 §5)', () => {
  const target = (octets: number) => `/${'a'.repeat(octets - 1)}`
  test('a target of 8192 octets is served, one of 8193 is 414', async () => {
    assert.equal((await responseTo(`GET ${target(8192)} HTTP/1.1\r\nHost: a\r\n\r\n`)).status, 200)
    const long = await onlyAnswerTo(`GET ${target(8193)} HTTP/1.1\r\nHost: a\r\n\r\n`)
    assert.equal(long.status, 414)
    assert.equal(membersOf(long).type, 'uri-too-long')
  })
  test('a target beyond the limit of the parser is 414, in one packet or several', async () => {
    const message = `GET ${target(200_000)} HTTP/1.1\r\nHost: a\r\n\r\n`
    assert.equal((await onlyAnswerTo(message)).status, 414)
    const [response] = await service.exhaust(
      message.slice(0, 30_000),
      message.slice(30_000, 70_000),
      message.slice(70_000),
    )
    assert.equal(response?.status, 414)
  })
  test('a header section of 16384 octets is served, one of 16385 is 431', async () => {
    const rest = 16_384 - ('Host: a\r\n'.length + 'B: \r\n'.length)
    const message = (octets: number) => `GET / HTTP/1.1\r\nHost: a\r\nB: ${'b'.repeat(octets)}\r\n\r\n`
    assert.equal((await responseTo(message(rest))).status, 200)
    const long = await onlyAnswerTo(message(rest + 1))
    assert.equal(long.status, 431)
    assert.equal(membersOf(long).type, 'header-fields-too-large')
  })
  test('100 fields are served, 101 are 431', async () => {
    const message = (count: number) => `GET / HTTP/1.1\r\nHost: a\r\n${'B: c\r\n'.repeat(count - 1)}\r\n`
    assert.equal((await responseTo(message(100))).status, 200)
    assert.equal((await onlyAnswerTo(message(101))).status, 431)
  })
  test('a header section beyond the limit of the parser is 431, in one packet or several', async () => {
    const bomb = `GET / HTTP/1.1\r\nHost: a\r\nB: ${'b'.repeat(200_000)}\r\n\r\n`
    assert.equal((await onlyAnswerTo(bomb)).status, 431)
    const [response] = await service.exhaust(bomb.slice(0, 30_000), bomb.slice(30_000))
    assert.equal(response?.status, 431)
    const many = `GET / HTTP/1.1\r\nHost: a\r\n${'B:\r\n'.repeat(50_000)}\r\n`
    assert.equal((await onlyAnswerTo(many)).status, 431)
  })
})

function statusesOf(responses: readonly { status: number }[]): number[] {
  return responses.map(({ status }) => status)
}
