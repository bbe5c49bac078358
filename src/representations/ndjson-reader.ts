/** application/x-ndjson content: one JSON value on each line, read as strictly as JSON itself. */

import { Refusal, refuse } from '../refusal.ts'
import { parseJson } from './json-reader.ts'
import { invalidItemCount, maxItems } from './representation.ts'

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/**
 * The values of all lines; empty lines are none. Refuses with the number of the line at fault, and
 * at the first value too many.
 */
export function parseNdjson(content: Uint8Array): readonly unknown[] {
  const values: unknown[] = []
  let start = 0
  for (let line = 1; start < content.length; line += 1) {
    const end = endOfLine(content, start)
    const octets = trimmed(content, start, end)
    if (octets) {
      if (values.length === maxItems) throw invalidItemCount()
      values.push(parseLine(octets, line))
    }
    start = end + 1
  }
  return values
}

/** Where the line ends; of an empty one that is where it begins, found without a search. */
function endOfLine(content: Uint8Array, start: number): number {
  if (content[start] === LINE_FEED) return start
  const end = content.indexOf(LINE_FEED, start)
  return end < 0 ? content.length : end
}

/** Undefined where the line is empty. */
function trimmed(content: Uint8Array, start: number, end: number): Uint8Array | undefined {
  const last = content[end - 1] === CARRIAGE_RETURN ? end - 1 : end
  return last > start ? content.subarray(start, last) : undefined
}

function parseLine(octets: Uint8Array, line: number): unknown {
  try {
    return parseJson(octets)
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause
    throw refuse('malformed-content', { detail: `Line ${line}: ${cause.options.detail}`, cause })
  }
}
