/** Scans CSV text (RFC 4180 §2) into records of cells, in one pass that stops at the first limit. */

import { maxItems } from './format.ts'

/** A quoted empty cell is an empty text; an unquoted empty cell is an absent value. */
export interface Cell {
  readonly text: string
  readonly quoted: boolean
}

const limits = {
  /** Not counting the header. */
  records: maxItems,
  columns: 1000,
  /** In all records together. */
  cells: 100_000,
} as const

export type CsvScan =
  | {
      readonly kind: 'records'
      readonly records: readonly (readonly Cell[])[]
      /** The line at which each record begins. */
      readonly lines: readonly number[]
    }
  | { readonly kind: 'malformed'; readonly reason: string }
  | { readonly kind: 'too-many-records' }

/** Returns the records, header first. Empty lines are skipped; a line ends in CRLF, LF or CR. */
export function scanCsv(text: string): CsvScan {
  const records: (readonly Cell[])[] = []
  const lines: number[] = []
  let cells = 0
  let line = 1
  let at = text.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0
  while (at < text.length) {
    const end = endOfLine(text, at)
    if (end !== at) {
      line += 1
      at = end
      continue
    }
    const record = scanRecord(text, at)
    if ('reason' in record) return malformed(`${record.reason} in line ${line + record.lines}`)
    const width = records[0]?.length ?? record.cells.length
    if (record.cells.length !== width) {
      return malformed(`${record.cells.length} cells instead of ${width} in line ${line}`)
    }
    if (records.length > limits.records) return { kind: 'too-many-records' }
    cells += width
    if (cells > limits.cells) return malformed(`More than ${limits.cells} cells`)
    records.push(record.cells)
    lines.push(line)
    line += record.lines
    at = record.end
  }
  return { kind: 'records', records, lines }
}

function malformed(reason: string): CsvScan {
  return { kind: 'malformed', reason }
}

/** The number of line breaks in quoted cells, for line numbers in messages. */
interface LineCount {
  readonly lines: number
}

export type ScannedRecord =
  | (LineCount & { readonly cells: readonly Cell[]; readonly end: number })
  | (LineCount & { readonly reason: string })

/** Why a record is malformed whose end is not in the text. */
export const unclosedQuote = 'A quote is not closed'

/** Scans one record, up to its line break. */
export function scanRecord(text: string, start: number): ScannedRecord {
  const cells: Cell[] = []
  let lines = 0
  for (let at = start; ; at += 1) {
    const quoted = text.charCodeAt(at) === QUOTE
    const end = quoted ? endOfQuoted(text, at) : endOfPlain(text, at)
    if (end === undefined) return { reason: unclosedQuote, lines }
    if (end < text.length && !isBoundary(text.charCodeAt(end))) {
      return { reason: 'A quote is neither at the start nor at the end of a cell', lines }
    }
    if (cells.length === limits.columns) return { reason: `More than ${limits.columns} columns`, lines }
    const cell = quoted ? unquoted(text.slice(at + 1, end - 1)) : text.slice(at, end)
    if (quoted) lines += cell.split(/\r\n|\r|\n/).length - 1
    cells.push({ text: cell, quoted })
    if (text.charCodeAt(end) !== COMMA) return { cells, end, lines }
    at = end
  }
}

function endOfPlain(text: string, start: number): number {
  let at = start
  while (at < text.length && !isSpecial(text.charCodeAt(at))) at += 1
  return at
}

/** The position after the closing quote; undefined if there is none. */
function endOfQuoted(text: string, start: number): number | undefined {
  let at = text.indexOf('"', start + 1)
  while (at >= 0 && text.charCodeAt(at + 1) === QUOTE) at = text.indexOf('"', at + 2)
  return at < 0 ? undefined : at + 1
}

function unquoted(text: string): string {
  return text.includes('"') ? text.replaceAll('""', '"') : text
}

/** The position after a line break at `at`; `at` if there is none. */
export function endOfLine(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code === LINE_FEED) return at + 1
  if (code !== CARRIAGE_RETURN) return at
  return text.charCodeAt(at + 1) === LINE_FEED ? at + 2 : at + 1
}

function isBoundary(code: number): boolean {
  return code === COMMA || code === LINE_FEED || code === CARRIAGE_RETURN
}

function isSpecial(code: number): boolean {
  return isBoundary(code) || code === QUOTE
}

const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const QUOTE = 34
const COMMA = 44
export const BYTE_ORDER_MARK = 0xfeff
