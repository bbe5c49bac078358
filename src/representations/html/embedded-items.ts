/** The embedded items on the HTML page of an item: the fields of a referenced item, the titles of a list. */

import type { PageChrome } from '../../view/page-chrome.ts'
import { itemUri } from '../../view/uri.ts'
import type { EmbeddedList, ItemView } from '../../view/view.ts'
import { formatLabel } from './field-label.ts'
import { html, type Markup } from './markup.ts'

/** How the page shows an item. */
export interface EmbeddedMarkup {
  title(item: ItemView): string
  fields(chrome: PageChrome, item: ItemView): Markup
}

/** A section for each embedded relation; empty where nothing is embedded. */
export function embeddedSections(
  chrome: PageChrome,
  { embedded }: ItemView,
  markup: EmbeddedMarkup,
): readonly Markup[] {
  return [...(embedded ?? [])].map(([name, one]) => {
    const content = one.kind === 'list' ? listOf(chrome, one, markup) : itemOf(chrome, one, markup)
    // The page may also show the sub-collection of the same name.
    const heading = one.kind === 'list' ? `${formatLabel(name)} (embedded)` : formatLabel(name)
    return html`<section class="referring"><h2>${heading}</h2>${content}</section>`
  })
}

function itemOf(chrome: PageChrome, item: ItemView, markup: EmbeddedMarkup): Markup {
  return html`<p>${titleLink(chrome, item, markup)}</p>${markup.fields(chrome, item)}${embeddedSections(chrome, item, markup)}`
}

function listOf(chrome: PageChrome, { items, rest }: EmbeddedList, markup: EmbeddedMarkup): Markup {
  const links = items.map((item) => html`<li>${titleLink(chrome, item, markup)}</li>`)
  return html`<ul>${links}</ul>${rest !== undefined && html`<p><a href="${rest}">Show all</a></p>`}`
}

function titleLink({ model }: PageChrome, item: ItemView, { title }: EmbeddedMarkup): Markup {
  const { resource } = item.shape
  if (!resource.itemMethods.has('GET')) return html`${title(item)}`
  return html`<a href="${itemUri(model, resource, item.row)}">${title(item)}</a>`
}
