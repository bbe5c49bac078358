/** Opens a file to import: its records, and where their members are. */

import { createReadStream } from 'node:fs'
import type { ResourceModel } from '../../definition/model.ts'
import { formatColumn, readCsvRecords } from './csv-records.ts'
import { readNdjsonRecords } from './ndjson-records.ts'
import { formatOf, type RecordSource } from './source-record.ts'

/** Octets that are read at a time. */
const readSize = 256 * 1024

/** Calls `onHeader` with the names of the columns of a CSV file. */
export function openRecords(
  file: string,
  resource: ResourceModel,
  onHeader: (names: readonly string[]) => void,
): RecordSource {
  let octets = 0
  let lines = 0
  let columns = new Map<string, number>()
  async function* read(): AsyncGenerator<Uint8Array> {
    for await (const part of createReadStream(file, { highWaterMark: readSize })) {
      octets += part.length
      lines += countLines(part)
      yield part
    }
  }
  const rememberHeader = (names: readonly string[]) => {
    columns = new Map(names.map((name, index) => [name, index + 1]))
    onHeader(names)
  }
  const isCsv = formatOf(file) === 'csv'
  return {
    records: isCsv ? readCsvRecords(read(), resource, rememberHeader) : readNdjsonRecords(read()),
    octetsUntil: (line) => (lines > line ? (octets * line) / lines : octets),
    columnOf: (name) => columns.get(name),
  }
}

const LINE_FEED = 0x0a

function countLines(part: Uint8Array): number {
  let count = 0
  for (let at = part.indexOf(LINE_FEED); at >= 0; at = part.indexOf(LINE_FEED, at + 1)) count += 1
  return count
}

/** The place of a member, given by its pointer, in messages. */
export function formatPlace({ columnOf }: RecordSource, pointer: string): string {
  const [, name = ''] = pointer.split('/', 2)
  const number = columnOf(name)
  return number === undefined ? pointer : formatColumn(number, name)
}
