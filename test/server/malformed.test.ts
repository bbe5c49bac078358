/** Whatever arrives, and however it is cut: one answer or a close, never two, and no crash. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { cases } from '../cases.ts'
import { malformedMessages } from './malformed.ts'
import { type RawResponse, type RawService, serveRaw } from './raw.ts'

let service: RawService
before(async () => {
  service = await serveRaw()
})
after(() => service.stop())

test('the corpus has at least 200 messages', () => {
  assert.ok(malformedMessages.length >= 200, String(malformedMessages.length))
})

test('each malformed message has one answer, an error, or a close (RFC 9112 §2.2)', async () => {
  await inParallel(malformedMessages, async (malformed) => {
    checkAnswers(malformed.name, await answersTo(malformed.message))
  })
  await checkAlive()
})

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))

test(`so it has cut at any octet of its first 200 (seed ${seed})`, async () => {
  const next = randomFrom(seed)
  const chosen = malformedMessages.flatMap(({ name, message }) => {
    const cuts = Array.from({ length: Math.min(200, message.length) - 1 }, (_, index) => index + 1)
    // All of them in the soak; by default about three of each message.
    const share = cases(1000) === 1000 ? 1 : 3 / Math.max(3, cuts.length)
    return cuts.filter(() => next() < share).map((cut) => ({ name, message, cut }))
  })
  await inParallel(chosen, async ({ name, message, cut }) => {
    const responses = await answersTo(message.slice(0, cut), message.slice(cut))
    checkAnswers(`${name}, cut at ${cut}`, responses)
  })
  await checkAlive()
})

/** Ends its half, so that the server ends the connection even where it found no fault. */
async function answersTo(...parts: string[]): Promise<RawResponse[]> {
  const client = await service.open(...parts)
  client.endSending()
  return client.rest()
}

function checkAnswers(name: string, responses: readonly RawResponse[]): void {
  assert.ok(responses.length <= 1, `${name}: ${responses.length} answers`)
  for (const { status, fields } of responses) {
    assert.ok([400, 405, 413, 417, 501, 505].includes(status), `${name}: ${status}`)
    assert.equal(fields.connection, 'close', name)
    assert.equal(fields['content-type'], 'application/problem+json', name)
  }
}

async function checkAlive(): Promise<void> {
  const client = await service.open('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  assert.equal((await client.one()).status, 200)
  client.destroy()
  const bugs = service.observations.filter(({ kind }) => kind === 'bug')
  assert.deepEqual(bugs, [])
}

async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>) {
  const waiting = items.values()
  const worker = async () => {
    for (const item of waiting) await work(item)
  }
  await Promise.all(Array.from({ length: 32 }, worker))
}

/** A linear congruential generator: the same numbers for the same seed, everywhere. */
function randomFrom(start: number): () => number {
  let state = start
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
