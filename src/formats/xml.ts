/**
 * application/xml: the members of JSON as elements. The root is named after the collection; items of
 * collections and lists are `item`. With the schema, the JSON can be restored.
 */

import { isFileList } from '../definition/file-fields.ts'
import { type FieldModel, IDENTITY, type ResourceModel, type Stored } from '../definition/model.ts'
import type { Row } from '../store/row.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import { restLinks } from '../views/composition.ts'
import { fileMember, listedFileMembers } from '../views/file-member.ts'
import type { DocumentView, Embedded, EmbeddedList, ItemView, View } from '../views/view.ts'
import type { VisibleFields } from '../views/visible-fields.ts'
import { aggregateObjects } from './aggregate-objects.ts'
import type { Format } from './format.ts'
import { escapeJson, escapeText, writeElement, xmlDeclaration } from './xml-text.ts'

export const xml: Format = {
  name: 'xml',
  mediaType: 'application/xml',
  viewKinds: new Set(['item', 'collection', 'aggregate', 'document']),
  write: writeXml,
  writeCollectionItem: (item) => writeItem(item, 'item'),
  // Loaded on first use, because most services never read XML.
  read: async (content, options) => (await import('./xml-reader.ts')).parseXmlItem(content, options),
}

function writeXml(view: View): string {
  switch (view.kind) {
    case 'item':
      return `${xmlDeclaration}${writeItem(view, view.visibleFields.resource.name)}\n`
    case 'collection': {
      const { name } = view.resource
      const items = view.items.map((item) => writeItem(item, 'item')).join('')
      return `${xmlDeclaration}<${name}>${items}</${name}>\n`
    }
    case 'aggregate':
      return `${xmlDeclaration}${writeElement(view.resource.name, aggregateObjects(view))}\n`
    case 'document':
      return `${xmlDeclaration}${writeDocument(view)}\n`
    case 'problem':
      throw new Error('XML does not show problems')
  }
}

function writeDocument({ name = 'document', data }: DocumentView): string {
  return writeElement(name, data)
}

function writeItem({ row, visibleFields, embedded }: ItemView, root: string): string {
  return `<${root}>${writerOf(visibleFields)(row)}${embedded ? writeEmbedded(embedded) : ''}</${root}>`
}

function writeEmbedded(embedded: ReadonlyMap<string, Embedded>): string {
  if (embedded.size === 0) return ''
  const members = [...embedded].map(([name, one]) =>
    one.kind === 'list' ? writeEmbeddedList(one, name) : writeItem(one, name),
  )
  return `${writeRestLinks(embedded)}<_embedded>${members.join('')}</_embedded>`
}

function writeEmbeddedList({ items }: EmbeddedList, name: string): string {
  return `<${name}>${items.map((item) => writeItem(item, 'item')).join('')}</${name}>`
}

/** Links to the lists that are embedded in part; empty if there are none. */
function writeRestLinks(embedded: ReadonlyMap<string, Embedded>): string {
  const rest = restLinks(embedded)
  if (rest.size === 0) return ''
  const links = [...rest].map(([name, href]) => `<${name}><href>${escapeText(href)}</href></${name}>`)
  return `<_links>${links.join('')}</_links>`
}

type RowWriter = (row: Row) => string
const writerOf = memoizeByObject(({ resource, fields, times }: VisibleFields): RowWriter => {
  const id = resource.keyField?.index ?? IDENTITY
  const members = [...fields, ...times].map((field) => {
    const { name } = field
    return {
      open: `<${name}>`,
      close: `</${name}>`,
      at: field.outputIndex,
      write: valueWriter(resource, field),
    }
  })
  return (row) => {
    let text = `<id>${escapeText(String(row[id]))}</id>`
    for (const { open, close, at, write } of members) {
      const stored = row[at]
      if (stored !== null && stored !== undefined) text += open + write(stored, row) + close
    }
    return text
  }
})

type ValueWriter = (stored: Exclude<Stored, null>, row: Row) => string

function valueWriter(resource: ResourceModel, field: FieldModel): ValueWriter {
  if (isFileList(field)) {
    return (stored, row) =>
      listedFileMembers(resource, field, row, stored)
        .map((file) => `<item>${writeFile(file)}</item>`)
        .join('')
  }
  switch (field.kind.shape) {
    case 'number':
    case 'boolean':
      return (stored) => String(field.decode(stored))
    case 'json':
      return (stored) => escapeJson(String(stored))
    case 'list':
      // The decoded items are texts, numbers or booleans.
      return (stored) => {
        const items = field.decode(stored) as readonly (string | number | boolean)[]
        return items.map((item) => `<item>${escapeText(String(item))}</item>`).join('')
      }
    case 'file':
      return (stored, row) => writeFile(fileMember(resource, field, row, stored))
    default:
      return (stored) => escapeText(String(field.decode(stored)))
  }
}

function writeFile(file: ReturnType<typeof fileMember>): string {
  return Object.entries(file)
    .map(([name, value]) => `<${name}>${escapeText(String(value))}</${name}>`)
    .join('')
}
