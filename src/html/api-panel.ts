/** The end of an HTML page: its data in other formats, and the request that shows it to a program. */

import { collectionUri } from '../views/uri.ts'
import type { PageLayout } from './loading/page-layout.ts'
import { html, type Markup } from './markup/markup.ts'
import type { PageView } from './page-view.ts'
import { copyableSnippet, formatCurl } from './pages/request-example.ts'

/** The links and the panel; undefined where the page shows nothing that a program can request. */
export function apiPanel(layout: PageLayout, view: PageView): Markup | undefined {
  const { origin, uri, caller, alternates } = layout
  const isForPeople = view.kind === 'document' && pagesForPeople.has(view.page ?? '')
  if (isForPeople || !alternates.some(({ name }) => name === 'json')) return undefined
  const hasToken = caller.kind !== 'anonymous'
  const request = { method: 'GET', url: origin + uri, fields: { Accept: 'application/json' }, hasToken }
  return html`<footer class="data">
${formatLinks(layout)}
<details class="api"><summary>API</summary>
${hasToken && tokenNote(layout)}
${copyableSnippet('curl', formatCurl(request))}
</details></footer>`
}

function formatLinks({ alternates }: PageLayout): Markup {
  const links = alternates.map(
    ({ uri, mediaType, name }) =>
      html`<li><a href="${uri}" type="${mediaType}">${name.toUpperCase()}</a></li>`,
  )
  return html`<p>This data as</p><ul class="inline" aria-label="This data in other formats">${links}</ul>`
}

function tokenNote({ model }: PageLayout): Markup {
  const { tokens } = model
  const own = tokens && html` <a href="${collectionUri(model, tokens)}">Your tokens</a>`
  return html`<p>The requests send the token in the variable <code>TOKEN</code>.${own}</p>`
}

/** Pages that lead people through signing in. Some have secrets in their URIs, which no example may repeat. */
const pagesForPeople: ReadonlySet<string> = new Set([
  ...['sign-in', 'sign-out', 'second-factor', 'password-resets', 'password-reset'],
  ...['sign-in-links', 'sign-in-link'],
  ...['invitation', 'verifications', 'verification', 'mails', 'selection'],
])
