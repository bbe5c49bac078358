/** Reads the records of an NDJSON file one after the other, in memory that does not grow with the file. */

import { parseJson } from '../../formats/json-reader.ts'
import { Refusal } from '../../refusal.ts'
import { maxRecordLength, RecordFaults, type SourceRecord, tooLong } from './source-record.ts'

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** Empty lines are skipped. Throws RecordFaults. */
export async function* readNdjsonRecords(octets: AsyncIterable<Uint8Array>): AsyncGenerator<SourceRecord> {
  let rest: Uint8Array = new Uint8Array()
  let line = 0
  for await (const part of octets) {
    let start = 0
    for (let end = part.indexOf(LINE_FEED); end >= 0; end = part.indexOf(LINE_FEED, start)) {
      line += 1
      const record = parseLine(line, joined(rest, part.subarray(start, end)))
      if (record) yield record
      rest = new Uint8Array()
      start = end + 1
    }
    rest = joined(rest, part.subarray(start))
    if (rest.length > maxRecordLength) throw tooLong(line + 1)
  }
  const record = parseLine(line + 1, rest)
  if (record) yield record
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  return first.length === 0 ? second : Buffer.concat([first, second])
}

function parseLine(line: number, octets: Uint8Array): SourceRecord | undefined {
  const trimmed = octets.at(-1) === CARRIAGE_RETURN ? octets.subarray(0, -1) : octets
  if (trimmed.length === 0) return undefined
  if (trimmed.length > maxRecordLength) throw tooLong(line)
  try {
    return { line, body: parseJson(trimmed) }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new RecordFaults([{ line, detail: String(error.options.detail) }])
  }
}
