/** CSV text (RFC 4180 §2) as records of cells, in one pass that ends at the first limit passed. */

/** Quoted and unquoted cells differ: an empty text is quoted, an absent value is not. */
export interface Cell {
  readonly text: string
  readonly quoted: boolean
}

export interface CsvLimits {
  /** Without the header. */
  readonly records: number
  readonly columns: number
  /** In all records together. */
  readonly cells: number
}

export type CsvScan =
  | { readonly kind: 'records'; readonly records: readonly (readonly Cell[])[] }
  | { readonly kind: 'malformed'; readonly reason: string }
  | { readonly kind: 'too-many-records' }

/** The records, header first. Empty lines are skipped; a line ends in CRLF, LF or CR. */
export function scanCsv(text: string, limits: CsvLimits): CsvScan {
  const records: (readonly Cell[])[] = []
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
    const record = scanRecord(text, at, limits.columns)
    if ('reason' in record) return malformed(`${record.reason} in line ${line + record.lines}`)
    const width = records[0]?.length ?? record.cells.length
    if (record.cells.length !== width) {
      return malformed(`${record.cells.length} cells instead of ${width} in line ${line}`)
    }
    if (records.length > limits.records) return { kind: 'too-many-records' }
    cells += width
    if (cells > limits.cells) return malformed(`More than ${limits.cells} cells`)
    records.push(record.cells)
    line += record.lines
    at = record.end
  }
  return { kind: 'records', records }
}

function malformed(reason: string): CsvScan {
  return { kind: 'malformed', reason }
}

/** Line breaks within quotes, so that lines can be counted. */
interface LineCount {
  readonly lines: number
}

type ScannedRecord =
  | (LineCount & { readonly cells: readonly Cell[]; readonly end: number })
  | (LineCount & { readonly reason: string })

/** One record up to its line break, which belongs to no record. */
function scanRecord(text: string, start: number, most: number): ScannedRecord {
  const cells: Cell[] = []
  let lines = 0
  for (let at = start; ; at += 1) {
    const quoted = text.charCodeAt(at) === QUOTE
    const end = quoted ? endOfQuoted(text, at) : endOfPlain(text, at)
    if (end === undefined) return { reason: 'A quote is not closed', lines }
    if (end < text.length && !isBoundary(text.charCodeAt(end))) {
      return { reason: 'A quote stands within a cell', lines }
    }
    if (cells.length === most) return { reason: `More than ${most} columns`, lines }
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

/** After the closing quote; undefined where there is none. */
function endOfQuoted(text: string, start: number): number | undefined {
  let at = text.indexOf('"', start + 1)
  while (at >= 0 && text.charCodeAt(at + 1) === QUOTE) at = text.indexOf('"', at + 2)
  return at < 0 ? undefined : at + 1
}

function unquoted(text: string): string {
  return text.includes('"') ? text.replaceAll('""', '"') : text
}

/** After the line break that is here; the same place where there is none. */
function endOfLine(text: string, at: number): number {
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
const BYTE_ORDER_MARK = 0xfeff
