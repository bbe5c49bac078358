/** application/x-ndjson: a collection as one JSON object on each line. */

import { Refusal, refuse } from '../refusal.ts'
import type { StreamView, View } from '../views/view.ts'
import { aggregateObjects } from './aggregate-objects.ts'
import { type Format, invalidNumberOfItems, maxItems } from './format.ts'
import { writeItem } from './json.ts'
import { parseJson } from './json-reader.ts'

export const ndjson: Format = {
  name: 'ndjson',
  mediaType: 'application/x-ndjson',
  viewKinds: new Set(['collection', 'aggregate']),
  write(view: View): string {
    if (view.kind === 'aggregate') return writeLines(aggregateObjects(view).map((row) => JSON.stringify(row)))
    if (view.kind === 'document' && Array.isArray(view.data)) {
      return writeLines(view.data.map((entry) => JSON.stringify(entry)))
    }
    if (view.kind !== 'collection') throw new Error(`NDJSON does not show ${view.kind}`)
    return writeLines(view.items.map(writeItem))
  },
  writeCollectionItem: writeItem,
  async *stream({ batches }: StreamView): AsyncGenerator<string> {
    for await (const items of batches) yield writeLines(items.map(writeItem))
  },
  readMany: parseNdjson,
}

function writeLines(lines: readonly string[]): string {
  let text = ''
  for (const line of lines) text += `${line}\n`
  return text
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** Parses the values of all lines and skips empty lines. Refuses with the number of the line. */
export function parseNdjson(content: Uint8Array): readonly unknown[] {
  const values: unknown[] = []
  for (const { line, octets } of linesOf(content)) {
    if (values.length === maxItems) throw invalidNumberOfItems()
    values.push(parseLine(octets, line))
  }
  return values
}

/** The number of the line of each value. */
export function findNdjsonLines(content: Uint8Array): readonly number[] {
  return Array.from(linesOf(content), ({ line }) => line)
}

/** The lines that are not empty. */
function* linesOf(content: Uint8Array) {
  let start = 0
  for (let line = 1; start < content.length; line += 1) {
    const end = endOfLine(content, start)
    const octets = trimmed(content, start, end)
    if (octets) yield { line, octets }
    start = end + 1
  }
}

/** The end of the line. An empty line is found without a search, which keeps many of them fast. */
function endOfLine(content: Uint8Array, start: number): number {
  if (content[start] === LINE_FEED) return start
  const end = content.indexOf(LINE_FEED, start)
  return end < 0 ? content.length : end
}

/** The line without CR; undefined if it is empty. */
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
