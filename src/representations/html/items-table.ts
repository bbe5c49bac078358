/** The items of a collection as a table. Its rows are most of a page, so they are plain text work. */

import { type FieldModel, UPDATED_AT } from '../../definition/model.ts'
import type { PageChrome } from '../../view/page-chrome.ts'
import { idOf } from '../../view/uri.ts'
import type { CollectionView, ItemView } from '../../view/view.ts'
import { shortId, shortValue, timeMarkup } from './display-value.ts'
import { labelOf } from './field-label.ts'
import { isAskable } from './filter-form.ts'
import { changed, type PageLocation, pageLocation, parameterOf } from './list-location.ts'
import { escapeText, html, type Safe, trusted } from './markup.ts'
import { columnsOf, isNumeric } from './table-columns.ts'

export function table(chrome: PageChrome, view: CollectionView): Safe {
  const { title, others } = columnsOf(view)
  const place = pageLocation(chrome)
  let rows = ''
  for (const item of view.items) rows += row(chrome, item, title, others)
  const heads = (title ? [title, ...others] : others).map((field) =>
    head(chrome, view, place, field),
  )
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${labelOf(view.resource.name)}"><table>
<thead><tr>${!title && html`<th scope="col">ID</th>`}${heads}${timeHead(place)}</tr></thead>
<tbody>
${trusted(rows)}</tbody></table></div>`
}

function head(
  chrome: PageChrome,
  { resource }: CollectionView,
  place: PageLocation,
  field: FieldModel,
): Safe {
  const numeric = isNumeric(field) && html` class="number"`
  const sortable = isAskable(chrome, resource, field) && field.kind !== 'list'
  if (!sortable) return html`<th scope="col"${numeric}>${labelOf(field.name)}</th>`
  return html`<th scope="col"${numeric}${sortedBy(place, field.name)}>${sortLink(place, field.name)}</th>`
}

function timeHead(place: PageLocation): Safe {
  return html`<th scope="col"${sortedBy(place, 'updatedAt')}>${sortLink(place, 'updatedAt')}</th>`
}

function sortedBy(place: PageLocation, name: string): Safe | undefined {
  const sort = parameterOf(place, 'sort')
  if (sort === name) return html` aria-sort="ascending"`
  return sort === `-${name}` ? html` aria-sort="descending"` : undefined
}

function sortLink(place: PageLocation, name: string): Safe {
  const next = parameterOf(place, 'sort') === name ? `-${name}` : name
  return html`<a href="${changed(place, { sort: next })}">${labelOf(name)}</a>`
}

function row(
  chrome: PageChrome,
  item: ItemView,
  title: FieldModel | undefined,
  others: readonly FieldModel[],
): string {
  let text = `<tr><th scope="row">${leading(chrome, item, title)}</th>`
  for (const field of others) {
    const shown = item.shape.fields.includes(field) ? shortValue(chrome, item, field) : ''
    text += isNumeric(field) ? `<td class="number">${shown}</td>` : `<td>${shown}</td>`
  }
  return `${text}<td>${timeMarkup(String(item.row[UPDATED_AT]))}</td></tr>\n`
}

/** What leads to the item: its title, or its id where it has none. */
function leading(chrome: PageChrome, item: ItemView, title: FieldModel | undefined): string {
  const shown = title && item.shape.fields.includes(title) ? shortValue(chrome, item, title) : ''
  const name =
    shown.trim() === '' ? escapeText(shortId(idOf(item.shape.resource, item.row))) : shown
  const self = item.hypermedia?.links.find(({ rel }) => rel === 'self')
  return self ? `<a href="${escapeText(self.target)}">${name}</a>` : name
}
