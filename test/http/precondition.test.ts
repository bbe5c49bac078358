import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatHttpDate } from '../../src/http/http-date.ts'
import {
  evaluatePreconditions,
  type PreconditionResult,
  type SelectedRepresentation,
} from '../../src/http/precondition.ts'

const now = Date.UTC(2026, 6, 1, 12)
const modified = now - 3_600_000
const before = formatHttpDate(modified - 1000)
const same = formatHttpDate(modified)
const after = formatHttpDate(modified + 1000)
const future = formatHttpDate(now + 1000)

/** The JSON of version 7; its XML has a tag of its own. */
const selected: SelectedRepresentation = {
  entityTag: { weak: false, opaque: '7-json' },
  lastModified: () => modified + 500,
  isCurrent: (opaque) => opaque === '7-json' || opaque === '7-xml',
}

type Case = readonly [line: string, fields: Record<string, string>, verdict: PreconditionResult]

function expectVerdicts(table: readonly Case[], current: typeof selected | undefined = selected) {
  for (const [method, fields, verdict] of table) {
    const outcome = evaluatePreconditions({ method, fields }, current, now)
    assert.equal(outcome, verdict, `${method} ${JSON.stringify(fields)}`)
  }
}

test('a request without conditions proceeds', () => {
  expectVerdicts([
    ['GET', {}, 'proceed'],
    ['PUT', {}, 'proceed'],
  ])
})

test('If-Match is true for any tag of the current version (RFC 9110 §13.1.1)', () => {
  expectVerdicts([
    ['PUT', { 'if-match': '"7-json"' }, 'proceed'],
    ['PUT', { 'if-match': '"7-xml"' }, 'proceed'],
    ['PUT', { 'if-match': '"6-json", "7-xml"' }, 'proceed'],
    ['PUT', { 'if-match': '*' }, 'proceed'],
    ['PUT', { 'if-match': '"6-json"' }, 'failed'],
    ['GET', { 'if-match': '"6-json"' }, 'failed'],
    ['QUERY', { 'if-match': '"6-json"' }, 'failed'],
  ])
})

test('a weak or malformed tag never satisfies If-Match (§13.1.1)', () => {
  expectVerdicts([
    ['PUT', { 'if-match': 'W/"7-json"' }, 'failed'],
    ['PUT', { 'if-match': 'W/"7-json", "7-json"' }, 'proceed'],
    ['PUT', { 'if-match': '7-json' }, 'failed'],
    ['PUT', { 'if-match': '' }, 'failed'],
    ['PUT', { 'if-match': '*, "7-json"' }, 'failed'],
  ])
})

test('without a representation If-Match is false and If-None-Match is true (§13.1.1, §13.1.2)', () => {
  const nothing = (table: readonly Case[]) => {
    for (const [method, fields, verdict] of table) {
      assert.equal(evaluatePreconditions({ method, fields }, undefined, now), verdict)
    }
  }
  nothing([
    ['PUT', { 'if-match': '*' }, 'failed'],
    ['PUT', { 'if-match': '"7-json"' }, 'failed'],
    ['PUT', { 'if-none-match': '*' }, 'proceed'],
    ['PUT', { 'if-none-match': '"7-json"' }, 'proceed'],
    ['PUT', { 'if-unmodified-since': before }, 'proceed'],
  ])
})

test('If-Unmodified-Since compares full seconds (§13.1.4)', () => {
  expectVerdicts([
    ['PUT', { 'if-unmodified-since': before }, 'failed'],
    ['PUT', { 'if-unmodified-since': same }, 'proceed'],
    ['PUT', { 'if-unmodified-since': after }, 'proceed'],
    ['GET', { 'if-unmodified-since': before }, 'failed'],
  ])
})

test('If-Unmodified-Since is ignored beside If-Match (§13.1.4)', () => {
  expectVerdicts([
    ['PUT', { 'if-match': '"7-json"', 'if-unmodified-since': before }, 'proceed'],
    ['PUT', { 'if-match': '"6-json"', 'if-unmodified-since': after }, 'failed'],
  ])
})

