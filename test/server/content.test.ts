/** Reading the content of a request: its limit, its faults, clients that go away. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Handler } from '../../src/http/message.ts'
import { Refusal } from '../../src/refusal.ts'
import { eventually } from '../eventually.ts'
import { membersOf, serveRaw, someTurns } from './raw.ts'

const post = (length: number, content: string) =>
  `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n${content}`
const chunked = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'

describe('the limit of content (RFC 9110 §15.5.14)', () => {
  test('64 octets are taken, 65 are 413', async () => {
    await using service = await serveRaw()
    const client = await service.open(post(64, 'a'.repeat(64)))
    assert.equal((await client.one()).status, 200)
    await client.send(post(65, 'a'.repeat(65)))
    const refused = await client.one()
    assert.equal(refused.status, 413)
    assert.equal(membersOf(refused).type, 'content-too-large')
    client.destroy()
  })
  test('chunks are counted as they come: 64 are taken, 65 are 413 at once and a close', async () => {
    await using service = await serveRaw()
    const client = await service.open(`${chunked}40\r\n${'a'.repeat(64)}\r\n0\r\n\r\n`)
    assert.equal((await client.one()).status, 200)
    await client.send(`${chunked}40\r\n${'a'.repeat(64)}\r\n`, '1\r\na\r\n')
    const refused = await client.one()
    assert.equal(refused.status, 413)
    assert.equal(refused.fields.connection, 'close')
    assert.equal(await client.closed, 'closed')
    client.destroy()
  })
  test('content may come octet by octet', async () => {
    await using service = await serveRaw()
    const client = await service.open(post(5, ''), 'a', 'b', 'c', 'd', 'e')
    assert.equal(membersOf(await client.one()).content, 'abcde')
    client.destroy()
  })
  test('a request without content reads as none', async () => {
    await using service = await serveRaw()
    const client = await service.open('POST / HTTP/1.1\r\nHost: a\r\n\r\n')
    assert.equal(membersOf(await client.one()).content, '')
    const { content } = service.requests[0]!
    assert.deepEqual([content.present, content.length], [false, 0])
    client.destroy()
  })
  test('what is known of the content before it is read', async () => {
    await using service = await serveRaw()
    const client = await service.open(post(3, 'abc'), `${chunked}0\r\n\r\n`)
    await client.take(2)
    const known = service.requests.map(({ content }) => [content.present, content.length])
    assert.deepEqual(known, [
      [true, 3],
      [true, undefined],
    ])
    client.destroy()
  })
})

describe('content is whole in however many parts it comes', () => {
  /** Tells what was read; reads after the wait. */
  function reader(wait: () => Promise<unknown> = async () => undefined) {
    const handler: Handler = async (request) => {
      await wait()
      const octets = await request.content.read(2_000_000)
      return { status: 200, fields: {}, body: Buffer.from(octets).toString() }
    }
    return handler
  }
  const chunks = (...parts: string[]) =>
    `${parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`

  test('several chunks in one packet', async () => {
    await using service = await serveRaw(reader())
    const client = await service.open(`${chunked}${chunks('one ', 'two ', 'three')}`)
    assert.equal((await client.one()).body, 'one two three')
    client.destroy()
  })
  for (const length of [65_535, 65_536, 65_537, 1_048_576]) {
    test(`${length} octets in one write`, async () => {
      await using service = await serveRaw(reader())
      const text = 'abcdefghi'.repeat(length / 9 + 1).slice(0, length)
      const client = await service.open(post(length, text))
      assert.equal((await client.one()).body, text)
      await client.send(`${chunked}${chunks(text)}`)
      assert.equal((await client.one()).body, text)
      client.destroy()
    })
  }
  test('two packets that are there before anyone reads', async () => {
    let sent = Promise.withResolvers<void>()
    await using service = await serveRaw(reader(() => sent.promise))
    const client = await service.open(post(10, 'abcde'), 'fghij')
    sent.resolve()
    assert.equal((await client.one()).body, 'abcdefghij')
    sent = Promise.withResolvers()
    await client.send(`${chunked}5\r\nabcde\r\n`, '5\r\nfghij\r\n0\r\n\r\n')
    sent.resolve()
    assert.equal((await client.one()).body, 'abcdefghij')
    client.destroy()
  })
  test('of a client that has sent all of it and is gone', async () => {
    const seen = Promise.withResolvers<string>()
    const gone = Promise.withResolvers<void>()
    await using service = await serveRaw(async (request) => {
      await gone.promise
      const octets = await request.content.read(1000)
      seen.resolve(Buffer.from(octets).toString())
      return { status: 200, fields: {} }
    })
    const client = await service.open(post(10, 'abcde'), 'fghij')
    client.destroy()
    await someTurns()
    gone.resolve()
    assert.equal(await seen.promise, 'abcdefghij')
  })
})

describe('content that does not come', () => {
  /** Tells how the read ended. */
  function watched() {
    const outcome = Promise.withResolvers<unknown>()
    const handler: Handler = async (request) => {
      try {
        await request.content.read(1000)
        outcome.resolve('read')
      } catch (error) {
        outcome.resolve(error)
        throw error
      }
      return { status: 200, fields: {} }
    }
    return { handler, outcome: outcome.promise }
  }
  test('an upload aborted by a reset ends the read with malformed-request', async () => {
    const { handler, outcome } = watched()
    await using service = await serveRaw(handler)
    const client = await service.open(post(100, 'abc'))
    client.socket.resetAndDestroy()
    const error = await outcome
    assert.ok(error instanceof Refusal)
    assert.equal(error.type, 'malformed-request')
  })
  test('an upload ended early by a client that still listens is 400 (RFC 9112 §8)', async () => {
    const { handler, outcome } = watched()
    await using service = await serveRaw(handler)
    const client = await service.open(post(100, 'abc'))
    await eventually(() => service.requests.length > 0)
    client.endSending()
    const responses = await client.rest()
    assert.deepEqual(
      responses.map(({ status }) => status),
      [400],
    )
    assert.ok((await outcome) instanceof Refusal)
  })
  test('100 aborted uploads leave a service that answers', async () => {
    await using service = await serveRaw()
    for (let count = 0; count < 100; count++) {
      const client = await service.open(post(100, 'abc'))
      if (count % 2 === 0) client.socket.resetAndDestroy()
      else client.destroy()
    }
    const client = await service.open(post(3, 'abc'))
    assert.equal((await client.one()).status, 200)
    client.destroy()
    assert.deepEqual(
      service.observations.filter(({ kind }) => kind === 'bug'),
      [],
    )
  })
  test('a read that begins after the client went away ends too', async () => {
    const outcome = Promise.withResolvers<unknown>()
    const gone = Promise.withResolvers<void>()
    await using service = await serveRaw(async (request) => {
      await gone.promise
      await request.content.read(1000).catch(outcome.resolve)
      return { status: 200, fields: {} }
    })
    const client = await service.open(post(100, 'abc'))
    client.socket.resetAndDestroy()
    await someTurns()
    gone.resolve()
    const error = await outcome.promise
    assert.ok(error instanceof Refusal)
    assert.equal(error.type, 'malformed-request')
  })
  test('a second read is a bug of ours, answered 500 and noticed', async () => {
    await using service = await serveRaw(async (request) => {
      await request.content.read(10)
      await request.content.read(10)
      return { status: 200, fields: {} }
    })
    const client = await service.open(post(3, 'abc'))
    assert.equal((await client.one()).status, 500)
    assert.equal(service.observations[0]?.kind, 'bug')
    client.destroy()
  })
})
