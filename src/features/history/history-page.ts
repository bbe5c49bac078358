/** The HTML pages of a history: the versions of an item with their changes, and one version as it was. */

import type { JsonValue, ResourceModel } from '../../definition/model.ts'
import { actionForm } from '../../html/forms/action-form.ts'
import type { HtmlPage } from '../../html/layout.ts'
import type { PageLayout } from '../../html/loading/page-layout.ts'
import { timeMarkup } from '../../html/markup/display-value.ts'
import { formatLabel, memberLabel, valueInSentence } from '../../html/markup/field-label.ts'
import { html, type Markup, trustedMarkup } from '../../html/markup/markup.ts'
import { phrase } from '../../html/page-language.ts'
import { parentPath } from '../../html/parent-path.ts'
import { formatPath } from '../../http/request-target.ts'
import { referenceUri } from '../../views/uri.ts'
import type { DocumentView } from '../../views/view.ts'

type Members = Readonly<Record<string, JsonValue>>

export function historyPage(layout: PageLayout, { data, hypermedia }: DocumentView): HtmlPage {
  // The data of features/history/history-document.ts.
  const versions = data as readonly Members[]
  const next = hypermedia?.links.find(({ rel }) => rel === 'next')
  const [uri = ''] = layout.uri.split('?')
  const main = html`${parentPath(layout, phrase`History`)}
<h1>History</h1>
${versions.length > 0 ? versionTable(layout, versions, { uri, resource: resourceOf(layout) }) : html`<p class="empty">No versions are kept.</p>`}
${next && html`<nav class="paging" aria-label="Pages"><a href="${next.target}" rel="next">Older →</a></nav>`}`
  return { title: `${phrase`History`} · ${layout.parent?.title ?? ''}`, main }
}

/** The resource of the item that the history is about. */
function resourceOf({ model, parent }: PageLayout): ResourceModel | undefined {
  return model.resources.get(parent?.collection ?? '')
}

/** The item that a history is about. */
interface HistorySubject {
  /** Of the history. */
  readonly uri: string
  readonly resource: ResourceModel | undefined
}

/** The versions, each with what it changed. */
export function versionTable(
  layout: PageLayout,
  versions: readonly Members[],
  subject: HistorySubject,
): Markup {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Versions"><table class="history"><thead><tr><th scope="col">Time</th><th scope="col">By</th><th scope="col">What</th><th scope="col">Changes</th></tr></thead>
<tbody>${versions.map((version) => versionRow(layout, version, subject))}</tbody></table></div>`
}

function versionRow(
  layout: PageLayout,
  { version, at, by, kind, changes }: Members,
  { uri, resource }: HistorySubject,
): Markup {
  const time = trustedMarkup(timeMarkup(String(at)))
  const changed = Object.entries((changes ?? {}) as Readonly<Record<string, Members>>)
  const rows = changed.map(([name, { from, to }]) => {
    const field = resource?.fieldByName.get(name)
    const isEnumerated = field !== undefined && field.kind.choices !== 'none'
    const named = (value: JsonValue | undefined) => {
      if (isEnumerated && typeof value === 'string') return valueInSentence(value)
      return field?.ref ? (layout.titles.get(String(value)) ?? value) : value
    }
    return changeRow(memberLabel(resource, name), named(from), named(to))
  })
  return html`<tr><td><a href="${formatPath(uri, [String(version)])}">${time}</a></td><td>${author(layout, by)}</td><td>${formatLabel(String(kind))}</td><td><dl class="changes">${rows}</dl></td></tr>`
}

/** A link to the account where its title is known, because the caller may read it then. */
function author({ model, titles }: PageLayout, by: JsonValue | undefined): Markup {
  if (by === undefined) return html`<span class="absent">unknown</span>`
  const name = titles.get(String(by))
  if (name === undefined || !model.accounts) return html`${String(by)}`
  return html`<a href="${referenceUri(model, model.accounts.resource, String(by))}">${name}</a>`
}

function changeRow(label: string, from: JsonValue | undefined, to: JsonValue | undefined): Markup {
  const before = from === undefined ? undefined : html`<del>${formatChanged(from)}</del> `
  const after =
    to === undefined ? html`<span class="absent">none</span>` : html`<ins>${formatChanged(to)}</ins>`
  return html`<div><dt>${label}</dt><dd>${before}${after}</dd></div>`
}

const maxShownLength = 300

function formatChanged(value: JsonValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text
}

export function versionPage(layout: PageLayout, { data, hypermedia, item }: DocumentView): HtmlPage {
  const members = Object.entries(data as Members)
  const target = (rel: string) => hypermedia?.links.find((link) => link.rel === rel)?.target
  const [restore] = hypermedia?.actions ?? []
  const [older, newer] = [target('predecessor-version'), target('successor-version')]
  const title = phrase`Former version`
  const main = html`${parentPath(layout, title)}
<div class="heading"><h1>${title}</h1>${restore && item && actionForm(layout, { action: restore, button: phrase`Restore`, prefix: 'restore', item })}</div>
<dl class="fields">${members.map(([name, value]) => html`<dt>${memberLabel(resourceOf(layout), name)}</dt><dd>${typeof value === 'string' ? value : JSON.stringify(value)}</dd>`)}</dl>
<nav class="paging" aria-label="Versions">${older && html`<a href="${older}" rel="predecessor-version">← Older</a>`} <a href="${target('version-history') ?? ''}">All versions</a> ${newer && html`<a href="${newer}" rel="successor-version">Newer →</a>`}</nav>`
  return { title: `${title} · ${layout.parent?.title ?? ''}`, main }
}
