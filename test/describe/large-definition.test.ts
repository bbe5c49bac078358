/** A definition of 200 resources, each of 31 fields, six of them references. */

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { largeService } from '../../bench/large-service.ts'
import { schemeNames } from '../../src/access/authentication-schemes.ts'
import { createCapabilities } from '../../src/describe/create-capabilities.ts'
import { cachedDocument } from '../../src/describe/document-cache.ts'
import { openApiPieces } from '../../src/describe/openapi.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { documentsFor } from '../documents.ts'
import { type Handling, handling } from '../handling.ts'

/** Milliseconds of processor time, which other processes do not affect. */
const longestHold = 150

suite('a definition of 200 resources', () => {
  test('creating a document yields to the event loop', async () => {
    const html = { accept: 'text/html' }
    const requests = [
      ['GET /openapi.json', {}],
      ['GET /docs', {}],
      ['GET /docs', html],
      ['GET /schemas', {}],
      ['GET /client.d.ts', {}],
      ['GET /', html],
    ] as const
    let slow: readonly string[] = []
    // The best of three, for a collection of garbage may fall into any turn.
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await using service = await handling(largeService(200))
      slow = []
      for (const [line, fields] of requests) {
        const longestTurn = await longestTurnOf(() => service.handle(line, fields))
        if (longestTurn > longestHold) slow = [...slow, `${line}: ${longestTurn} ms`]
      }
      if (slow.length === 0) break
    }
    assert.deepEqual(slow, [])
  })

  test('no step of its OpenAPI document makes more than 32,000 characters, so that each is short', () => {
    const model = checkDefinition(largeService(200))
    const capabilities = createCapabilities(schemeNames(model), documentsFor(model))
    const lengths = [...openApiPieces({ model, audience: 'everyone', capabilities })].map(
      (piece) => piece?.length ?? 0,
    )
    assert.ok(lengths.length > 5000, `${lengths.length} steps`)
    assert.ok(Math.max(...lengths) <= 32_000, `${Math.max(...lengths)} characters`)
  })

  test('its OpenAPI document is below 8.5 MB, and the octets are cached', async () => {
    await using service = await handling(largeService(200))
    const first = await octetsOf(service, '/openapi.json')
    assert.ok(first.length < 8_500_000, `${first.length} octets`)
    assert.equal(await octetsOf(service, '/openapi.json'), first)
    assert.equal(await octetsOf(service, '/client.d.ts'), await octetsOf(service, '/client.d.ts'))
  })
})

async function octetsOf({ service }: Handling, target: string): Promise<Uint8Array> {
  const { body } = await service.handle({
    id: 'test',
    method: 'GET',
    target,
    fields: {},
    content: { present: false, length: 0, read: async () => new Uint8Array(), stream: async function* () {} },
    client: { address: '127.0.0.1', secure: false },
  })
  assert.ok(body instanceof Uint8Array)
  return body
}

/** The longest time that this thread computed between two turns of the event loop. */
async function longestTurnOf(work: () => Promise<unknown>): Promise<number> {
  let done = false
  let longest = 0
  const watch = async () => {
    let since = process.threadCpuUsage()
    while (!done) {
      await setImmediate()
      const { user, system } = process.threadCpuUsage(since)
      longest = Math.max(longest, (user + system) / 1000)
      since = process.threadCpuUsage()
    }
  }
  const watching = watch()
  await work()
  done = true
  await watching
  return longest
}

suite('cached documents', () => {
  const model = checkDefinition(largeService(1))

  test('requests at the same time share one making', async () => {
    let created = 0
    const describe = function* () {
      created += 1
      yield 'a'
      yield 'é'
    }
    const both = await Promise.all([1, 2].map(() => cachedDocument(model, 'one', describe)))
    assert.equal(created, 1)
    assert.equal(both[0], both[1])
    assert.equal(String(both[0]), 'aé')
  })

  test('a failure rejects all waiting calls, and the next call starts again', async () => {
    const failing = function* (): Generator<string, void> {
      yield 'a'
      throw new Error('once')
    }
    await assert.rejects(cachedDocument(model, 'two', failing), /once/)
    const succeeding = function* () {
      yield 'b'
    }
    assert.equal(String(await cachedDocument(model, 'two', succeeding)), 'b')
  })
})
