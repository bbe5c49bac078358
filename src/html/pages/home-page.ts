/** The HTML pages of the home document, and of documents without a page of their own. */

import type { JsonValue } from '../../definition/model.ts'
import type { Action } from '../../views/hypermedia-controls.ts'
import { relationName } from '../../views/link-relation.ts'
import type { DocumentView } from '../../views/view.ts'
import { actionForm } from '../forms/action-form.ts'
import type { HtmlPage } from '../layout.ts'
import type { PageLayout, StateFigures } from '../loading/page-layout.ts'
import {
  collectionLabel,
  collectionNoun,
  formatCount,
  itemNoun,
  labelOfCollection,
} from '../markup/collection-nouns.ts'
import { timeMarkup } from '../markup/display-value.ts'
import { formatLabel, labelInSentence } from '../markup/field-label.ts'
import { html, type Markup, trustedMarkup } from '../markup/markup.ts'
import { formatNumber, phrase, translated } from '../page-language.ts'

export function homePage(layout: PageLayout, { hypermedia }: DocumentView): HtmlPage {
  const { model, navigation } = layout
  const links = hypermedia?.links ?? []
  const about = links.filter(({ rel }) => linkTexts[rel] !== undefined)
  const main = html`<div class="heading"><h1>${translated(model.title)}</h1></div>
<p class="lead">People and programs use the same addresses: open them in a browser, or request them as JSON.</p>
<ul class="cards">${navigation.map((link) => collectionCard(layout, relationName(link.rel) ?? link.rel, link.target))}</ul>
${(hypermedia?.actions ?? []).map(
  (action) =>
    html`<details class="card" id="${action.name}"><summary>${actionTitle(action)}</summary>${actionForm(layout, { action, prefix: action.name, button: actionTitle(action) })}</details>`,
)}
${about.length > 0 && html`<section><h2>About this service</h2><ul class="links">${about.map(({ rel, target }) => html`<li><a href="${target}">${translated(linkTexts[rel] ?? '')}</a></li>`)}</ul></section>`}`
  return { title: translated(model.title), main }
}

/** Actions of the definition are named by their names. */
function actionTitle({ title, isDeclared }: Action): string {
  return isDeclared ? formatLabel(title) : translated(title)
}

const linkTexts: Readonly<Record<string, string>> = {
  'service-doc': 'Documentation',
  'service-desc': 'OpenAPI description',
  problems: 'Problem types',
  'api-catalog': 'API catalogue',
  account: 'Your account',
  tokens: 'Your tokens',
  webhooks: 'Your webhooks',
  events: 'Events',
  audit: 'Audit',
  status: 'Status',
}

function collectionCard({ model, collections }: PageLayout, name: string, target: string): Markup {
  const resource = model.resources.get(name)
  const figures = collections?.get(name)
  if (!resource || !figures)
    return html`<li class="card"><a href="${target}">${labelOfCollection(model, name)}</a></li>`
  const { total, changed, states, newUri } = figures
  const count = total === undefined ? phrase`Many ${collectionNoun(resource)}` : formatCount(resource, total)
  return html`<li class="card"><a href="${target}"><strong>${collectionLabel(resource)}</strong></a>
<p>${count}${changed !== undefined && html`, changed ${trustedMarkup(timeMarkup(changed))}`}</p>
${total !== undefined && total > 0 && states.length > 0 && stateBar(states, total)}
${newUri !== undefined && html`<a href="${newUri}">New ${itemNoun(resource)}</a>`}</li>`
}

/** The share of each state as a bar in the tones of the states; the text beside it has the numbers. */
function stateBar(states: readonly StateFigures[], total: number): Markup {
  let left = 0
  const parts = states.map(({ count, tone }, at) => {
    const width = (100 * count) / total
    const look = tone === undefined ? html` class="part-${at % 4}"` : html` data-tone="${tone}"`
    const part = html`<rect${look} x="${left}" width="${width}" height="8"></rect>`
    left += width
    return part
  })
  const words = states
    .map(({ value, count }) => `${formatNumber(count)} ${labelInSentence(formatLabel(value))}`)
    .join(', ')
  return html`<svg class="state-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">${parts}</svg><small>${words}</small>`
}

/** The page of a document without a template: its data as lists. */
export function plainDocumentPage(_layout: PageLayout, { name, data }: DocumentView): HtmlPage {
  const title = formatLabel(name ?? 'document')
  return { title, main: html`<h1>${title}</h1>${dataMarkup(data)}` }
}

function dataMarkup(data: JsonValue): Markup {
  if (Array.isArray(data)) return html`<ul>${data.map((one) => html`<li>${dataMarkup(one)}</li>`)}</ul>`
  if (typeof data !== 'object' || data === null) return html`${String(data)}`
  const members = Object.entries(data)
  return html`<dl class="fields">${members.map(([name, value]) => html`<dt>${name}</dt><dd>${dataMarkup(value as JsonValue)}</dd>`)}</dl>`
}
