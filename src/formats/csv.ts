/**
 * text/csv (RFC 4180): a collection as a table. An absent value is an empty cell, an empty text is
 * `""`; lists, sets of references, files and JSON are JSON text. Texts that begin like a formula are escaped.
 */

import { findFileModel } from '../definition/file-fields.ts'
import {
  type FieldModel,
  IDENTITY,
  type JsonValue,
  outputFields,
  type ResourceModel,
} from '../definition/model.ts'
import { findRowsField } from '../definition/result-rows.ts'
import { systemFields } from '../definition/system-fields.ts'
import type { Row } from '../store/row.ts'
import { shownValue } from '../views/file-member.ts'
import type {
  AggregateMember,
  AggregateView,
  CollectionView,
  DocumentView,
  ItemView,
  StreamView,
  View,
} from '../views/view.ts'
import type { VisibleFields } from '../views/visible-fields.ts'
import { escapeFormula, mayBeFormula } from './csv-formula.ts'
import { parseCsv } from './csv-reader.ts'
import { createEscaper } from './escaper.ts'
import type { Format } from './format.ts'

export const csv: Format = {
  name: 'csv',
  mediaType: 'text/csv',
  viewKinds: new Set(['collection', 'aggregate']),
  write(view: View): string {
    if (view.kind === 'aggregate') return writeAggregates(view)
    if (view.kind === 'document') return view.values ? writeRows(view.values, view.data) : writeEntries(view)
    if (view.kind !== 'collection') throw new Error(`CSV does not show ${view.kind}`)
    const table = createTable(findColumns(view))
    return table.header + table.rowsOf(view.items)
  },
  writeCollectionItem: (item) =>
    createTable([...item.visibleFields.fields, ...item.visibleFields.times]).rowsOf([item]),
  async *stream({ fields, batches }: StreamView): AsyncGenerator<string> {
    const table = createTable(fields)
    yield table.header
    for await (const items of batches) yield table.rowsOf(items)
  },
  readMany: parseCsv,
}

/** The rows of an aggregation: a column for each member. */
function writeAggregates({ members, rows }: AggregateView): string {
  const lines = rows.map(({ values }) =>
    members.map((member, at) => aggregateCell(member, values[at])).join(),
  )
  return [members.map(({ name }) => name).join(), ...lines, ''].join('\r\n')
}

function aggregateCell({ kind }: AggregateMember, value: JsonValue | undefined): string {
  if (value === undefined) return ''
  const text = String(value)
  return formatCell(kind === 'identity' || mayBeFormula(kind) ? escapeFormula(text) : text)
}

/** The rows of a result: a column for each of their members. Other members of the result are left out. */
function writeRows({ visibleFields }: ItemView, data: JsonValue): string {
  const list = findRowsField(visibleFields.resource)
  if (!list?.members) throw new Error('CSV shows a result with one list of objects only')
  const { fields } = list.members
  const rows: readonly Readonly<Record<string, JsonValue>>[] = Object(data)[list.name] ?? []
  const lines = rows.map((row) => fields.map((field) => resultCell(field, row[field.name])).join())
  return [fields.map(({ name }) => name).join(), ...lines, ''].join('\r\n')
}

function resultCell({ kind }: FieldModel, value: JsonValue | undefined): string {
  if (value === undefined) return ''
  const text = typeof value === 'string' && kind.shape !== 'json' ? value : JSON.stringify(value)
  return formatCell(kind.reference !== 'none' || mayBeFormula(kind) ? escapeFormula(text) : text)
}

/** The entries of a document: a column for each member. Objects are JSON text. */
function writeEntries({ data, table }: DocumentView): string {
  const entries = Array.isArray(data) ? data : []
  const names = table?.columns.map(({ name }) => name) ?? []
  const lines = entries.map((entry) => names.map((name) => entryCell(entry[name])).join())
  return [names.join(), ...lines, ''].join('\r\n')
}

function entryCell(value: JsonValue | undefined): string {
  if (value === undefined) return ''
  return formatCell(escapeFormula(typeof value === 'string' ? value : JSON.stringify(value)))
}

/** Every field that an item of the page shows, in declared order. */
function findColumns({ resource, items }: CollectionView): readonly FieldModel[] {
  const fields = items.flatMap(({ visibleFields }) => [...visibleFields.fields, ...visibleFields.times])
  const shown = new Map(fields.map((field) => [field.name, field]))
  return [...outputFields(resource), ...systemFields.values()].flatMap(({ name }) => shown.get(name) ?? [])
}

interface CsvTable {
  readonly header: string
  rowsOf(items: readonly ItemView[]): string
}

function createTable(fields: readonly FieldModel[]): CsvTable {
  const names = ['id', ...fields.map(({ name }) => name)]
  const writers = new Map<VisibleFields, RowWriter>()
  return {
    header: `${names.join()}\r\n`,
    rowsOf(items) {
      let text = ''
      for (const { row, visibleFields } of items) {
        let writer = writers.get(visibleFields)
        if (!writer) {
          writer = compileWriter(visibleFields, fields)
          writers.set(visibleFields, writer)
        }
        text += writer(row)
      }
      return text
    },
  }
}

type RowWriter = (row: Row) => string

function compileWriter(visibleFields: VisibleFields, fields: readonly FieldModel[]): RowWriter {
  const id = visibleFields.resource.keyField?.index ?? IDENTITY
  const shown = new Map([...visibleFields.fields, ...visibleFields.times].map((field) => [field.name, field]))
  const cells = fields.map(({ name }) => shown.get(name))
  return (row) => {
    let line = formatCell(escapeFormula(String(row[id])))
    for (const field of cells) {
      const stored = field ? row[field.outputIndex] : null
      const absent = stored === null || stored === undefined || !field
      line += absent ? ',' : `,${formatCell(formatValue(visibleFields.resource, field, row))}`
    }
    return `${line}\r\n`
  }
}

function formatValue(resource: ResourceModel, field: FieldModel, row: Row): string {
  if (findFileModel(field)) return JSON.stringify(shownValue(resource, field, row))
  if (field.kind.encoding === 'plain') return String(row[field.outputIndex])
  const text = String(shownValue(resource, field, row))
  return mayBeFormula(field.kind) ? escapeFormula(text) : text
}

/** §2: a value with a quote, a comma or a line break is quoted; so is an empty text. */
function formatCell(text: string): string {
  if (text !== '' && !/[",\r\n]|^\s|\s$/.test(text)) return text
  return `"${doubleQuotes(text)}"`
}

const doubleQuotes = createEscaper({ '"': '""' })
