/** Changing several items of a list: the bar of its form, the boxes of its rows, and the page with the results. */

import { isNumber } from '../../formats/written-number.ts'
import { formatPath } from '../../http/request-target.ts'
import { batchUri } from '../../views/uri.ts'
import type { CollectionView, DocumentView } from '../../views/view.ts'
import { decimalSignInput } from '../forms/action-form.ts'
import type { HtmlPage } from '../layout.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { collectionNoun } from '../markup/collection-nouns.ts'
import { fieldLabel, formatLabel } from '../markup/field-label.ts'
import { escapeText, html, type Markup } from '../markup/markup.ts'
import { columnHeads, tableMarkup } from '../markup/table-markup.ts'
import { phrase, translateText } from '../page-language.ts'
import { findOfferedChanges, selectionNames } from './selection.ts'

/** Whether the caller may change several items of the list at once. */
export function hasSelection({ caller }: PageLayout, { resource }: CollectionView): boolean {
  const { changes, fields } = findOfferedChanges(resource, caller)
  return changes.size > 0 || fields.length > 0
}

/** The form around a table whose rows have boxes. A stylesheet shows its bar once a box is checked. */
export function selectionForm(layout: PageLayout, { resource }: CollectionView, table: Markup): Markup {
  const { model, caller, uri } = layout
  const { changes, fields } = findOfferedChanges(resource, caller)
  const buttons = [...changes].map(([value, change]) => {
    const text =
      change.kind === 'transition' || change.kind === 'action' ? formatLabel(change.name) : phrase`Delete`
    const look = change.kind === 'delete' && html` class="danger"`
    return html`<button name="${selectionNames.change}" value="${value}"${look}>${text}</button>`
  })
  const names = fields.map((field) => html`<option value="${field.name}">${fieldLabel(field)}</option>`)
  const set =
    fields.length > 0 &&
    html`<span class="set"><label>Set <select name="${selectionNames.field}">${names}</select></label> <label>to <input name="${selectionNames.value}"></label> <button name="${selectionNames.change}" value="set">Set</button></span>`
  const bar = html`<div class="selection"><strong>With the selected ${collectionNoun(resource)}:</strong> ${buttons}${set}</div>`
  return html`<form method="post" action="${formatPath(batchUri(model), [resource.name])}"><input type="hidden" name="${selectionNames.from}" value="${uri}">${fields.some(isNumber) && decimalSignInput()}
${bar}${table}</form>`
}

/** The box that selects a row, as text. The title of the row labels it. */
export function selectionBox(id: string, titleId: string): string {
  return `<td class="pick"><input type="checkbox" name="${selectionNames.id}" value="${escapeText(id)}" aria-labelledby="${titleId}"></td>`
}

type ShownResult = {
  readonly href: string
  readonly title: string
  readonly status: number
  readonly detail?: string
}

/** The results of the change, by item. */
export function selectionPage(_layout: PageLayout, { data }: DocumentView): HtmlPage {
  // The data of html/selection/perform-selection.ts.
  const { collection, change, results } = data as {
    readonly collection: string
    readonly change?: string
    readonly results: readonly ShownResult[]
  }
  const back = html`<p><a class="button" href="${collection}">Back to the list</a></p>`
  if (results.length === 0) {
    return {
      title: phrase`Selection`,
      main: html`<h1>Selection</h1><p>Select items in the list first.</p>${back}`,
    }
  }
  const isDone = ({ status }: ShownResult) => status < 400
  const done = results.filter(isDone).length
  const rows = results.map((result) => {
    const name =
      change === 'delete' && isDone(result)
        ? result.title
        : html`<a href="${result.href}">${result.title}</a>`
    return html`<tr><th scope="row">${name}</th><td>${isDone(result) ? phrase`Done` : html`<span class="fault">${result.detail === undefined ? phrase`Refused.` : translateText(result.detail)}</span>`}</td></tr>`
  })
  const title = phrase`${formatLabel(change ?? '')}: ${done} of ${results.length} done`
  const main = html`<h1>${title}</h1>
<p class="${done === results.length ? 'note' : 'alert'}" role="status">${summary(done, results.length)}</p>
${tableMarkup(phrase`Results`, columnHeads([phrase`Item`, phrase`Result`]), rows)}
${back}`
  return { title, main }
}

function summary(done: number, all: number): string {
  if (done === all) return all === 1 ? phrase`The item was changed.` : phrase`All ${all} items were changed.`
  if (done === 0) return phrase`Nothing was changed. The table says why.`
  return phrase`${done} of ${all} items were changed. The table says why the others were not.`
}
