/** application/x-ndjson content: one JSON value on each line, read as strictly as JSON itself. */

import { Refusal, refuse } from '../refusal.ts'
import { parseJson } from './json-reader.ts'

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** The values of all lines; empty lines are none. Refuses with the number of the line at fault. */
export function parseNdjson(content: Uint8Array): readonly unknown[] {
  const values: unknown[] = []
  let start = 0
  for (let line = 1; start < content.length; line += 1) {
    const end = content.indexOf(LINE_FEED, start)
    const octets = trimmed(content.subarray(start, end < 0 ? content.length : end))
    if (octets.length > 0) values.push(parseLine(octets, line))
    start = end < 0 ? content.length : end + 1
  }
  return values
}

function trimmed(line: Uint8Array): Uint8Array {
  return line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line
}

function parseLine(octets: Uint8Array, line: number): unknown {
  try {
    return parseJson(octets)
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause
    throw refuse('malformed-content', { detail: `Line ${line}: ${cause.options.detail}`, cause })
  }
}
