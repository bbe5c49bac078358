/** The HTML page of a document that declares a table: its entries, or its one entry, each column as its kind says. */

import type { JsonValue, ResourceModel } from '../../definition/model.ts'
import type { Link } from '../../http/link.ts'
import { referenceUri } from '../../views/uri.ts'
import type { ColumnKind, DocumentView, Entry, EntryColumn, EntryTable } from '../../views/view.ts'
import { documentForm } from '../forms/action-form.ts'
import type { HtmlPage } from '../layout.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { labelOfCollection } from '../markup/collection-nouns.ts'
import { shortId, timeMarkup } from '../markup/display-value.ts'
import { formatLabel } from '../markup/field-label.ts'
import { englishText, html, type Markup, type MarkupPart, trustedMarkup } from '../markup/markup.ts'
import { columnHeads, tableMarkup } from '../markup/table-markup.ts'
import { pageLanguage, phrase, translated } from '../page-language.ts'
import { pagePath, parentPath, pathLink } from '../parent-path.ts'
import { changeList } from './change-list.ts'

export function entriesPage(layout: PageLayout, view: DocumentView & { table: EntryTable }): HtmlPage {
  const { table, hypermedia } = view
  const { lead, empty = '', next = '' } = table
  const entries = entriesOf(view)
  if (!view.entries && !Array.isArray(view.data)) return entryPage(layout, view, Object(view.data))
  const title = titleOf(view)
  const further = hypermedia?.links.find(({ rel }) => rel === 'next')
  const own = hypermedia?.actions.find(({ isOfDocument }) => isOfDocument)
  const main = html`${parentPath(layout, title)}
<h1>${title}</h1>
${lead !== undefined && html`<p class="lead">${translated(lead)}</p>`}
${entries.length > 0 ? entryTable(layout, view) : html`<p class="empty">${translated(empty)}</p>`}
${further && html`<nav class="paging" aria-label="Pages"><a href="${further.target}" rel="next">${translated(next)}</a></nav>`}
${own && html`<div class="card">${documentForm(layout, own)}</div>`}`
  return { title: layout.parent ? `${title} · ${layout.parent.title}` : title, main }
}

/** The page of a document that is one entry of another. */
function entryPage(layout: PageLayout, { table, hypermedia }: ShownEntries, entry: Entry): HtmlPage {
  const members = table.columns.map((column) => {
    const { name, label } = column
    const shown = shownValue(entry[name], column, { layout, entry, resource: undefined })
    return label !== undefined && html`<dt>${translated(label)}</dt><dd>${shown}</dd>`
  })
  const { name = '' } = table.columns.find(({ names }) => names) ?? {}
  const title = translated(String(entry[name]))
  const up = hypermedia?.links.find(({ rel }) => rel === 'collection')
  const main = html`${up && pagePath([pathLink(up.target, translated(table.title)), title])}
<h1>${title}</h1>
<dl class="fields">${members}</dl>`
  return { title, main }
}

function titleOf({ table, subject }: ShownEntries): string {
  return pageLanguage().format(table.title, subject === undefined ? [] : [subject])
}

/** The entries of the document, which are JSON objects. */
export function entriesOf({ entries, data }: Pick<DocumentView, 'entries' | 'data'>): readonly Entry[] {
  return entries ?? (Array.isArray(data) ? data : [])
}

/** A table, and what it shows. */
export type ShownEntries = Omit<DocumentView, 'kind'> & { readonly table: EntryTable }

export function entryTable(layout: PageLayout, view: ShownEntries): Markup {
  const { table, hypermedia, resource } = view
  const columns = table.columns.filter(({ label }) => label !== undefined)
  const entries = entriesOf(view)
  const items = hypermedia?.links.filter(({ rel }) => rel === 'item') ?? []
  const links = items.length === entries.length ? items : []
  const heads = columnHeads(columns.map(({ label = '' }) => translated(label)))
  const rows = entries.map((entry, at) => {
    const shown = columns.map((column) => {
      const value = entry[column.name]
      const cell = shownValue(value, column, { layout, entry, resource })
      if (column.names) return html`<th scope="row">${linked(cell, links[at])}</th>`
      return html`<td${typeof value === 'number' && html` class="number"`}>${cell}</td>`
    })
    return html`<tr>${shown}</tr>`
  })
  return tableMarkup(titleOf(view), heads, rows)
}

function linked(cell: MarkupPart, link: Link | undefined): MarkupPart {
  return link ? html`<a href="${link.target}">${cell}</a>` : cell
}

/** The place of a cell. */
interface CellContext {
  readonly layout: PageLayout
  readonly entry: Entry
  /** Of the item that the entries are about. */
  readonly resource: ResourceModel | undefined
}

function shownValue(
  value: JsonValue | undefined,
  { shows = 'plain', absent = '' }: EntryColumn,
  context: CellContext,
): MarkupPart {
  if (value === undefined) return absent !== '' && html`<span class="absent">${translated(absent)}</span>`
  if (typeof value === 'boolean') return value ? phrase`yes` : phrase`no`
  return cells[shows](value, context)
}

const cells: Readonly<Record<ColumnKind, (value: JsonValue, context: CellContext) => MarkupPart>> = {
  plain: (value) => String(value),
  words: (value) => translated(String(value)),
  english: (value) => englishText([value].flat().join(' ')),
  label: (value) => formatLabel(String(value)),
  code: (value) => html`<code>${String(value)}</code>`,
  time: (value) => trustedMarkup(timeMarkup(String(value))),
  links: (value) => linkList(value),
  collection: (value, { layout }) => labelOfCollection(layout.model, String(value)),
  account: (value, { layout }) => itemLink(layout, layout.model.accounts?.resource, String(value)),
  item: (value, { layout, entry: { collection, identity } }) =>
    itemLink(layout, layout.model.resources.get(String(collection)), String(value), String(identity)),
  changes: (value, { layout, resource }) => changeList(layout, resource, value),
}

/** The title of the item, which leads to it. Without a title it is no item that the caller may read. */
function itemLink(
  { model, titles }: PageLayout,
  resource: ResourceModel | undefined,
  id: string,
  identity = id,
): MarkupPart {
  const title = titles.get(identity)
  if (title === undefined || !resource?.itemMethods.has('GET')) return shortId(id)
  return html`<a href="${referenceUri(model, resource, id)}">${title}</a>`
}

/** A URI, or several with their names. */
function linkList(value: JsonValue): MarkupPart {
  if (!Array.isArray(value)) return html`<a href="${String(value)}"><code>${String(value)}</code></a>`
  const links = value.map(({ href, name, title }) => {
    const text = title === undefined ? html`<code>${name ?? href}</code>` : translated(title)
    return html`<li><a href="${href}">${text}</a></li>`
  })
  return html`<ul class="inline">${links}</ul>`
}
