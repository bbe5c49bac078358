/** /audit: a page of changes and sign-ins, newest first. */

import type { JsonValue, Model } from '../../definition/model.ts'
import type { HtmlPage } from '../../html/layout.ts'
import type { PageLayout } from '../../html/loading/page-layout.ts'
import { labelOfCollection } from '../../html/markup/collection-nouns.ts'
import { timeMarkup } from '../../html/markup/display-value.ts'
import { formatLabel } from '../../html/markup/field-label.ts'
import { html, type Markup, trustedMarkup } from '../../html/markup/markup.ts'
import { phrase } from '../../html/page-language.ts'
import type { DocumentView } from '../../views/view.ts'

export function auditPage({ model }: PageLayout, { data, hypermedia }: DocumentView): HtmlPage {
  // The data of features/audit/audit-document.ts.
  const entries = data as readonly AuditObject[]
  const next = hypermedia?.links.find(({ rel }) => rel === 'next')
  const main = html`<h1>Audit</h1>
<p class="lead">Changes and sign-ins, newest first.</p>
${entries.length > 0 ? auditTable(model, entries) : html`<p class="empty">No entries match.</p>`}
${next && html`<nav class="paging" aria-label="Pages"><a href="${next.target}" rel="next">Older →</a></nav>`}`
  return { title: phrase`Audit`, main }
}

type AuditObject = Readonly<Record<string, JsonValue>>

function auditTable(model: Model, entries: readonly AuditObject[]): Markup {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Entries"><table><thead><tr><th scope="col">Time</th><th scope="col">Actor</th><th scope="col">What</th><th scope="col">Collection</th><th scope="col">Item</th></tr></thead>
<tbody>${entries.map((entry) => auditRow(model, entry))}</tbody></table></div>`
}

function auditRow(model: Model, { at, actor, kind, collection, item }: AuditObject): Markup {
  return html`<tr><td>${trustedMarkup(timeMarkup(String(at)))}</td><td>${actor === undefined ? html`<span class="absent">anonymous</span>` : String(actor)}</td><td>${formatLabel(String(kind))}</td><td>${labelOfCollection(model, String(collection))}</td><td>${String(item)}</td></tr>`
}
