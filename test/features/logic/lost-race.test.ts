/** Requests that lose races are repeated; those with hooks wait for their turn. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Refusal } from '../../../src/refusal.ts'
import { LostRace, retryLostRaces } from '../../../src/requests/write/lost-race.ts'

const loseAlways = async (): Promise<string> => {
  throw new LostRace()
}

describe('a request that loses races', () => {
  it('waits for its turn after three of them', async () => {
    const steps: string[] = []
    const work = async () => {
      steps.push('attempt')
      if (steps.includes('turn')) return 'done'
      throw new LostRace()
    }
    const run = <Result>(_: number, within: () => Promise<Result>) => {
      steps.push('turn')
      return within()
    }
    assert.equal(await retryLostRaces(work, { milliseconds: 60_000, run }), 'done')
    assert.deepEqual(steps, ['attempt', 'attempt', 'attempt', 'turn', 'attempt'])
  })

  it('ends in its turn, also without a result', async () => {
    let attempts = 0
    const work = async () => {
      attempts += 1
      if (attempts <= 3) throw new LostRace()
    }
    const run = <Result>(_: number, within: () => Promise<Result>) => within()
    assert.equal(await retryLostRaces(work, { milliseconds: 60_000, run }), undefined)
    assert.equal(attempts, 4)
  })

  it('is 503 when its turn does not come in time', async () => {
    const turn = { milliseconds: 60_000, run: async () => undefined }
    await assert.rejects(retryLostRaces(loseAlways, turn), isUnavailable)
  })

  it('is 503 when its time is over within its turn', async () => {
    const run = <Result>(_: number, within: () => Promise<Result>) => within()
    await assert.rejects(retryLostRaces(loseAlways, { milliseconds: 0, run }), isUnavailable)
  })

  it('is 503 after 100 attempts without hooks', async () => {
    let attempts = 0
    const work = () => {
      attempts += 1
      return loseAlways()
    }
    await assert.rejects(retryLostRaces(work), isUnavailable)
    assert.equal(attempts, 100)
  })
})

function isUnavailable(error: unknown): boolean {
  return error instanceof Refusal && error.status === 503
}
