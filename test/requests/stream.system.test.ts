/** Complete collections as NDJSON and CSV, in bounded memory, at the client's speed. */

import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { anyone, boolean, choice, email, password, resource, role, service, text, where } from 'restwell'
import { StoreUnavailable } from '../../src/store/store.ts'
import { cases, someOf } from '../cases.ts'
import { freshDatabase, onPostgres } from '../database.ts'
import { eventually } from '../eventually.ts'
import { admin, serve } from '../service.ts'
import { insertRows, rows } from './rows.ts'

function begin(port: number, accept: string, path = '/rows', coding = 'identity'): Promise<IncomingMessage> {
  const headers = { accept, 'accept-encoding': coding }
  return new Promise((resolve, reject) => {
    get({ port, path, headers, agent: false }, resolve).on('error', reject)
  })
}

const total = cases(1_000_000, 10)

describe(`${total} rows`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'restwell-rows-'))
  let database = `file:${join(folder, 'rows.db')}`
  before(async () => {
    if (onPostgres) database = await freshDatabase()
    await using s = await serve(rows, { database })
    await insertRows(s, total, 'x'.repeat(100))
  })
  after(() => rmSync(folder, { recursive: true }))

  const streamed = [
    ['application/x-ndjson', total],
    ['text/csv', total + 1],
  ] as const
  for (const [accept, lines] of someOf(streamed, 1)) {
    test(`stream as ${accept}, all of them, with memory growing less than 50 MB (docs/reference/http/formats.md, "Formats")`, async () => {
      let growth = Number.POSITIVE_INFINITY
      // The best of three: on a busy machine the collection of garbage comes late.
      for (let attempt = 0; attempt < 3 && growth >= 50; attempt += 1) {
        await using server = await otherProcess(database)
        const atFirst = await server.memory()
        let highest = atFirst
        const incoming = await begin(server.port, accept)
        assert.equal(incoming.headers['transfer-encoding'], 'chunked')
        const watch = async () => {
          highest = Math.max(highest, await server.memory())
        }
        assert.equal(await linesOf(incoming, watch), lines)
        growth = Math.round((highest - atFirst) / 2 ** 20)
      }
      assert.ok(growth < 50, `grown by ${growth} MB`)
    })
  }
})

async function linesOf(incoming: IncomingMessage, watch?: () => Promise<void>): Promise<number> {
  let count = 0
  let parts = 0
  for await (const part of incoming as AsyncIterable<Buffer>) {
    for (const octet of part) if (octet === 10) count += 1
    parts += 1
    if (watch && parts % 50 === 0) await watch()
  }
  return count
}

interface OtherProcess extends AsyncDisposable {
  readonly port: number
  /** The memory that the process uses, in octets. */
  memory(): Promise<number>
}

/** A server apart from the test and from what filled the file: all it grows by is the stream's. */
async function otherProcess(database: string): Promise<OtherProcess> {
  const file = join(import.meta.dirname, 'rows-server.ts')
  // The space for new objects grows to 48 MB with any work.
  const child = fork(file, [database], { execArgv: ['--conditions=source', '--max-semi-space-size=2'] })
  const [port] = (await once(child, 'message')) as [number]
  return {
    port,
    async memory() {
      child.send('memory')
      const [octets] = (await once(child, 'message')) as [number]
      return octets
    },
    async [Symbol.asyncDispose]() {
      child.send('stop')
      await once(child, 'exit')
    },
  }
}

