/** Cron expressions: what they accept, and the times that they name, in UTC. */

import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { findNextTime, parseCron } from '../../src/definition/logic/cron.ts'

/** The first times after a time. */
function timesOf(text: string, after: string, count: number): readonly string[] {
  const cron = parseCron(text)
  if (typeof cron === 'string') throw new Error(cron)
  const times: string[] = []
  let time: number | undefined = Date.parse(after)
  while (times.length < count && time !== undefined) {
    time = findNextTime(cron, time)
    if (time !== undefined) times.push(new Date(time).toISOString().slice(0, 16))
  }
  return times
}

describe('the next times of an expression', () => {
  const expected: readonly (readonly [text: string, after: string, times: readonly string[]])[] = [
    ['0 3 * * *', '2026-01-31T03:00:00Z', ['2026-02-01T03:00', '2026-02-02T03:00']],
    ['0 3 * * *', '2026-01-31T02:59:59.999Z', ['2026-01-31T03:00']],
    ['*/20 8-9 * * *', '2026-01-01T08:30:00Z', ['2026-01-01T08:40', '2026-01-01T09:00', '2026-01-01T09:20']],
    ['5,50 0 1 jan *', '2026-01-01T00:05:00Z', ['2026-01-01T00:50', '2027-01-01T00:05']],
    ['0 0 29 2 *', '2096-03-01T00:00:00Z', ['2104-02-29T00:00']],
    ['0 0 * * MON-fri', '2026-11-20T12:00:00Z', ['2026-11-23T00:00']],
    ['0 0 * * 7', '2026-11-16T00:00:00Z', ['2026-11-22T00:00']],
    ['0 0 * * 0', '2026-11-16T00:00:00Z', ['2026-11-22T00:00']],
    // Both days are restricted: either of them matches.
    ['0 0 13 * 5', '2026-11-12T00:00:00Z', ['2026-11-13T00:00', '2026-11-20T00:00', '2026-11-27T00:00']],
    ['0 0 */10 * 5', '2026-01-01T00:00:00Z', ['2026-05-01T00:00']],
  ]
  for (const [text, after, times] of expected) {
    it(`${text} after ${after}`, () => assert.deepEqual(timesOf(text, after, times.length), times))
  }
})

test('malformed expressions are refused with the field at fault', () => {
  const faults: readonly (readonly [text: string, fault: RegExp])[] = [
    ['', /must have five fields: minute, hour,/],
    ['0 3 * *', /must have five fields/],
    ['0 3 * * * *', /must have five fields/],
    ['@daily', /must have five fields/],
    ['60 * * * *', /The minute must be from 0 to 59.*not '60'/],
    ['-1 * * * *', /The minute/],
    ['5/10 * * * *', /The minute/],
    ['*/0 * * * *', /The minute/],
    ['1,,2 * * * *', /The minute/],
    ['0 5-3 * * *', /The hour/],
    ['0 0 0 * *', /The day of the month/],
    ['0 0 1 13 *', /The month/],
    ['0 0 1 mon *', /The month/],
    ['0 0 * * 8', /The day of the week/],
    ['0 0 31 4 *', /never comes/],
    ['0 0 30 feb *', /never comes/],
  ]
  for (const [text, fault] of faults) assert.match(String(parseCron(text)), fault, text)
})
