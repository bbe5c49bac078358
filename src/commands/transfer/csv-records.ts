/** Reads the records of a CSV file (RFC 4180) one after the other, in memory that does not grow with the file. */

import type { JsonValue, ResourceModel } from '../../definition/model.ts'
import { parseCell, requireUniqueNames } from '../../formats/csv-reader.ts'
import { BYTE_ORDER_MARK, type Cell, endOfLine, scanRecord, unclosedQuote } from '../../formats/csv-scan.ts'
import { Refusal } from '../../refusal.ts'
import { maxRecordLength, RecordFaults, type SourceRecord, tooLong } from './source-record.ts'

/** Calls `onHeader` with the names of the columns before the first record. Throws RecordFaults. */
export async function* readCsvRecords(
  octets: AsyncIterable<Uint8Array>,
  { fieldByName }: ResourceModel,
  onHeader: (names: readonly string[]) => void,
): AsyncGenerator<SourceRecord> {
  let header: readonly string[] | undefined
  for await (const { line, cells } of scanRecords(octets)) {
    if (header) {
      yield { line, body: parseCells({ line, cells }, header, fieldByName) }
      continue
    }
    header = cells.map(({ text }) => text)
    requireHeader(line, header)
    onHeader(header)
  }
  if (!header) throw new RecordFaults([{ line: 1, detail: 'The first line must name the columns.' }])
}

/** The name of a column in messages. */
export function formatColumn(number: number, name: string): string {
  return `column ${number} (${name})`
}

interface CsvRecord {
  readonly line: number
  readonly cells: readonly Cell[]
}

function requireHeader(line: number, header: readonly string[]): void {
  try {
    requireUniqueNames(header)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new RecordFaults([{ line, detail: String(error.options.detail) }])
  }
}

function parseCells(
  { line, cells }: CsvRecord,
  header: readonly string[],
  fieldByName: ResourceModel['fieldByName'],
): Readonly<Record<string, JsonValue>> {
  if (cells.length !== header.length) {
    const detail = `${cells.length} cells instead of ${header.length}.`
    throw new RecordFaults([{ line, detail }])
  }
  const members: (readonly [string, JsonValue])[] = []
  for (const [index, { text, quoted }] of cells.entries()) {
    const name = header[index] as string
    if (text === '' && !quoted) continue
    try {
      members.push([name, parseCell(text, fieldByName.get(name))])
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const detail = `The cell is not valid JSON. ${error.options.detail}`
      throw new RecordFaults([{ line, place: formatColumn(index + 1, name), detail }])
    }
  }
  return Object.fromEntries(members)
}

interface ScanState {
  /** The text that is not scanned yet. */
  rest: string
  line: number
}

async function* scanRecords(octets: AsyncIterable<Uint8Array>): AsyncGenerator<CsvRecord> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const state: ScanState = { rest: '', line: 1 }
  let isFirst = true
  for await (const part of octets) {
    const text = decode(state, () => decoder.decode(part, { stream: true }))
    state.rest += isFirst && text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text
    isFirst = false
    yield* scanText(state, 'more follows')
  }
  state.rest += decode(state, () => decoder.decode())
  yield* scanText(state, 'end')
}

function decode({ line }: ScanState, read: () => string): string {
  try {
    return read()
  } catch {
    const detail = 'From here on, the file has octets that are not UTF-8. Save it as UTF-8.'
    throw new RecordFaults([{ line, detail }])
  }
}

/** The records that are complete in the text; the others remain in it. */
function* scanText(state: ScanState, place: 'more follows' | 'end'): Generator<CsvRecord> {
  const text = state.rest
  const mayGrow = (end: number) => place === 'more follows' && end === text.length
  let at = 0
  while (at < text.length) {
    const next = endOfLine(text, at)
    // A CR at the end may be the first half of a CRLF.
    if (next !== at && mayGrow(next)) break
    if (next !== at) {
      state.line += 1
      at = next
      continue
    }
    const record = scanRecord(text, at)
    const isFault = 'reason' in record
    if (isFault && record.reason === unclosedQuote && place === 'more follows') break
    if (isFault) throw new RecordFaults([{ line: state.line + record.lines, detail: `${record.reason}.` }])
    if (mayGrow(record.end)) break
    yield { line: state.line, cells: record.cells }
    state.line += record.lines
    at = record.end
  }
  state.rest = text.slice(at)
  if (state.rest.length > maxRecordLength) throw tooLong(state.line)
}