describe('at the pace of the client', () => {
  for (const coding of someOf(['identity', 'gzip', 'zstd'], 1)) {
    test(`a client that stops reading pauses the stream, and one that disconnects ends it (${coding})`, async () => {
      await using s = await serve(rows)
      // Random, so that the encoded content exceeds the buffers of a connection.
      await insertRows(s, 20_000, () => randomBytes(500).toString('hex'))
      let requested = 0
      const { store } = s.service
      const list = store.list.bind(store)
      store.list = (question) => {
        requested += 1
        return list(question)
      }
      const socket = connect(s.port, '127.0.0.1')
      const accept = `Accept: application/x-ndjson\r\nAccept-Encoding: ${coding}`
      socket.write(`GET /rows HTTP/1.1\r\nHost: a\r\n${accept}\r\n\r\n`)
      await once(socket, 'readable')
      const settled = await untilStill(() => requested)
      assert.ok(settled < 120, `${settled} batches for a client that reads nothing`)
      socket.destroy()
      await untilStill(() => requested)
      assert.equal((await s.request('GET /rows?limit=1')).status, 200)
      const after = requested
      await untilStill(() => requested)
      assert.equal(requested, after, 'nothing is loaded for a disconnected client')
      assert.deepEqual(
        s.observations.filter(({ kind }) => kind === 'bug'),
        [],
      )
    })
  }

  test('a stream is coded while it is sent (RFC 9110 §8.4)', async () => {
    await using s = await serve(rows)
    await insertRows(s, 2000, 'x')
    const plain = await begin(s.port, 'text/csv')
    const text = Buffer.concat(await Array.fromAsync(plain as AsyncIterable<Buffer>))
    for (const [coding, decode] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
      ['zstd', zstdDecompressSync],
    ] as const) {
      const incoming = await begin(s.port, 'text/csv', '/rows', coding)
      assert.equal(incoming.headers['content-encoding'], coding)
      const octets = Buffer.concat(await Array.fromAsync(incoming as AsyncIterable<Buffer>))
      assert.ok(octets.length < text.length)
      assert.ok(decode(octets).equals(text), coding)
    }
  })

  test('a failure during a stream cuts the response off, so that it is not mistaken for complete', async () => {
    await using s = await serve(rows)
    // More than the buffers of a connection, so that the stream has not ended.
    await insertRows(s, 20_000, 'x'.repeat(1000))
    const { store } = s.service
    const list = store.list.bind(store)
    let broken = false
    store.list = (question) => {
      if (broken) throw new Error('a broken disk')
      return list(question)
    }
    const incoming = await begin(s.port, 'application/x-ndjson')
    assert.equal(incoming.statusCode, 200)
    broken = true
    const reading = (async () => {
      for await (const _ of incoming);
    })()
    await assert.rejects(reading, /aborted/)
    assert.equal(s.observations.filter(({ kind }) => kind === 'bug').length, 1)
  })

  test('an error before the first octet is a problem', async () => {
    await using s = await serve(rows)
    const { store } = s.service
    store.list = () => {
      throw new StoreUnavailable('slow', 'too long')
    }
    const response = await s.request('GET /rows', { accept: 'text/csv' })
    assert.deepEqual([response.status, response.json.type], [503, '/problems/unavailable'])
  })

  test('HTTP/1.0 has no chunks: the body ends with the connection (RFC 9112 §6.3)', async () => {
    await using s = await serve(rows)
    await insertRows(s, 120, 'x')
    const socket = connect(s.port, '127.0.0.1')
    socket.write('GET /rows HTTP/1.0\r\nConnection: keep-alive\r\nAccept: text/csv\r\n\r\n')
    let received = ''
    for await (const part of socket as AsyncIterable<Buffer>) received += part
    const [head = '', body = ''] = received.split('\r\n\r\n')
    assert.match(head, /\r\nConnection: close/)
    assert.doesNotMatch(head, /Transfer-Encoding|Content-Length/)
    assert.equal(body.split('\r\n').length, 122)
  })
})

describe('the content of a stream', () => {
  test('with limit it is a page, with an entity tag and a link to the next (docs/reference/http/formats.md, "Formats")', async () => {
    await using s = await serve(rows)
    await insertRows(s, 5, 'x')
    const page = await s.request('GET /rows?limit=2', { accept: 'application/x-ndjson' })
    assert.equal(page.text.trim().split('\n').length, 2)
    assert.ok(page.fields.etag)
    assert.match(page.fields.link as string, /rel="next"/)
    const full = await s.request('GET /rows', { accept: 'application/x-ndjson' })
    assert.equal(full.text.trim().split('\n').length, 5)
    assert.equal(full.fields.etag, undefined)
    assert.equal(full.fields['cache-control'], 'no-store')
  })

  test('HEAD has the same fields and no body (RFC 9110 §9.3.2)', async () => {
    await using s = await serve(rows)
    await insertRows(s, 5, 'x')
    const head = await s.request('HEAD /rows', { accept: 'text/csv' })
    assert.deepEqual([head.status, head.text], [200, ''])
    assert.equal(head.fields['content-type'], 'text/csv')
    assert.equal(head.fields['content-length'], undefined)
  })

  test('a stream has only readable items, each with its visible fields', async () => {
    const users = resource(
      {
        email: email().unique(),
        password: password(),
        role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
      },
      { access: { read: anyone } },
    )
    const secrets = resource(
      { name: text(), shown: boolean(), secret: text().visibleTo(role('admin')) },
      { access: { read: [where({ shown: true }), role('admin')], create: role('admin') } },
    )
    await using s = await serve(
      service({
        title: 'Secrets',
        accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
        resources: { users, secrets },
      }),
    )
    for (const shown of [true, false]) {
      const body = { name: String(shown), shown, secret: 'hush' }
      assert.equal((await s.request('POST /secrets', admin, body)).status, 201)
    }
    const mine = await s.request('GET /secrets', { accept: 'text/csv' })
    assert.match(mine.text, /^id,name,shown,createdAt,updatedAt\r\n[^\r]*,true,true,[^\r]*\r\n$/)
    const all = await s.request('GET /secrets', { accept: 'text/csv', ...admin })
    assert.equal(all.text.split('hush').length, 3)
  })
})

/** Resolves with the number when it is the same as 50 milliseconds before. */
async function untilStill(read: () => number): Promise<number> {
  let before = -1
  const isStill = () => {
    const last = before
    before = read()
    return before === last
  }
  await eventually(isStill, { interval: 50 })
  return before
}
