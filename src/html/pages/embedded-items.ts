/** The embedded items on the HTML page of an item: the fields of a referenced item, the titles of a list. */

import { itemUri } from '../../views/uri.ts'
import type { EmbeddedList, ItemView } from '../../views/view.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { memberLabel } from '../markup/field-label.ts'
import { html, type Markup } from '../markup/markup.ts'
import { phrase } from '../page-language.ts'

/** How the page shows an item. */
export interface EmbeddedMarkup {
  title(item: ItemView): string
  fields(layout: PageLayout, item: ItemView): Markup
}

/** A section for each embedded relation; empty where nothing is embedded. */
export function embeddedSections(
  layout: PageLayout,
  { embedded, visibleFields }: ItemView,
  markup: EmbeddedMarkup,
): readonly Markup[] {
  return [...(embedded ?? [])].map(([name, one]) => {
    const content = one.kind === 'list' ? listOf(layout, one, markup) : itemOf(layout, one, markup)
    // The page may also show the sub-collection of the same name.
    const label = memberLabel(visibleFields.resource, name)
    const heading = one.kind === 'list' ? phrase`${label} (embedded)` : label
    return html`<section class="referring"><h2>${heading}</h2>${content}</section>`
  })
}

function itemOf(layout: PageLayout, item: ItemView, markup: EmbeddedMarkup): Markup {
  return html`<p>${titleLink(layout, item, markup)}</p>${markup.fields(layout, item)}${embeddedSections(layout, item, markup)}`
}

function listOf(layout: PageLayout, { items, rest }: EmbeddedList, markup: EmbeddedMarkup): Markup {
  const links = items.map((item) => html`<li>${titleLink(layout, item, markup)}</li>`)
  return html`<ul>${links}</ul>${rest !== undefined && html`<p><a href="${rest}">Show all</a></p>`}`
}

function titleLink({ model }: PageLayout, item: ItemView, { title }: EmbeddedMarkup): Markup {
  const { resource } = item.visibleFields
  if (!resource.itemMethods.has('GET')) return html`${title(item)}`
  return html`<a href="${itemUri(model, resource, item.row)}">${title(item)}</a>`
}
