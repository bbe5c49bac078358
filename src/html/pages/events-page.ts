/** /events: a page of changes, oldest first, with links to the items. */

import type { JsonValue } from '../../definition/model.ts'
import type { DocumentView } from '../../views/view.ts'
import type { HtmlPage } from '../layout.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { timeMarkup } from '../markup/display-value.ts'
import { html, type Markup, trustedMarkup } from '../markup/markup.ts'
import { phrase } from '../page-language.ts'

export function eventsPage(_layout: PageLayout, { data, hypermedia }: DocumentView): HtmlPage {
  // The data of requests/events/events-document.ts.
  const events = data as readonly Readonly<Record<string, JsonValue>>[]
  const next = hypermedia?.links.find(({ rel }) => rel === 'next')
  const main = html`<h1>Events</h1>
<p class="lead">What has changed, oldest first. Programs can follow changes as they happen.</p>
${events.length > 0 ? eventsTable(events) : html`<p class="empty">Nothing new.</p>`}
${next && html`<nav class="paging" aria-label="Pages"><a href="${next.target}" rel="next">Next →</a></nav>`}`
  return { title: phrase`Events`, main }
}

function eventsTable(events: readonly Readonly<Record<string, JsonValue>>[]): Markup {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Events"><table><thead><tr><th scope="col">Time</th><th scope="col">Event</th><th scope="col">Item</th></tr></thead>
<tbody>${events.map(eventRow)}</tbody></table></div>`
}

function eventRow({ at, type, href }: Readonly<Record<string, JsonValue>>): Markup {
  return html`<tr><td>${at !== undefined && trustedMarkup(timeMarkup(String(at)))}</td><td><code>${String(type)}</code></td><td>${href !== undefined && html`<a href="${String(href)}"><code>${String(href)}</code></a>`}</td></tr>`
}
