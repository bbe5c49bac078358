/** CSV content (RFC 4180): a header line, then one item on each, typed by the model. */

import type { FieldModel, JsonValue, ResourceModel } from '../definition/model.ts'
import { refuse } from '../refusal.ts'
import { unguarded } from './csv-formula.ts'
import { type Cell, scanCsv } from './csv-scan.ts'
import { parseJson } from './json-reader.ts'
import { type Form, maxItems, wrongCount } from './representation.ts'

const limits = Object.freeze({ records: maxItems, columns: 1000, cells: 100_000 })

/** The items as JSON values; refuses what is not well-formed, and says in which line. */
export function parseCsv(content: Uint8Array, { resource }: Form): readonly unknown[] {
  const [names, ...lines] = recordsOf(decoded(content))
  if (!names) throw malformed('The first line must name the fields.')
  const header = names.map(({ text }) => text)
  refuseRepeated(header)
  return lines.map((cells) => itemOf(cells, header, resource))
}

function recordsOf(text: string): readonly (readonly Cell[])[] {
  const scan = scanCsv(text, limits)
  switch (scan.kind) {
    case 'records':
      return scan.records
    case 'too-many-records':
      throw wrongCount()
    case 'malformed':
      throw malformed(`The content is not well-formed CSV: ${scan.reason}.`)
  }
}

function decoded(content: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
  } catch (cause) {
    throw malformed('The content is not valid UTF-8.', cause)
  }
}

function refuseRepeated(names: readonly string[]): void {
  const seen = new Set<string>()
  for (const name of names) {
    if (seen.has(name)) throw malformed(`The column '${name}' is there twice.`)
    seen.add(name)
  }
}

function itemOf(cells: readonly Cell[], names: readonly string[], { field }: ResourceModel) {
  const members = new Map<string, JsonValue>()
  for (const [index, { text, quoted }] of cells.entries()) {
    // A record has as many cells as the header.
    const name = names[index] as string
    if (text !== '' || quoted) members.set(name, valueIn(text, field.get(name)))
  }
  return Object.fromEntries(members)
}

/** Where a cell has not the form of its kind it stays text, and is refused at its place. */
function valueIn(text: string, field: FieldModel | undefined): JsonValue {
  switch (field?.kind) {
    case 'integer':
    case 'number':
      return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? jsonOf(text) : text
    case 'boolean':
      return text === 'true' || text === 'false' ? text === 'true' : text
    case 'list':
    case 'json':
      return jsonOf(text)
    default:
      return unguarded(text)
  }
}

function jsonOf(text: string): JsonValue {
  return parseJson(Buffer.from(text)) as JsonValue
}

function malformed(detail: string, cause?: unknown) {
  return refuse('malformed-content', { detail, cause })
}
