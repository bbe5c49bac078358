/** Which attempts may begin beside those in progress. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AttemptPlaces, inTurns, type WorkShare } from '../../src/work/attempt-places.ts'
import type { QueuedWork } from '../../src/work/queued-work.ts'

let made = 0

function workOf(subscriber: string): QueuedWork {
  made += 1
  const at = '2026-01-01T00:00:00.000Z'
  const queued = { subscriber, lane: `${made}`, position: made, payload: '', attempts: 0 }
  return { ...queued, identity: `${made}`, createdAt: at, dueAt: at, status: 'waiting', row: [] }
}

/** Begins as many attempts as there are places for, and returns their works. */
function fill(
  places: AttemptPlaces,
  subscribers: readonly string[],
  share?: WorkShare,
): readonly QueuedWork[] {
  const begun: QueuedWork[] = []
  for (;;) {
    const work = subscribers.map(workOf).find((one) => places.hasPlaceFor(one, share))
    if (!work) return begun
    places.enter(work, share)
    begun.push(work)
  }
}

const hooks = (owner: string) => Array.from({ length: 100 }, (_, at) => `${owner} ${at}`)
const shareOf = (owner: string): WorkShare => ({ owner, host: `${owner}.example` })

test('a subscriber has 4 attempts at a time, and all together have 32', () => {
  const places = new AttemptPlaces()
  assert.equal(fill(places, ['only']).length, 4)
  assert.equal(fill(places, hooks('many')).length, 28)
  assert.ok(places.areFull)
})

test('an owner has at most as many attempts as there are free places, so that the next owner finds one', () => {
  const places = new AttemptPlaces()
  const counts = ['a', 'b', 'c', 'd', 'e'].map((owner) => fill(places, hooks(owner), shareOf(owner)).length)
  assert.deepEqual(counts, [16, 8, 4, 2, 1])
})

test('the subscribers of an owner without a place are known, also those that have nothing in progress', () => {
  const places = new AttemptPlaces()
  const shares = new Map([...hooks('a'), ...hooks('b')].map((hook) => [hook, shareOf(hook.slice(0, 1))]))
  assert.deepEqual(places.fullSubscribers(shares), [])
  const begun = fill(places, hooks('a'), shareOf('a'))
  assert.deepEqual(places.fullSubscribers(shares).toSorted(), hooks('a').toSorted())
  for (const work of begun) places.leave(work)
  assert.deepEqual(places.fullSubscribers(shares), [])
})

test('a host that does not respond gets one attempt at a time of this owner, until it responds', () => {
  const places = new AttemptPlaces()
  places.noteResponse(shareOf('a'), false)
  const begun = fill(places, hooks('a'), shareOf('a'))
  assert.equal(begun.length, 1)
  // Other hosts of the owner, and other owners of webhooks to the host, are not slowed down.
  assert.ok(fill(places, ['other'], { owner: 'a', host: 'other.example' }).length > 1)
  assert.ok(fill(places, ['another'], { owner: 'b', host: 'a.example' }).length > 1)
  for (const work of begun) places.leave(work)
  places.noteResponse(shareOf('a'), true)
  assert.ok(fill(places, hooks('a'), shareOf('a')).length > 1)
})

test('works are begun in turns of their owners', () => {
  const shares = new Map([...hooks('a'), ...hooks('b')].map((hook) => [hook, shareOf(hook.slice(0, 1))]))
  const works = ['a 1', 'a 2', 'a 3', 'b 1', 'unknown'].map(workOf)
  const order = inTurns(works, shares).map(({ subscriber }) => subscriber)
  assert.deepEqual(order, ['a 1', 'b 1', 'unknown', 'a 2', 'a 3'])
})
