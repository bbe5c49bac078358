/** /docs: the resources with their fields, rules and states, and requests to copy. */

import { declaredChoices } from '../../definition/field-choices.ts'
import type { FieldModel, Model } from '../../definition/model.ts'
import type {
  ActionDocumentation,
  Documentation,
  FieldDocumentation,
  ResourceDocumentation,
  StateDocumentation,
  SubCollectionDocumentation,
  VersionDocumentation,
} from '../../describe/documentation.ts'
import { formatPath } from '../../http/request-target.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import type { DocumentView } from '../../views/view.ts'
import { fieldHelp } from '../forms/field-help.ts'
import type { Language } from '../languages/language.ts'
import type { HtmlPage } from '../layout.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { labelOfCollection } from '../markup/collection-nouns.ts'
import { formatLabel } from '../markup/field-label.ts'
import { englishText, html, type Markup, type MarkupPart } from '../markup/markup.ts'
import { columnHeads, tableMarkup } from '../markup/table-markup.ts'
import { pageLanguage, phrase, translated } from '../page-language.ts'
import { exampleList } from './docs-examples.ts'
import { copyableSnippet, formatClientUse } from './request-example.ts'

/** The data of html/pages/docs-document.ts. */
type DocsData = Documentation & {
  readonly links: Readonly<Record<string, string>>
}

export function docsPage(layout: PageLayout, { data }: DocumentView): HtmlPage {
  const shown = data as DocsData
  const index = shown.resources.map(
    ({ name }) => html`<li><a href="#${name}">${labelOfCollection(layout.model, name)}</a></li>`,
  )
  const main = html`<h1>Documentation</h1>
${shown.version && versionNotice(shown.version)}
<p class="lead">Every address is a page in a browser and data for programs. To get JSON, send <code>Accept: application/json</code> or add <code>?format=json</code>.</p>
<div class="docs"><nav class="contents" aria-label="On this page"><ul class="inline">${index}<li><a href="#requests">Requests</a></li></ul></nav>
<div>${shown.resources.map((one) => resourceSection(layout, one))}
${requestSection(layout, shown)}</div></div>`
  return { title: phrase`Documentation`, main }
}

/** Which version the page describes, and until when it can be used. */
function versionNotice({ name, mediaType, deprecated, sunset }: VersionDocumentation): Markup {
  const state = deprecated && html` Version ${name} is deprecated from <time>${deprecated}</time> on.`
  const end = sunset && html` It ends on <time>${sunset}</time>.`
  return html`<p class="notice">This page describes version ${name}. To use it, send <code>Accept: ${mediaType}</code> or add <code>?api-version=${name}</code>.${state}${end}</p>`
}

function resourceSection(layout: PageLayout, resource: ResourceDocumentation): Markup {
  const uri = formatPath(layout.model.base, [resource.name])
  return html`<section class="resource" id="${resource.name}"><h2>${labelOfCollection(layout.model, resource.name)} <small><code>${uri}</code></small></h2>
${prepareSection(layout.model, resource)}
${exampleList(layout, resource, uri)}
</section>`
}

/** The part of a resource's section that does not depend on the caller, memoized. */
export function prepareSection(model: Model, resource: ResourceDocumentation): Markup {
  return sectionsIn(pageLanguage())(model)(resource)
}

const sectionsIn = memoizeByObject((_language: Language) =>
  memoizeByObject((model: Model) =>
    memoizeByObject(
      (resource: ResourceDocumentation) => html`${accessList(resource)}
${fieldTable(model, resource)}
${resource.actions && actionTable(model, resource, resource.actions)}
${resource.states.map(stateSection)}`,
    ),
  ),
)

function accessList({
  access: rules,
  collectionMethods,
  itemMethods,
  subCollections = [],
  key,
  unique,
  history,
}: ResourceDocumentation): Markup {
  const rows = Object.entries(rules).map(
    ([right, words]) => html`<dt>${formatLabel(right)}</dt><dd>${englishText(words)}</dd>`,
  )
  return html`<dl class="fields">${rows}<dt>Methods</dt><dd><code>${collectionMethods.join(' ')}</code> on the collection, <code>${itemMethods.join(' ')}</code> on an item</dd>${subCollections.map(subCollectionRow)}${key !== undefined && html`<dt>Key</dt><dd>An item’s address ends with its <code>${key}</code>.</dd>`}${unique !== undefined && html`<dt>Unique</dt><dd>${englishText(unique)}</dd>`}${history !== undefined && html`<dt>History</dt><dd><code>GET HEAD OPTIONS</code> on an item’s <code>/history</code>: ${englishText(history)}</dd>`}</dl>`
}

function subCollectionRow({ name, collection, field, methods }: SubCollectionDocumentation): Markup {
  const source = collection !== undefined && html`: the items of ${collection} that name it as ${field}`
  return html`<dt>${formatLabel(name)}</dt><dd><code>${methods.join(' ')}</code> on an item’s <code>/${name}</code>${source}</dd>`
}

