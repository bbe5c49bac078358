/** The field lines of a header section (RFC 9110 §5.2, §5.3), combined in one pass. */

import type { Fields } from '../http/message.ts'

export interface FieldSection {
  readonly fields: Fields
  readonly count: number
  readonly octets: number
  /** The name of a field that has one value by its definition and came in several lines. */
  readonly repeated: string | undefined
}

/**
 * Reads names and values in turn, as Node's `rawHeaders` has them. Of a repeated singleton the
 * first value is kept; `repeated` tells that the message must not be believed.
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
 * What fields inherit, so that one named `__proto__` is a field like any other. An object that has
 * no prototype at all is one that the engine keeps as a table, which is slower to make and to ask.
 */
const emptyPrototype = Object.freeze(Object.create(null))

/** `: ` and CRLF. */
const lineOverhead = 4

/**
 * Singletons on which a decision of ours hangs, so that two lines could mean two things to two
 * readers. If-Modified-Since and If-Unmodified-Since are missing on purpose: §13.1.3 and §13.1.4
 * want them ignored when they have several members, and combined they are no valid date.
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
