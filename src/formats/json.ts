/** application/json. A writer is compiled once for each set of visible fields, and writes rows without decoding them. */

import { isFileList } from '../definition/file-fields.ts'
import { type FieldModel, IDENTITY, type ResourceModel, type Stored } from '../definition/model.ts'
import type { Row } from '../store/row.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import { restLinks } from '../views/composition.ts'
import { fileMember, listedFileMembers } from '../views/file-member.ts'
import type { Embedded, ItemView, View } from '../views/view.ts'
import type { VisibleFields } from '../views/visible-fields.ts'
import { aggregateObjects } from './aggregate-objects.ts'
import type { WritingFormat } from './format.ts'
import { parseJson } from './json-reader.ts'

export const json: WritingFormat = {
  name: 'json',
  mediaType: 'application/json',
  viewKinds: new Set(['item', 'collection', 'aggregate', 'document']),
  write: writeJson,
  writeCollectionItem: writeItem,
  read: parseJson,
}

function writeJson(view: View): string {
  switch (view.kind) {
    case 'item':
      return writeItem(view)
    case 'collection':
      return writeList(view.items.map(writeItem))
    case 'aggregate':
      return JSON.stringify(aggregateObjects(view))
    case 'document':
      return JSON.stringify(view.data)
    case 'problem':
      throw new Error('JSON does not show problems')
  }
}

/** Concatenates without `join`, which would copy the texts once more. */
function writeList(items: readonly string[]): string {
  let text = '['
  for (const item of items) text += text.length === 1 ? item : `,${item}`
  return `${text}]`
}

/** Writes one item with its embedded items. */
export function writeItem(item: ItemView): string {
  const text = writeMembers(item)
  const { embedded } = item
  if (!embedded || embedded.size === 0) return text
  const members = [...embedded].map(([name, other]) => `${JSON.stringify(name)}:${writeEmbedded(other)}`)
  return `${text.slice(0, -1)},${writeRestLinks(embedded)}"_embedded":{${members.join(',')}}}`
}

function writeEmbedded(embedded: Embedded): string {
  return embedded.kind === 'list' ? writeList(embedded.items.map(writeItem)) : writeItem(embedded)
}

/** Links to the lists that are embedded in part, with a trailing comma; empty if there are none. */
function writeRestLinks(embedded: ItemView['embedded']): string {
  const rest = restLinks(embedded)
  if (rest.size === 0) return ''
  const links = [...rest].map(([name, href]) => [name, { href }])
  return `"_links":${JSON.stringify(Object.fromEntries(links))},`
}

/** Writes one item without its embedded items. */
export function writeMembers({ row, visibleFields, text }: ItemView): string {
  return text ?? writerOf(visibleFields)(row)
}

type RowWriter = (row: Row) => string

/** Writes `id`, the fields in declared order and the times; absent values are left out. */
const writerOf = memoizeByObject(({ resource, fields, times }: VisibleFields): RowWriter => {
  const id = resource.keyField?.index ?? IDENTITY
  const writeId =
    resource.keyField === undefined ? quoted : (stored: Stored) => JSON.stringify(String(stored))
  const members = [...fields, ...times].map((field) => ({
    name: `,${JSON.stringify(field.name)}:`,
    at: field.outputIndex,
    write: valueWriter(resource, field),
  }))
  return (row) => {
    let text = `{"id":${writeId(row[id] as Stored)}`
    for (const { name, at, write } of members) {
      const stored = row[at]
      if (stored !== null && stored !== undefined) text += name + write(stored, row)
    }
    return `${text}}`
  }
})

/** For values that need no escaping. */
function quoted(stored: Stored): string {
  return `"${stored}"`
}

type ValueWriter = (stored: Exclude<Stored, null>, row: Row) => string

function valueWriter(resource: ResourceModel, field: FieldModel): ValueWriter {
  if (isFileList(field)) {
    return (stored, row) => JSON.stringify(listedFileMembers(resource, field, row, stored))
  }
  if (field.file) return (stored, row) => JSON.stringify(fileMember(resource, field, row, stored))
  switch (field.kind.encoding) {
    case 'plain':
      return String
    case 'boolean':
      return (stored) => (stored === 1 ? 'true' : 'false')
    case 'quoted':
      return quoted
    case 'escaped':
      return (stored) => JSON.stringify(String(stored))
    case 'decoded':
      return (stored) => JSON.stringify(field.decode(stored))
  }
}
