/** Reads CSV content (RFC 4180): a header line, then one item on each line, typed by the model. */

import type { FieldModel, JsonValue, ResourceModel } from '../definition/model.ts'
import { Refusal, refuse } from '../refusal.ts'
import { unescapeFormula } from './csv-formula.ts'
import { type Cell, scanCsv } from './csv-scan.ts'
import { invalidNumberOfItems, type ReadOptions } from './format.ts'
import { decodeUtf8, parseJson } from './json-reader.ts'

/** Parses the items to JSON values; refuses malformed content with the line number. */
export function parseCsv(content: Uint8Array, { resource }: ReadOptions): readonly unknown[] {
  const { header, records, lines } = scanItems(content)
  return records.map((cells, row) => createItem({ cells, line: lines[row] as number }, header, resource))
}

/** The names of the columns, and the line at which each item begins; refuses as `parseCsv` does. */
export function findCsvPlaces(content: Uint8Array): Pick<ScannedItems, 'header' | 'lines'> {
  return scanItems(content)
}

interface ScannedItems {
  readonly header: readonly string[]
  readonly records: readonly (readonly Cell[])[]
  /** The line at which each record begins. */
  readonly lines: readonly number[]
}

function scanItems(content: Uint8Array): ScannedItems {
  const scan = scanRecords(decodeUtf8(content))
  const [names, ...records] = scan.records
  if (!names) throw malformed('The first line must name the fields.')
  const header = names.map(({ text }) => text)
  requireUniqueNames(header)
  return { header, records, lines: scan.lines.slice(1) }
}

function scanRecords(text: string) {
  const scan = scanCsv(text)
  switch (scan.kind) {
    case 'records':
      return scan
    case 'too-many-records':
      throw invalidNumberOfItems()
    case 'malformed':
      throw malformed(`The content is not well-formed CSV: ${scan.reason}.`)
  }
}

/** Refuses a header with the same name twice. */
export function requireUniqueNames(names: readonly string[]): void {
  const seen = new Set<string>()
  for (const name of names) {
    if (seen.has(name)) throw malformed(`The column '${name}' is repeated.`)
    seen.add(name)
  }
}

interface LocatedRecord {
  readonly cells: readonly Cell[]
  readonly line: number
}

function createItem(
  { cells, line }: LocatedRecord,
  names: readonly string[],
  { fieldByName }: ResourceModel,
) {
  const members = new Map<string, JsonValue>()
  for (const [index, { text, quoted }] of cells.entries()) {
    // A record has as many cells as the header.
    const name = names[index] as string
    if (text === '' && !quoted) continue
    try {
      members.set(name, parseCell(text, fieldByName.get(name)))
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause
      throw malformed(`Line ${line}, column ${index + 1}: ${cause.options.detail}`, cause)
    }
  }
  return Object.fromEntries(members)
}

/** A cell of another form than the values of its field stays text, which validation refuses. */
export function parseCell(text: string, field: FieldModel | undefined): JsonValue {
  switch (field?.kind.shape) {
    case 'number':
      return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? parseJsonCell(text) : text
    case 'boolean':
      return text === 'true' || text === 'false' ? text === 'true' : text
    case 'list':
    case 'json':
    case 'file':
      return parseJsonCell(text)
    default:
      return unescapeFormula(text)
  }
}

function parseJsonCell(text: string): JsonValue {
  return parseJson(Buffer.from(text)) as JsonValue
}

function malformed(detail: string, cause?: unknown) {
  return refuse('malformed-content', { detail, cause })
}
