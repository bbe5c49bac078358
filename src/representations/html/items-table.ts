/** The items of a collection as a table. Rows are built as plain strings, which is faster. */

import { findFileModel } from '../../definition/file-fields.ts'
import { type FieldModel, UPDATED_AT } from '../../definition/model.ts'
import type { PageLayout } from '../../view/page-layout.ts'
import { idOf } from '../../view/uri.ts'
import type { CollectionView, ItemView } from '../../view/view.ts'
import { shortId, shortValue, timeMarkup } from './display-value.ts'
import { formatLabel } from './field-label.ts'
import { isQueryable } from './filter-form.ts'
import { findParameter, formatListUri, type ListLocation, parseListLocation } from './list-location.ts'
import { escapeText, html, type Markup, trustedMarkup } from './markup.ts'
import { chooseColumns, isNumeric } from './table-columns.ts'

export function itemsTable(layout: PageLayout, view: CollectionView): Markup {
  const { title, others } = chooseColumns(view)
  const location = parseListLocation(layout)
  let rows = ''
  for (const item of view.items) rows += itemRow(layout, item, title, others)
  const heads = (title ? [title, ...others] : others).map((field) =>
    columnHead(layout, view, location, field),
  )
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${formatLabel(view.resource.name)}"><table>
<thead><tr>${!title && html`<th scope="col">ID</th>`}${heads}${updatedAtHead(location)}</tr></thead>
<tbody>
${trustedMarkup(rows)}</tbody></table></div>`
}

function columnHead(
  layout: PageLayout,
  { resource }: CollectionView,
  location: ListLocation,
  field: FieldModel,
): Markup {
  const numeric = isNumeric(field) && html` class="number"`
  const sortable =
    isQueryable(layout, resource, field) &&
    field.kind !== 'list' &&
    field.kind !== 'refs' &&
    !findFileModel(field)
  if (!sortable) return html`<th scope="col"${numeric}>${formatLabel(field.name)}</th>`
  return html`<th scope="col"${numeric}${sortedBy(location, field.name)}>${sortLink(location, field.name)}</th>`
}

function updatedAtHead(location: ListLocation): Markup {
  return html`<th scope="col"${sortedBy(location, 'updatedAt')}>${sortLink(location, 'updatedAt')}</th>`
}

function sortedBy(location: ListLocation, name: string): Markup | undefined {
  const sort = findParameter(location, 'sort')
  if (sort === name) return html` aria-sort="ascending"`
  return sort === `-${name}` ? html` aria-sort="descending"` : undefined
}

function sortLink(location: ListLocation, name: string): Markup {
  const next = findParameter(location, 'sort') === name ? `-${name}` : name
  return html`<a href="${formatListUri(location, { sort: next })}">${formatLabel(name)}</a>`
}

function itemRow(
  layout: PageLayout,
  item: ItemView,
  title: FieldModel | undefined,
  others: readonly FieldModel[],
): string {
  let text = `<tr><th scope="row">${itemLink(layout, item, title)}</th>`
  for (const field of others) {
    const shown = item.visibleFields.fields.includes(field) ? shortValue(layout, item, field) : ''
    text += isNumeric(field) ? `<td class="number">${shown}</td>` : `<td>${shown}</td>`
  }
  return `${text}<td>${timeMarkup(String(item.row[UPDATED_AT]))}</td></tr>\n`
}

/** The link to the item: its title, or its id if it has none. */
function itemLink(layout: PageLayout, item: ItemView, title: FieldModel | undefined): string {
  const shown = title && item.visibleFields.fields.includes(title) ? shortValue(layout, item, title) : ''
  const name = shown.trim() === '' ? escapeText(shortId(idOf(item.visibleFields.resource, item.row))) : shown
  const self = item.hypermedia?.links.find(({ rel }) => rel === 'self')
  return self ? `<a href="${escapeText(self.target)}">${name}</a>` : name
}
