/** The HTML page of a collection: its items, filters, sort links, and the form to create one. */

import { streamUri } from '../../requests/events/feed-query.ts'
import type { Action } from '../../views/hypermedia-controls.ts'
import { formUriOf } from '../../views/uri.ts'
import type { CollectionView } from '../../views/view.ts'
import { actionButtons, actionForm } from '../forms/action-form.ts'
import type { HtmlPage } from '../layout.ts'
import { activeFilterList } from '../lists/active-filters.ts'
import { itemsTable } from '../lists/items-table.ts'
import { facetList } from '../lists/list-facets.ts'
import { activeFilters, parseListLocation } from '../lists/list-location.ts'
import { listToolbar } from '../lists/list-toolbar.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { collectionLabel, collectionNoun, formatCount, itemNoun } from '../markup/collection-nouns.ts'
import { html, type Markup } from '../markup/markup.ts'
import { formatNumber, phrase } from '../page-language.ts'
import { parentPath } from '../parent-path.ts'
import { hasSelection, selectionForm } from '../selection/selection-markup.ts'
import { viewAsForm } from '../view-as/view-as-form.ts'

export function collectionPage(layout: PageLayout, view: CollectionView): HtmlPage {
  const title = collectionLabel(view.resource)
  const main = html`${parentPath(layout, title)}
<div class="heading"><h1>${title}</h1>${actionButtons(layout, declaredActions(view))}${creationLink(layout, view)}</div>
${secretForm(layout, view)}
${listToolbar(layout, view)}
${facetList(layout, view)}
${activeFilterList(layout, view.resource)}
<div id="items" data-changes="${streamUri(layout.uri)}">
${view.items.length > 0 ? itemsSection(layout, view) : emptyNote(layout, view)}
${pageLinks(view)}
</div>
${viewAsForm(layout)}`
  return { title: layout.parent ? `${title} · ${layout.parent.title}` : title, main }
}

function itemsSection(layout: PageLayout, view: CollectionView): Markup {
  if (!hasSelection(layout, view)) return html`${rangeLine(layout, view)}${itemsTable(layout, view)}`
  return html`${rangeLine(layout, view)}${selectionForm(layout, view, itemsTable(layout, view, 'selection'))}`
}

/** `1–50 of 503 articles`. A large list is not counted, because that is slow; a summary counts it. */
function rangeLine(layout: PageLayout, view: CollectionView): Markup {
  const { before, total } = layout.figures ?? {}
  const { items, resource } = view
  if (total === items.length) return html`<p class="count">${formatCount(resource, total)}</p>`
  const range = formatRange(before, items.length)
  if (total !== undefined) return html`<p class="count">${range} of ${formatCount(resource, total)}</p>`
  return html`<p class="count">${range} of many ${collectionNoun(resource)}</p>`
}

/** `51–100`; only the number of items where it is not known how many are before them. */
function formatRange(before: number | undefined, length: number): string {
  const [first, last] = [(before ?? 0) + 1, (before ?? 0) + length].map((one) => formatNumber(one))
  return before === undefined ? formatNumber(length) : `${first}–${last}`
}

/** The next step: other filters, or the first item. */
function emptyNote(layout: PageLayout, view: CollectionView): Markup {
  const location = parseListLocation(layout)
  const noun = collectionNoun(view.resource)
  if (activeFilters(location).length > 0) {
    return html`<div class="empty"><p>No ${noun} match.</p><p><a class="button" href="${location.path}">Clear filters</a></p></div>`
  }
  const action = findCreation(view)
  const uri = action?.createsItem ? formUriOf(layout.model, action.target) : '#new'
  const creation = action && html`<p><a class="button" href="${uri}">New ${itemNoun(view.resource)}</a></p>`
  return html`<div class="empty"><p>No ${noun} yet.</p>${creation}</div>`
}

function pageLinks({ hypermedia }: CollectionView): Markup | undefined {
  const link = (rel: string) => hypermedia?.links.find((one) => one.rel === rel)?.target
  const [first, prev, next] = [link('first'), link('prev'), link('next')]
  if (prev === undefined && next === undefined) return undefined
  return html`<nav class="paging" aria-label="Pages">
${first !== undefined && prev !== undefined && html`<a href="${first}" rel="first">First</a>`}
${prev !== undefined && html`<a href="${prev}" rel="prev">← Previous</a>`}
${next !== undefined && html`<a href="${next}" rel="next">Next →</a>`}
</nav>`
}

function declaredActions({ hypermedia }: CollectionView): readonly Action[] {
  return hypermedia?.actions.filter(({ isDeclared }) => isDeclared) ?? []
}

/** The link to the form that creates an item. */
function creationLink({ model }: PageLayout, view: CollectionView): Markup | undefined {
  const action = findCreation(view)
  if (!action?.createsItem) return undefined
  return html`<a class="button" id="new" href="${formUriOf(model, action.target)}">New ${itemNoun(view.resource)}</a>`
}

function findCreation({ hypermedia }: CollectionView): Action | undefined {
  return hypermedia?.actions.find(({ name }) => name === 'default')
}

/** The form that creates an item with a secret, which the response shows once. */
function secretForm(layout: PageLayout, view: CollectionView): Markup | undefined {
  const action = findCreation(view)
  if (!action || action.createsItem) return undefined
  return html`<details class="new" id="new"><summary>New ${itemNoun(view.resource)}</summary>
${actionForm(layout, { action, prefix: 'new', button: phrase`Create` })}</details>`
}
