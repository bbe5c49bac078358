/** Expect over the wire (RFC 9110 §10.1.1): 100 only when the content is wanted. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { echo, membersOf, serveRaw } from '../server/raw.ts'

const head = (lines: string, version = '1.1') =>
  `POST / HTTP/${version}\r\nHost: a\r\nContent-Length: 3\r\n${lines}\r\n`

describe('Expect: 100-continue (RFC 9110 §10.1.1)', () => {
  for (const value of ['100-continue', '100-Continue', '100-continue, 100-continue']) {
    test(`${value}: 100 is sent when the content is read, then the response`, async () => {
      await using service = await serveRaw()
      const client = await service.open(head(`Expect: ${value}\r\n`))
      assert.equal((await client.one()).status, 100)
      await client.send('abc')
      assert.equal(membersOf(await client.one()).content, 'abc')
      client.destroy()
    })
  }
  test('a final response decided by header fields is sent instead of 100, and closes', async () => {
    await using service = await serveRaw(async () => ({ status: 401, fields: {}, body: 'no' }))
    const responses = await service.exhaust(head('Expect: 100-continue\r\n'))
    assert.deepEqual(
      responses.map(({ status, fields }) => [status, fields.connection]),
      [[401, 'close']],
    )
  })
  test('content that is too large by its length is 413 instead of 100', async () => {
    await using service = await serveRaw()
    const lines = 'Host: a\r\nContent-Length: 65\r\nExpect: 100-continue\r\n\r\n'
    const responses = await service.exhaust(`POST / HTTP/1.1\r\n${lines}`)
    assert.deepEqual(
      responses.map(({ status, reason }) => [status, reason]),
      [[413, 'Content Too Large']],
    )
  })
  test('in HTTP/1.0 it is ignored', async () => {
    await using service = await serveRaw()
    const responses = await service.exhaust(head('Expect: 100-continue\r\n', '1.0'), 'abc')
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200],
    )
  })
  test('without content no 100 is sent', async () => {
    await using service = await serveRaw()
    const message = 'POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n'
    const client = await service.open(message)
    assert.equal((await client.one()).status, 200)
    client.destroy()
  })
  test('content sent without waiting is accepted, with one 100', async () => {
    await using service = await serveRaw(echo)
    const client = await service.open(`${head('Expect: 100-continue\r\n')}abc`)
    const [interim, final] = await client.take(2)
    assert.deepEqual([interim?.status, final?.status], [100, 200])
    client.destroy()
  })
  for (const value of ['foo', '100-continue, foo', '100-continue; q=1', '200-ok']) {
    test(`another expectation (${value}) is 417`, async () => {
      await using service = await serveRaw()
      const [response] = await service.exhaust(head(`Expect: ${value}\r\n`))
      assert.equal(response?.status, 417)
      assert.equal(membersOf(response!).type, 'expectation-failed')
      assert.equal(service.requests.length, 0)
    })
  }
})