function fieldTable(model: Model, { name, fields }: ResourceDocumentation): Markup {
  const own = model.resources.get(name)
  const rows = fields.map((field) => {
    const declared = own?.fieldByName.get(field.name)
    const help = declared ? [formatChoiceList(declared), fieldHelp(declared)] : []
    const notes = [...help.filter((one) => one !== ''), ...fieldNotes(field)]
    return html`<tr><th scope="row"><code>${field.name}</code></th><td>${kindMarkup(field)}</td><td>${field.required && phrase`required`}</td><td>${notes.map((one, at) => [at > 0 && ' ', one])}</td></tr>`
  })
  const heads = columnHeads([phrase`Name`, phrase`Kind`, phrase`Required`, phrase`Notes`])
  return html`<h3>Fields</h3>${tableMarkup(phrase`Fields of ${formatLabel(name)}`, heads, rows)}`
}

function kindMarkup({ kind, refersTo }: FieldDocumentation): Markup {
  const target = refersTo !== undefined && html` to <a href="#${refersTo}">${englishText(refersTo)}</a>`
  return html`${englishText(kind)}${target}`
}

function actionTable(
  model: Model,
  { name }: ResourceDocumentation,
  actions: readonly ActionDocumentation[],
): Markup {
  const base = formatPath(model.base, [name])
  const rows = actions.map(({ name: action, on, method = 'POST', by, input, background }) => {
    const uri = on === 'item' ? `${base}/{id}/${action}` : `${base}/${action}`
    const members = input.map((field, at) => [at > 0 && ', ', inputMarkup(field)])
    return html`<tr><th scope="row"><code>${method} ${uri}</code>${background && html` as a job`}</th><td>${members.length === 0 ? phrase`no input` : members}</td><td>${englishText(by)}</td></tr>`
  })
  const heads = columnHeads([phrase`Request`, phrase`Input`, phrase`For`])
  return html`<h3>Actions</h3>${tableMarkup(phrase`Actions of ${formatLabel(name)}`, heads, rows)}`
}

function inputMarkup(field: FieldDocumentation): Markup {
  return html`<code>${field.name}</code> (${kindMarkup(field)}${field.required && html`, required`})`
}

function formatChoiceList(field: FieldModel): string {
  const values = declaredChoices(field)
  if (!values || field.state) return ''
  const list = values.map(String).join(', ')
  return field.item ? phrase`Any of ${list}.` : phrase`One of ${list}.`
}

function fieldNotes(field: FieldDocumentation): readonly MarkupPart[] {
  const { readOnly, immutable, writeOnly, visibleTo, writableBy, derived } = field
  return [
    ...(derived === undefined ? [] : [html`Derived: ${englishText(derived)}.`]),
    ...(derived === undefined && readOnly ? [phrase`Set by the service.`] : []),
    ...(immutable ? [phrase`Set at creation; it cannot be changed afterwards.`] : []),
    ...(writeOnly ? [phrase`Never shown.`] : []),
    ...(field.default === undefined ? [] : [phrase`Default: ${JSON.stringify(field.default)}.`]),
    ...(visibleTo === undefined ? [] : [html`Visible to ${englishText(visibleTo)}.`]),
    ...(writableBy === undefined ? [] : [html`Writable by ${englishText(writableBy)}.`]),
  ]
}

function stateSection(state: StateDocumentation): Markup {
  const steps = state.transitions.map(
    ({ name, from, to, by, requires, exclusive }) =>
      html`<li><strong>${englishText(name)}</strong>: from ${from.join(` ${phrase`or`} `)} to ${to}${by !== undefined && html`, by ${englishText(by)}`}${requires.length > 0 && phrase`, with ${requires.join(', ')}`}${exclusive && phrase`; only the first request succeeds, later ones get 409`}</li>`,
  )
  const initial = phrase`Begins with ${state.initial}.`
  return html`<h3>${formatLabel(state.field)}</h3><p>${initial}</p><ul>${steps}</ul>`
}

function requestSection({ model, origin }: PageLayout, { links, resources }: DocsData): Markup {
  const listed = resources.find(({ collectionMethods }) => collectionMethods.includes('GET'))
  const more = Object.entries(links).map(
    ([label, uri]) => html`<li><a href="${uri}">${translated(label)}</a></li>`,
  )
  return html`<section id="requests"><h2>Requests</h2>
<ul>
<li>Send your credentials with every request: <code>Authorization: Basic</code> with login and password, or <code>Bearer</code> with a token.</li>
<li>Lists take <code>limit</code>, <code>sort</code>, <code>fields</code>, <code>embed</code> and filters such as <code>name[contains]=…</code>; the <code>Link</code> field has the next page.</li>
<li>Every item has an <code>ETag</code>. Send it as <code>If-Match</code> with a change, so that you don’t overwrite the changes of others.</li>
<li>Every error has the same format. Its type has a page with the cause and the remedy.</li>
</ul>
${listed && copyableSnippet('Client', formatClientUse(origin + model.base, listed.name))}
<ul class="links">${more}</ul></section>`
}
