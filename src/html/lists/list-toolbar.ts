/** The toolbar of a list: search, and panels for filters, columns, summaries and exports. */

import type { CollectionView } from '../../views/view.ts'
import { importUri, mayImport } from '../forms/import-view.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { fieldLabel } from '../markup/field-label.ts'
import { html, type Markup } from '../markup/markup.ts'
import { phrase } from '../page-language.ts'
import { filterForm } from './filter-form.ts'
import {
  activeFilters,
  findParameter,
  formatListUri,
  listFormUri,
  parseListLocation,
} from './list-location.ts'
import { summaryForm } from './summary-form.ts'
import { chooseColumns, listColumns } from './table-columns.ts'

export function listToolbar(layout: PageLayout, view: CollectionView): Markup {
  const filters = activeFilters(parseListLocation(layout)).filter(([name]) => name !== 'q')
  const filter = filterForm(layout, view.resource)
  const panels = [
    filter && panel('filter', phrase`Filter`, filter, filters.length),
    panel('columns', phrase`Columns`, columnForm(layout, view)),
    panel('summarise', phrase`Summarise`, summaryForm(layout, view.resource)),
    panel('export', phrase`Export`, exportLinks(layout)),
  ]
  return html`<div class="list-tools">${view.resource.search.length > 0 && searchForm(layout)}${panels}${importLink(layout, view)}</div>`
}

/** For callers who may create items in bulk. Rows of a file name their parents, so lists below an item have no link. */
function importLink(
  { model, parent }: PageLayout,
  { resource, hypermedia }: CollectionView,
): Markup | undefined {
  const creation = hypermedia?.actions.find(({ name }) => name === 'default')
  if (parent || !mayImport(resource, creation)) return undefined
  return html`<a class="button plain" id="import" href="${importUri(model, resource)}">Import</a>`
}

/** A button and the popover that it opens, without a script. The button shows how many settings are active. */
function panel(name: string, title: string, content: Markup, active = 0): Markup {
  const id = `${name}-panel`
  return html`<button popovertarget="${id}">${title}${active > 0 && ` (${active})`}</button>
<div class="drawer" id="${id}" popover role="group" aria-label="${title}"><h2>${title}</h2>${content}</div>`
}

function searchForm(layout: PageLayout): Markup {
  const location = parseListLocation(layout)
  return html`<form class="search" method="get" action="${listFormUri(layout)}" role="search">
${hiddenParameters(layout, ['q'])}<input name="q" type="search" aria-label="Search" placeholder="Search" value="${findParameter(location, 'q') ?? ''}"><button>Search</button></form>`
}

/** The parameters of the list that the form does not set itself. Cursors are valid only for the same list. */
export function hiddenParameters(layout: PageLayout, own: readonly string[]): readonly Markup[] {
  const { parameters } = parseListLocation(layout)
  const left = new Set(['after', 'before', ...own])
  return parameters
    .filter(([name]) => !left.has(name))
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
}

/** A box for each column; /forms joins the chosen names to `fields`. */
function columnForm(layout: PageLayout, view: CollectionView): Markup {
  const { title, others } = chooseColumns(layout, view)
  const shown = new Set([title, ...others].flatMap((field) => field?.name ?? []))
  const boxes = listColumns(layout, view).map(
    (field) =>
      html`<label class="box"><input type="checkbox" name="fields" value="${field.name}"${shown.has(field.name) && html` checked`}> ${fieldLabel(field)}</label>`,
  )
  return html`<form method="get" action="${listFormUri(layout)}">
${hiddenParameters(layout, ['fields'])}<input type="hidden" name="fields" value=""><div class="boxes">${boxes}</div>
<div class="buttons"><button class="main">Show</button> <a href="${formatListUri(parseListLocation(layout), { fields: undefined })}">Default columns</a></div></form>`
}

/** The whole list, as it is filtered and sorted. */
function exportLinks(layout: PageLayout): Markup {
  const location = parseListLocation(layout)
  const links = layout.alternates.map(
    ({ name, mediaType }) =>
      html`<li><a href="${formatListUri(location, { format: name })}" type="${mediaType}">${name.toUpperCase()}</a></li>`,
  )
  return html`<p>This list in other formats. CSV and NDJSON have all items, not only this page.</p><ul class="export">${links}</ul>`
}
