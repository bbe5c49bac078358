/** The field lines of a header section (RFC 9110 §5.2, §5.3), combined in one pass. */

import type { Fields } from '../http/message.ts'

export interface FieldSection {
  readonly fields: Fields
  readonly count: number
  readonly octets: number
  /** The name of a singleton field that occurs in several lines. */
  readonly repeated: string | undefined
}

/**
 * Combines the names and values of Node's `rawHeaders`. `fields` has the first value of a repeated
 * singleton; `repeated` reports it, so that the request is refused.
 */
export function readFieldLines(rawHeaders: readonly string[]): FieldSection {
  const fields: Record<string, string | undefined> = Object.create(emptyPrototype)
  let octets = 0
  let repeated: string | undefined
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const rawName = rawHeaders[index]!
    const value = rawHeaders[index + 1]!
    octets += rawName.length + value.length + lineOverhead
    const name = rawName.toLowerCase()
    const earlier = fields[name]
    if (earlier === undefined) fields[name] = value
    else if (singletons.has(name)) repeated ??= name
    else fields[name] = earlier + (name === 'cookie' ? '; ' : ', ') + value
  }
  return { fields, count: rawHeaders.length / 2, octets, repeated }
}

/**
 * The prototype of fields, so that a field named `__proto__` is an ordinary field. V8 stores an
 * object without any prototype as a slower hash table.
 */
const emptyPrototype = Object.freeze(Object.create(null))

/** `: ` and CRLF. */
const lineOverhead = 4

/**
 * Singletons that decisions depend on. Two lines could mean different things to a proxy and to us.
 * §13.1.3, §13.1.4: If-Modified-Since and If-Unmodified-Since with several members are ignored
 * instead, since their combination is no valid date.
 */
const singletons: ReadonlySet<string> = new Set([
  'authorization',
  'content-length',
  'content-range',
  'content-type',
  'host',
  'idempotency-key',
  'origin',
  'sec-fetch-site',
])
