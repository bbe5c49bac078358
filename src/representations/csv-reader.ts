/** Reads CSV content (RFC 4180): a header line, then one item on each line, typed by the model. */

import type { FieldModel, JsonValue, ResourceModel } from '../definition/model.ts'
import { refuse } from '../refusal.ts'
import { unescapeFormula } from './csv-formula.ts'
import { type Cell, scanCsv } from './csv-scan.ts'
import { invalidNumberOfItems, maxItems, type ReadOptions } from './format.ts'
import { parseJson } from './json-reader.ts'

const limits = Object.freeze({ records: maxItems, columns: 1000, cells: 100_000 })

/** Parses the items to JSON values; refuses malformed content with the line number. */
export function parseCsv(content: Uint8Array, { resource }: ReadOptions): readonly unknown[] {
  const [names, ...lines] = scanRecords(decodeUtf8(content))
  if (!names) throw malformed('The first line must name the fields.')
  const header = names.map(({ text }) => text)
  requireUniqueNames(header)
  return lines.map((cells) => createItem(cells, header, resource))
}

function scanRecords(text: string): readonly (readonly Cell[])[] {
  const scan = scanCsv(text, limits)
  switch (scan.kind) {
    case 'records':
      return scan.records
    case 'too-many-records':
      throw invalidNumberOfItems()
    case 'malformed':
      throw malformed(`The content is not well-formed CSV: ${scan.reason}.`)
  }
}

function decodeUtf8(content: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
  } catch (cause) {
    throw malformed('The content is not valid UTF-8.', cause)
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

function createItem(cells: readonly Cell[], names: readonly string[], { fieldByName }: ResourceModel) {
  const members = new Map<string, JsonValue>()
  for (const [index, { text, quoted }] of cells.entries()) {
    // A record has as many cells as the header.
    const name = names[index] as string
    if (text !== '' || quoted) members.set(name, parseCell(text, fieldByName.get(name)))
  }
  return Object.fromEntries(members)
}

/** A cell that does not match the kind of its field stays text, which validation refuses. */
export function parseCell(text: string, field: FieldModel | undefined): JsonValue {
  switch (field?.kind) {
    case 'integer':
    case 'number':
      return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? parseJsonCell(text) : text
    case 'boolean':
      return text === 'true' || text === 'false' ? text === 'true' : text
    case 'list':
    case 'refs':
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
