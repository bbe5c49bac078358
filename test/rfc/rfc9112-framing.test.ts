/** RFC 9112 §6 and §7: where a message ends, and that no message hides in another. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { membersOf, type RawService, serveRaw } from '../server/raw.ts'

let service: RawService
before(async () => {
  service = await serveRaw()
})
after(() => service.stop())

const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n'

/** Sends a message followed by a second one; returns the only response allowed. */
async function onlyAnswerTo(fields: string, content: string, version = '1.1') {
  const message = `POST / HTTP/${version}\r\nHost: a\r\n${fields}\r\n${content}${smuggled}`
  const responses = await service.exhaust(message)
  assert.equal(responses.length, 1)
  assert.ok(service.requests.every(({ target }) => target !== '/smuggled'))
  assert.equal(responses[0]!.fields.connection, 'close')
  return responses[0]!
}

describe('Content-Length (RFC 9112 §6.2, §6.3)', () => {
  const values = ['+1', '-1', '1a', '0x1', '1.0', '1 1', '', '"1"', '1, 1', '1,2', 'one']
  for (const value of [...values, '18446744073709551616', '9'.repeat(400)]) {
    test(`Content-Length: ${value.slice(0, 24)} is 400 and a close (§6.3)`, async () => {
      assert.equal((await onlyAnswerTo(`Content-Length: ${value}\r\n`, 'a')).status, 400)
    })
  }
  test('two lines, the same value or not, are 400 and a close (§6.3)', async () => {
    const one = 'Content-Length: 1\r\n'
    assert.equal((await onlyAnswerTo(one + one, 'a')).status, 400)
    assert.equal((await onlyAnswerTo(`${one}Content-Length: 2\r\n`, 'a')).status, 400)
  })
  test('a length beyond 2^53 is too large, not rounded into something small', async () => {
    const response = await onlyAnswerTo('Content-Length: 9007199254740993\r\n', '')
    assert.equal(response.status, 413)
  })
})

describe('Transfer-Encoding (RFC 9112 §6.1, §6.3, §7)', () => {
  const end = '0\r\n\r\n'
  test('with Content-Length, in either order, it is 400 and a close (§6.1)', async () => {
    const length = 'Content-Length: 5\r\n'
    const coding = 'Transfer-Encoding: chunked\r\n'
    assert.equal((await onlyAnswerTo(length + coding, end)).status, 400)
    assert.equal((await onlyAnswerTo(coding + length, end)).status, 400)
    assert.equal((await onlyAnswerTo(`${coding}Content-Length: 0\r\n`, end)).status, 400)
  })
  for (const value of ['foo, chunked', 'gzip, chunked', 'gzip', 'identity', 'xchunked']) {
    test(`Transfer-Encoding: ${value} is 501 and a close (§6.1)`, async () => {
      assert.equal((await onlyAnswerTo(`Transfer-Encoding: ${value}\r\n`, end)).status, 501)
    })
  }
  for (const value of ['chunked, gzip', 'chunked, identity', 'chunked, chunked', '']) {
    test(`Transfer-Encoding: ${value || '(empty)'} is 400 and a close (§6.3)`, async () => {
      assert.equal((await onlyAnswerTo(`Transfer-Encoding: ${value}\r\n`, end)).status, 400)
    })
  }
  for (const value of ['\x0bchunked', 'chunked\x00', 'chunked;q=1', '"chunked"', 'chun ked']) {
    test(`Transfer-Encoding: ${JSON.stringify(value)} is never treated as chunked`, async () => {
      const { status } = await onlyAnswerTo(`Transfer-Encoding: ${value}\r\n`, end)
      assert.ok(status === 400 || status === 501)
    })
  }
  test('chunked in two lines is 400 (§6.1)', async () => {
    const line = 'Transfer-Encoding: chunked\r\n'
    assert.equal((await onlyAnswerTo(line + line, end)).status, 400)
  })
  test('in HTTP/1.0 it is 400 and a close (§6.1)', async () => {
    const { status } = await onlyAnswerTo('Transfer-Encoding: chunked\r\n', end, '1.0')
    assert.equal(status, 400)
  })
  test('the name of the coding is the same in any case (§7)', async () => {
    const message = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: CHUNKED\r\n\r\n1\r\nb\r\n'
    const client = await service.open(message + end)
    assert.equal(membersOf(await client.one()).content, 'b')
    client.destroy()
  })
})

describe('chunks (RFC 9112 §7.1)', () => {
  const malformed = {
    'a size that is no number': 'zz\r\n',
    'a negative size': '-1\r\nb\r\n0\r\n\r\n',
    'a size with 0x': '0x1\r\nb\r\n0\r\n\r\n',
    'an empty size': '\r\nb\r\n0\r\n\r\n',
    'a size beyond 64 bits': `${'f'.repeat(17)}\r\nb\r\n0\r\n\r\n`,
    'more data than the size': '1\r\nbc\r\n0\r\n\r\n',
    'bare LF': '1\nb\n0\n\n',
    'a space after the size': '1 \r\nb\r\n0\r\n\r\n',
    'a bare CR in an extension': '1;a\rb\r\nb\r\n0\r\n\r\n',
    'a trailer without colon': '0\r\nB\r\n\r\n',
    'a folded trailer': '0\r\nB: c\r\n d\r\n\r\n',
  }
  for (const [kind, content] of Object.entries(malformed)) {
    for (const method of ['POST', 'GET']) {
      test(`${kind} is 400 and a close, for ${method} too`, async () => {
        const head = `${method} / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`
        const responses = await service.exhaust(head + content + smuggled)
        assert.deepEqual(
          responses.map(({ status }) => status),
          [400],
        )
        assert.equal(responses[0]!.fields.connection, 'close')
      })
    }
  }
  test('malformed in a later packet they are one 400 as well', async () => {
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'
    const responses = await service.exhaust(head, '1\r\nb\r\n', 'zz\r\n', smuggled)
    assert.deepEqual(
      responses.map(({ status }) => status),
      [400],
    )
  })
  test('endless extensions are refused (§7.1.1)', async () => {
    const content = `1;${'a'.repeat(40_000)}\r\nb\r\n0\r\n\r\n`
    const { status } = await onlyAnswerTo('Transfer-Encoding: chunked\r\n', content)
    assert.equal(status, 413)
  })
  test('extensions are ignored (§7.1.1)', async () => {
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'
    const client = await service.open(`${head}2;x=y\r\nbc\r\n0\r\n\r\n`)
    assert.equal(membersOf(await client.one()).content, 'bc')
    client.destroy()
  })
  test('trailers never become fields, and the connection persists (§7.1.2)', async () => {
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'
    const trailers = 'Authorization: x\r\nContent-Type: y\r\nHost: z\r\n'
    const client = await service.open(`${head}1\r\nb\r\n0\r\n${trailers}\r\n`)
    assert.equal(membersOf(await client.one()).host, 'a')
    const { fields } = service.requests.at(-1)!
    assert.equal(fields.authorization, undefined)
    assert.equal(fields['content-type'], undefined)
    await client.send('GET /next HTTP/1.1\r\nHost: a\r\n\r\n')
    assert.equal(membersOf(await client.one()).target, '/next')
    client.destroy()
  })
  for (const trailer of ['Content-Length: 5', 'Transfer-Encoding: chunked']) {
    test(`the trailer ${trailer} is 400 and a close (RFC 9110 §6.5.1)`, async () => {
      const content = `1\r\nb\r\n0\r\n${trailer}\r\n\r\n`
      assert.equal((await onlyAnswerTo('Transfer-Encoding: chunked\r\n', content)).status, 400)
    })
  }
})
