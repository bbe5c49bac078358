/** The HTML page of a collection: its items, filters, sort links, and the form to create one. */

import { formatQueryString } from '../../http/query-string.ts'
import type { Action } from '../../view/hypermedia-controls.ts'
import type { PageLayout } from '../../view/page-layout.ts'
import type { CollectionView } from '../../view/view.ts'
import { actionButtons, actionForm } from './action-form.ts'
import { activeFilterList } from './active-filters.ts'
import { dataLinks } from './data-links.ts'
import { formatLabel } from './field-label.ts'
import { facetList, filterForm } from './filter-form.ts'
import { itemsTable } from './items-table.ts'
import type { HtmlPage } from './layout.ts'
import { activeFilters, listFormUri, parseListLocation } from './list-location.ts'
import { html, type Markup } from './markup.ts'
import { parentPath } from './parent-path.ts'
import { summaryForm } from './summary-form.ts'

/** The parameter of /forms that requests the number of items. */
export const countParameter = '_count'

export function collectionPage(layout: PageLayout, view: CollectionView): HtmlPage {
  const title = formatLabel(view.resource.name)
  const main = html`${parentPath(layout, title)}
<div class="heading"><h1>${title}</h1>${countLink(layout)}${actionButtons(layout, declaredActions(view))}</div>
${createForm(layout, view)}
${filterForm(layout, view)}
${summaryForm(layout, view.resource)}
${facetList(layout, view)}
${activeFilterList(layout)}
<div id="items" data-changes="${layout.uri}">
${view.items.length > 0 ? itemsTable(layout, view) : emptyNote(layout)}
${pageLinks(view)}
</div>
${dataLinks(layout)}`
  return { title: layout.parent ? `${title} · ${layout.parent.title}` : title, main }
}

/** Counting is slow, so it happens only on request. */
function countLink(layout: PageLayout): Markup {
  const { total } = layout
  if (total !== undefined) {
    return html`<p class="count"><strong>${total.toLocaleString('en')}</strong> in total</p>`
  }
  const { parameters } = parseListLocation(layout)
  const query = formatQueryString([...parameters, [countParameter, 'exact']])
  return html`<p class="count"><a href="${listFormUri(layout)}?${query}" data-count="${layout.uri}">Count</a></p>`
}

function emptyNote(layout: PageLayout): Markup {
  const narrowed = activeFilters(parseListLocation(layout)).length > 0
  return html`<p class="empty">${narrowed ? 'No items match. Remove a filter.' : 'No items yet.'}</p>`
}

function pageLinks({ hypermedia, items }: CollectionView): Markup | undefined {
  const link = (rel: string) => hypermedia?.links.find((one) => one.rel === rel)?.target
  const [first, prev, next] = [link('first'), link('prev'), link('next')]
  if (prev === undefined && next === undefined) return undefined
  return html`<nav class="paging" aria-label="Pages">
${first !== undefined && prev !== undefined && html`<a href="${first}" rel="first">First</a>`}
${prev !== undefined && html`<a href="${prev}" rel="prev">← Previous</a>`}
<span>${items.length} shown</span>
${next !== undefined && html`<a href="${next}" rel="next">Next →</a>`}
</nav>`
}

function declaredActions({ hypermedia }: CollectionView): readonly Action[] {
  return hypermedia?.actions.filter(({ isDeclared }) => isDeclared) ?? []
}

function createForm(layout: PageLayout, { hypermedia, resource }: CollectionView): Markup | undefined {
  const action = hypermedia?.actions.find(({ name }) => name === 'default')
  if (!action) return undefined
  return html`<details class="new" id="new"><summary>New in ${formatLabel(resource.name).toLowerCase()}</summary>
${actionForm(layout, { action, prefix: 'new', button: 'Create' })}</details>`
}
