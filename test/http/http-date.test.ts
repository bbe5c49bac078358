import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatHttpDate, parseHttpDate } from '../../src/http/http-date.ts'
import { cases } from '../cases.ts'

const now = Date.UTC(2026, 6, 1, 12)
const example = Date.UTC(1994, 10, 6, 8, 49, 37)

test('all three forms of a date are read (RFC 9110 §5.6.7)', () => {
  assert.equal(parseHttpDate('Sun, 06 Nov 1994 08:49:37 GMT', now), example)
  assert.equal(parseHttpDate('Sunday, 06-Nov-94 08:49:37 GMT', now), example)
  assert.equal(parseHttpDate('Sun Nov  6 08:49:37 1994', now), example)
  assert.equal(parseHttpDate('Wed Nov 16 08:49:37 1994', now), example + 10 * 86_400_000)
})

test('only the fixed form is written (§5.6.7)', () => {
  assert.equal(formatHttpDate(example + 999), 'Sun, 06 Nov 1994 08:49:37 GMT')
})

test('a two-digit year more than 50 years ahead is one of the past (§5.6.7)', () => {
  const year = (text: string, at = now) => {
    const instant = parseHttpDate(text, at)
    return instant === undefined ? undefined : new Date(instant).getUTCFullYear()
  }
  assert.equal(year('Wednesday, 01-Jul-76 12:00:00 GMT'), 2076)
  assert.equal(year('Wednesday, 01-Jul-76 12:00:01 GMT'), 1976)
  assert.equal(year('Friday, 01-Jan-99 00:00:00 GMT'), 1999)
  assert.equal(year('Friday, 01-Jan-00 00:00:00 GMT'), 2000)
  assert.equal(year('Friday, 01-Jan-10 00:00:00 GMT', Date.UTC(2090, 0)), 2110)
  assert.equal(year('Friday, 01-Jan-60 00:00:00 GMT', Date.UTC(2009, 0)), 1960)
  assert.equal(year('Friday, 01-Jan-59 00:00:00 GMT', Date.UTC(2009, 0)), 2059)
})

test('years below 100 are not years of the twentieth century', () => {
  const instant = parseHttpDate('Sat, 01 Jan 0050 00:00:00 GMT', now)
  assert.equal(new Date(instant ?? 0).getUTCFullYear(), 50)
})

test('a day that its month does not have is no date', () => {
  assert.notEqual(parseHttpDate('Thu, 29 Feb 2024 00:00:00 GMT', now), undefined)
  for (const day of ['29 Feb 2023', '30 Feb 2024', '31 Apr 2024', '32 Jan 2024', '00 Jan 2024']) {
    assert.equal(parseHttpDate(`Thu, ${day} 00:00:00 GMT`, now), undefined, day)
  }
  assert.equal(parseHttpDate('Monday, 29-Feb-23 00:00:00 GMT', now), undefined)
})

test('the time of day has its bounds, a leap second included (§5.6.7)', () => {
  const at = (time: string) => parseHttpDate(`Sat, 31 Dec 2016 ${time} GMT`, now)
  assert.equal(at('23:59:59'), Date.UTC(2016, 11, 31, 23, 59, 59))
  assert.equal(at('23:59:60'), Date.UTC(2017, 0, 1))
  for (const time of ['24:00:00', '23:60:00', '23:59:61']) assert.equal(at(time), undefined, time)
})

test('anything else is no date', () => {
  const garbage = [
    ...['', '0', '1994', '1994-11-06', '784111777', 'Sun, 06 Nov 1994 08:49:37', 'now'],
    ...['Sun, 06 Nov 1994 08:49:37 UTC', 'Sun, 06 Nov 1994 08:49:37 +0000'],
    ...['Sun, 6 Nov 1994 08:49:37 GMT', 'Sun, 06 Nov 94 08:49:37 GMT', 'Sun 06 Nov 1994 08:49:37 GMT'],
    ...['sun, 06 nov 1994 08:49:37 gmt', 'Sun, 06 Nov 1994 8:49:37 GMT', 'Xyz, 06 Nov 1994 08:49:37 GMT'],
    ...['Sun, 06 Nov 1994 08:49:37 GMT ', ' Sun, 06 Nov 1994 08:49:37 GMT'],
    ...['Sun, 06 Nov 1994 08:49:37 GMT\n', 'Sun Nov 6 08:49:37 1994', 'Sun, 06-Nov-94 08:49:37 GMT'],
    'Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT',
  ]
  for (const text of garbage) assert.equal(parseHttpDate(text, now), undefined, text)
})

test('dates read back as they were written, to the second', () => {
  const instant = fc.integer({ min: 0, max: 253_402_300_799 }).map((seconds) => seconds * 1000)
  fc.assert(
    fc.property(instant, (milliseconds) => {
      assert.equal(parseHttpDate(formatHttpDate(milliseconds), now), milliseconds)
    }),
    { numRuns: cases(10_000) },
  )
})