test('If-None-Match uses the weak comparison with the tag of the selected representation (§13.1.2)', () => {
  expectVerdicts([
    ['GET', { 'if-none-match': '"7-json"' }, 'not-modified'],
    ['GET', { 'if-none-match': 'W/"7-json"' }, 'not-modified'],
    ['GET', { 'if-none-match': '"6-json", "7-json"' }, 'not-modified'],
    ['GET', { 'if-none-match': '*' }, 'not-modified'],
    ['GET', { 'if-none-match': '"7-xml"' }, 'proceed'],
    ['GET', { 'if-none-match': '7-json' }, 'proceed'],
    ['GET', { 'if-none-match': '' }, 'proceed'],
  ])
})

test('a false If-None-Match is 304 for GET, HEAD and QUERY, 412 for other methods (§13.1.2)', () => {
  const fields = { 'if-none-match': '"7-json"' }
  for (const method of ['GET', 'HEAD', 'QUERY']) expectVerdicts([[method, fields, 'not-modified']])
  for (const method of ['PUT', 'PATCH', 'DELETE', 'POST']) expectVerdicts([[method, fields, 'failed']])
  expectVerdicts([['PUT', { 'if-none-match': '*' }, 'failed']])
})

test('If-Modified-Since compares full seconds (§13.1.3)', () => {
  expectVerdicts([
    ['GET', { 'if-modified-since': before }, 'proceed'],
    ['GET', { 'if-modified-since': same }, 'not-modified'],
    ['HEAD', { 'if-modified-since': after }, 'not-modified'],
  ])
})

test('If-Modified-Since is ignored beside any If-None-Match (§13.1.3)', () => {
  expectVerdicts([
    ['GET', { 'if-none-match': '"6-json"', 'if-modified-since': after }, 'proceed'],
    ['GET', { 'if-none-match': 'garbage', 'if-modified-since': after }, 'proceed'],
    ['GET', { 'if-none-match': '"7-json"', 'if-modified-since': before }, 'not-modified'],
  ])
})

test('If-Modified-Since is ignored with any method but GET and HEAD (§13.1.3)', () => {
  for (const method of ['PUT', 'PATCH', 'DELETE', 'POST', 'QUERY']) {
    expectVerdicts([[method, { 'if-modified-since': after }, 'proceed']])
  }
})

test('dates that are invalid or several are ignored, one in the future is a date (§13.1.3)', () => {
  for (const date of ['garbage', '', `${after}, ${after}`, 'Mon, 30 Feb 2026 00:00:00 GMT']) {
    expectVerdicts([
      ['GET', { 'if-modified-since': date }, 'proceed'],
      ['PUT', { 'if-unmodified-since': date }, 'proceed'],
    ])
  }
  expectVerdicts([
    ['GET', { 'if-modified-since': formatHttpDate(now) }, 'not-modified'],
    ['GET', { 'if-modified-since': future }, 'not-modified'],
    ['PUT', { 'if-unmodified-since': future }, 'proceed'],
  ])
})

test('without a modification date the date conditions are ignored (§13.1.3, §13.1.4)', () => {
  const undated = { ...selected, lastModified: () => undefined }
  expectVerdicts(
    [
      ['GET', { 'if-modified-since': after }, 'proceed'],
      ['PUT', { 'if-unmodified-since': before }, 'proceed'],
    ],
    undated,
  )
})

test('without a tag only a star makes If-None-Match false (§13.1.2)', () => {
  const untagged = { ...selected, entityTag: undefined }
  expectVerdicts(
    [
      ['GET', { 'if-none-match': '"7-json"' }, 'proceed'],
      ['GET', { 'if-none-match': '*' }, 'not-modified'],
    ],
    untagged,
  )
})

test('If-Match is evaluated before If-None-Match (§13.2.2)', () => {
  expectVerdicts([
    ['GET', { 'if-match': '"6-json"', 'if-none-match': '"7-json"' }, 'failed'],
    ['GET', { 'if-match': '"7-json"', 'if-none-match': '"7-json"' }, 'not-modified'],
    ['GET', { 'if-unmodified-since': before, 'if-none-match': '"7-json"' }, 'failed'],
    ['GET', { 'if-unmodified-since': same, 'if-modified-since': same }, 'not-modified'],
  ])
})

test('OPTIONS, TRACE and CONNECT ignore conditions (§13.2.1)', () => {
  for (const method of ['OPTIONS', 'TRACE', 'CONNECT']) {
    expectVerdicts([[method, { 'if-match': '"x"', 'if-none-match': '*' }, 'proceed']])
  }
})
