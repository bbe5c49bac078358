/** Parsers are linear: eight times the text takes about eight times as long, not 64. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAuthorization, parseBasic } from '../../src/http/authorization.ts'
import { parseEntityTags } from '../../src/http/entity-tag.ts'
import { parseHttpDate } from '../../src/http/http-date.ts'
import { parseMediaType } from '../../src/http/media-type.ts'
import { negotiateCoding, negotiateMediaType } from '../../src/http/negotiation.ts'
import { parsePrefer } from '../../src/http/prefer.ts'
import { parseQueryString } from '../../src/http/query-string.ts'
import { isValidHost, parseTarget } from '../../src/http/request-target.ts'
import { parseStringOrToken } from '../../src/http/structured-field.ts'

const parsers: Record<string, (text: string) => unknown> = {
  parseMediaType,
  parseEntityTags,
  parsePrefer,
  parseStringOrToken,
  parseAuthorization,
  parseBasic,
  parseTarget,
  parseQueryString,
  isValidHost,
  parseHttpDate: (text) => parseHttpDate(text, 0),
  negotiateMediaType: (text) => negotiateMediaType(text, ['a/b', 'text/html']),
  negotiateCoding: (text) => negotiateCoding(text, ['gzip', 'br']),
}

/** Beginnings, and what is repeated after them; the end is always one that spoils a match. */
const beginnings = ['', '"', 'a/b', 'a/b;c="', '/', '/?', 'Basic ', '[', '"k"', 'http://']
const repeated = ['a', ' ', '\t', ',', ';', '"', '\\', '%', '%41', '/', '=', 'a=b,', '"a",', 'W/', ' ;']
const ends = ['', '\0', '"']

const small = 8 * 1024
const factor = 8

for (const [name, parse] of Object.entries(parsers)) {
  test(`${name} takes time proportional to the text`, () => {
    for (const beginning of beginnings) {
      for (const unit of repeated) {
        for (const end of ends) {
          const text = (length: number) => beginning + unit.repeat(length / unit.length) + end
          const label = JSON.stringify([beginning, unit, end])
          assert.ok(isProportional(parse, text), label)
        }
      }
    }
  })
}

/** The best of several rounds, for other work on the machine only ever adds. */
function isProportional(parse: (text: string) => unknown, text: (length: number) => string) {
  const short = text(small)
  const long = text(small * factor)
  for (let round = 0; round < 20; round++) {
    const ratio = quickest(parse, long) / quickest(parse, short)
    if (ratio < factor * 4) return true
  }
  return false
}

function quickest(parse: (text: string) => unknown, text: string): number {
  return Math.min(duration(parse, text), duration(parse, text), duration(parse, text))
}

function duration(parse: (text: string) => unknown, text: string): number {
  const start = process.hrtime.bigint()
  parse(text)
  // Below a tenth of a millisecond the clock and the compiler are measured, not the parser.
  return Math.max(Number(process.hrtime.bigint() - start), 100_000)
}
