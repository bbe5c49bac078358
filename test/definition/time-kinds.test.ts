/** What dates and timestamps accept, and how they are kept. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { date, timestamp } from '../../src/definition/kinds/time.ts'
import { assertSides, keep } from './accepted-values.ts'

test('a date is a day of the calendar, of the years 0001 to 9999 (RFC 3339 §5.6)', () => {
  assertSides(date(), {
    accepted: ['2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31', '2023-04-30', '0004-02-29'],
    refused: [
      '2023-02-29',
      '1900-02-29',
      '2023-04-31',
      '2023-13-01',
      '2023-00-10',
      '2023-01-00',
      '2023-01-32',
      '0000-01-01',
      '10000-01-01',
      '2023-1-1',
      '2023-01-01T00:00:00Z',
      '2023-01-01\n',
    ],
  })
})

test('a timestamp has an offset, at most milliseconds and no leap second (RFC 3339 §5.6)', () => {
  assertSides(timestamp(), {
    accepted: [
      '2024-02-29T23:59:59Z',
      '2024-02-29t23:59:59.1z',
      '2024-01-01T00:00:00.123+23:59',
      '2024-01-01T00:00:00-00:00',
    ],
    refused: [
      '2024-01-01T00:00:00',
      '2024-01-01 00:00:00Z',
      '2024-01-01T00:00:00.1234Z',
      '2024-01-01T00:00:00.Z',
      '2024-01-01T24:00:00Z',
      '2024-01-01T00:60:00Z',
      '2016-12-31T23:59:60Z',
      '2023-02-29T00:00:00Z',
      '2024-01-01T00:00:00+24:00',
      '2024-01-01T00:00:00+0100',
      '2024-01-01T00:00Z',
      '2024-01-01',
    ],
  })
})

test('a timestamp is of the years 0001 to 9999 in UTC', () => {
  assertSides(timestamp(), {
    accepted: [
      '0001-01-01T00:00:00Z',
      '0001-01-01T01:00:00+01:00',
      '9999-12-31T23:59:59.999Z',
      '9999-12-31T22:59:59.999-01:00',
    ],
    refused: ['0000-12-31T23:59:59Z', '0001-01-01T00:59:59+01:00', '9999-12-31T23:00:00-01:00'],
  })
})

test('a timestamp is kept in UTC with milliseconds', () => {
  const shown = (value: string) => keep(timestamp(), value)[1]
  assert.equal(shown('2024-01-01T00:00:00.5+05:30'), '2023-12-31T18:30:00.500Z')
  assert.equal(shown('2024-01-01t00:00:00z'), '2024-01-01T00:00:00.000Z')
  assert.equal(shown('0099-01-01T00:00:00-00:00'), '0099-01-01T00:00:00.000Z')
})
