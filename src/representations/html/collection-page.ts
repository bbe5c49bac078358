/** The page of a collection: its items, ways to narrow and order them, and the form for a new one. */

import { formatQueryString } from '../../http/query-string.ts'
import type { PageChrome } from '../../view/page-chrome.ts'
import { formUri } from '../../view/uri.ts'
import type { CollectionView } from '../../view/view.ts'
import { form } from './action-form.ts'
import { dataLinks } from './data-links.ts'
import { labelOf } from './field-label.ts'
import { facets, filterForm, filterWords } from './filter-form.ts'
import { table } from './items-table.ts'
import type { HtmlPage } from './layout.ts'
import { changed, filtersOf, pageLocation } from './list-location.ts'
import { html, type Safe } from './markup.ts'

/** The name of the parameter of /forms that asks how many there are. */
export const countName = '_count'

export function collectionPage(chrome: PageChrome, view: CollectionView): HtmlPage {
  const title = labelOf(view.resource.name)
  const main = html`<div class="heading"><h1>${title}</h1>${counting(chrome, view)}</div>
${creation(chrome, view)}
${filterForm(chrome, view)}
${facets(chrome, view)}
${active(chrome)}
${view.items.length > 0 ? table(chrome, view) : empty(chrome)}
${paging(view)}
${dataLinks(chrome)}`
  return { title, main }
}

/** Counting costs, so it is done only when someone wants to know. */
function counting(chrome: PageChrome, { resource }: CollectionView): Safe {
  const { total, model } = chrome
  if (total !== undefined) {
    return html`<p class="count"><strong>${total.toLocaleString('en')}</strong> in all</p>`
  }
  const { parameters } = pageLocation(chrome)
  const query = formatQueryString([...parameters, [countName, 'exact']])
  return html`<p class="count"><a href="${formUri(model, [resource.name])}?${query}" data-count="${chrome.uri}">How many?</a></p>`
}

/** The filters in force, each to be taken away. */
function active(chrome: PageChrome): Safe | undefined {
  const place = pageLocation(chrome)
  const filters = filtersOf(place)
  if (filters.length === 0) return undefined
  const links = filters.map(
    ([name, value]) =>
      html`<li><a href="${changed(place, { [name]: undefined })}"><span class="away">Remove filter:</span> ${filterWords(chrome, name, value)} <span aria-hidden="true">×</span></a></li>`,
  )
  return html`<ul class="active" aria-label="Filters in force">${links}</ul>`
}

function empty(chrome: PageChrome): Safe {
  const narrowed = filtersOf(pageLocation(chrome)).length > 0
  return html`<p class="empty">${narrowed ? 'Nothing matches.' : 'Nothing is here yet.'}</p>`
}

function paging({ hypermedia, items }: CollectionView): Safe | undefined {
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

function creation(chrome: PageChrome, { hypermedia, resource }: CollectionView): Safe | undefined {
  const action = hypermedia?.actions.find(({ name }) => name === 'default')
  if (!action) return undefined
  return html`<details class="new" id="new"><summary>New in ${labelOf(resource.name).toLowerCase()}</summary>
${form(chrome, { action, prefix: 'new', button: 'Create' })}</details>`
}
