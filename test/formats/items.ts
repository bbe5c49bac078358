/** Random items of every kind of field, as bodies have them. */

import fc from 'fast-check'
import {
  anyone,
  boolean,
  choice,
  date,
  decimal,
  email,
  integer,
  json,
  list,
  number,
  ref,
  resource,
  service,
  text,
  timestamp,
  url,
  uuid,
} from 'restwell'
import { scanJson } from '../../src/formats/json-limits.ts'

export const open = { read: anyone, create: anyone, update: anyone, delete: anyone }

export const everything = resource(
  {
    text: text().optional(),
    email: email().optional(),
    url: url().optional(),
    uuid: uuid().optional(),
    integer: integer().optional(),
    number: number().optional(),
    decimal: decimal({ scale: 3 }).optional(),
    boolean: boolean().optional(),
    date: date().optional(),
    timestamp: timestamp().optional(),
    choice: choice(['plain', ' spaced ', '<&>', '=1+1']).optional(),
    texts: list(text()).optional(),
    numbers: list(number()).optional(),
    flags: list(boolean()).optional(),
    data: json().optional(),
    other: ref('others').optional(),
  },
  { access: open, bulk: true },
)

export const definition = service({
  title: 'Everything',
  resources: {
    things: everything,
    others: resource({ code: text() }, { key: 'code', access: open }),
  },
})

/** Valid text (docs/reference/http/formats.md, "Formats"): no C0 control but TAB, LF, CR; no U+FFFE, U+FFFF; no lone surrogate. */
const special = fc.constantFrom(...'\r\n\t\'"&<>]-=+@ ,;')
const admitted = fc
  .array(fc.oneof(special, fc.string({ unit: 'binary', maxLength: 3 })), { maxLength: 20 })
  .map((parts) => parts.join(''))
  .filter(isAdmitted)

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are meant
const clean = /^[^\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF\uD800-\uDFFF]*$/u

function isAdmitted(value: string): boolean {
  return clean.test(value)
}

const moments = fc.date({
  min: new Date('0001-01-02T00:00:00Z'),
  max: new Date('9999-12-30T00:00:00Z'),
  noInvalidDate: true,
})

const decimals = fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }).map((scaled) => {
  const digits = String(scaled < 0n ? -scaled : scaled).padStart(4, '0')
  return `${scaled < 0n ? '-' : ''}${digits.slice(0, -3)}.${digits.slice(-3)}`
})

/** Columns cannot tell -0 from 0. */
const numbers = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .map((value) => value + 0)
  .filter(isExact)

/** RFC 7493 §2.2: integers beyond ±(2^53−1) are refused in JSON already. */
function isExact(value: unknown): boolean {
  return scanJson(JSON.stringify(value)) === undefined
}

export const items = fc.record(
  {
    text: admitted,
    email: fc.constantFrom('ada@example.org', '+x=y@example.org', "o'neil@example.org"),
    url: fc.constantFrom('https://example.org/?a=b&c=%20', "http://[::1]:80/'"),
    uuid: fc.uuid(),
    integer: fc.maxSafeInteger().map((value) => value + 0),
    number: numbers,
    decimal: decimals,
    boolean: fc.boolean(),
    date: moments.map((moment) => moment.toISOString().slice(0, 10)),
    timestamp: moments.map((moment) => moment.toISOString()),
    choice: fc.constantFrom('plain', ' spaced ', '<&>', '=1+1'),
    texts: fc.array(admitted, { maxLength: 5 }),
    numbers: fc.array(numbers, { maxLength: 5 }),
    flags: fc.array(fc.boolean(), { maxLength: 5 }),
    data: fc.jsonValue({ maxDepth: 4 }).filter(isExact),
  },
  { requiredKeys: [] },
)
