/** CSV content (RFC 4180): a header line, then one item on each, typed by the model. */

import { parse } from 'csv-parse/sync'
import type { FieldModel, JsonValue, ResourceModel } from '../declare/model.ts'
import { refuse } from '../refusal.ts'
import { unguarded } from './formula.ts'
import { parseJson } from './json-reader.ts'
import type { Form } from './representation.ts'

const mostRows = 10_000
const mostColumns = 1000

/** The items as JSON values; refuses what is not well-formed, and says in which line. */
export function parseCsv(content: Uint8Array, { resource }: Form): readonly unknown[] {
  const [names, ...lines] = recordsOf(decoded(content))
  if (!names) throw malformed('The first line must name the fields.')
  const header = names.map(({ text }) => text)
  refuseHeader(header)
  if (lines.length > mostRows) throw malformed(`There are more than ${mostRows} lines.`)
  return lines.map((cells) => itemOf(cells, header, resource))
}

/** Quoted and unquoted are told apart: an empty text is quoted, an absent value is not. */
interface Cell {
  readonly text: string
  readonly quoted: boolean
}

function recordsOf(text: string): readonly (readonly Cell[])[] {
  try {
    return parse(text, {
      bom: true,
      skip_empty_lines: true,
      cast: (value, { quoting }) => ({ text: value, quoted: quoting }),
      // Its types know only of texts; what `cast` gives is what is returned.
    }) as unknown as readonly (readonly Cell[])[]
  } catch (cause) {
    const [reason = ''] = (cause as Error).message.split('\n')
    throw malformed(`The content is not well-formed CSV: ${reason}`, cause)
  }
}

function decoded(content: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
  } catch (cause) {
    throw malformed('The content is not valid UTF-8.', cause)
  }
}

function refuseHeader(names: readonly string[]): void {
  if (names.length > mostColumns) throw malformed(`There are more than ${mostColumns} columns.`)
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined) throw malformed(`The column '${repeated}' is there twice.`)
}

function itemOf(cells: readonly Cell[], names: readonly string[], { field }: ResourceModel) {
  const members = names.flatMap((name, index): [string, JsonValue][] => {
    const cell = cells[index]
    if (!cell || (cell.text === '' && !cell.quoted)) return []
    return [[name, valueIn(cell.text, field.get(name))]]
  })
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
