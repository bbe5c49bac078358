/** The HTML page of a collection: its items, filters, sort links, and the form to create one. */

import { formatQueryString } from '../../http/query-string.ts'
import type { PageChrome } from '../../view/page-chrome.ts'
import type { CollectionView } from '../../view/view.ts'
import { actionForm } from './action-form.ts'
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

export function collectionPage(chrome: PageChrome, view: CollectionView): HtmlPage {
  const title = formatLabel(view.resource.name)
  const main = html`${parentPath(chrome, title)}
<div class="heading"><h1>${title}</h1>${countLink(chrome)}</div>
${createForm(chrome, view)}
${filterForm(chrome, view)}
${summaryForm(chrome, view.resource)}
${facetList(chrome, view)}
${activeFilterList(chrome)}
<div id="items" data-changes="${chrome.uri}">
${view.items.length > 0 ? itemsTable(chrome, view) : emptyNote(chrome)}
${pageLinks(view)}
</div>
${dataLinks(chrome)}`
  return { title: chrome.parent ? `${title} · ${chrome.parent.title}` : title, main }
}

/** Counting is slow, so it happens only on request. */
function countLink(chrome: PageChrome): Markup {
  const { total } = chrome
  if (total !== undefined) {
    return html`<p class="count"><strong>${total.toLocaleString('en')}</strong> in total</p>`
  }
  const { parameters } = parseListLocation(chrome)
  const query = formatQueryString([...parameters, [countParameter, 'exact']])
  return html`<p class="count"><a href="${listFormUri(chrome)}?${query}" data-count="${chrome.uri}">Count</a></p>`
}

function emptyNote(chrome: PageChrome): Markup {
  const narrowed = activeFilters(parseListLocation(chrome)).length > 0
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

function createForm(chrome: PageChrome, { hypermedia, resource }: CollectionView): Markup | undefined {
  const action = hypermedia?.actions.find(({ name }) => name === 'default')
  if (!action) return undefined
  return html`<details class="new" id="new"><summary>New in ${formatLabel(resource.name).toLowerCase()}</summary>
${actionForm(chrome, { action, prefix: 'new', button: 'Create' })}</details>`
}
