/** The HTML pages of documents that programs read: /schemas and the API catalogue. */

import type { PageLayout } from '../../view/page-layout.ts'
import type { DocumentView } from '../../view/view.ts'
import { labelOfCollection } from './collection-nouns.ts'
import type { HtmlPage } from './layout.ts'
import { html, type Markup } from './markup.ts'

/** The schemas of each collection: of its items, and of what requests send. */
export function schemasPage(layout: PageLayout, { data }: DocumentView): HtmlPage {
  // The data of documents/schemas.ts.
  const byCollection = Map.groupBy(Object.entries(data as Readonly<Record<string, string>>), ([name]) =>
    name.replace(/\..*$/, ''),
  )
  const rows = [...byCollection].map(([collection, schemas]) => {
    const links = schemas.map(([name, uri]) => html`<li><a href="${uri}">${name}</a></li>`)
    return html`<tr><th scope="row">${labelOfCollection(layout.model, collection)}</th><td><ul class="inline">${links}</ul></td></tr>`
  })
  const main = html`<h1>Schemas</h1>
<p class="lead">The JSON Schemas of each collection: of its items, and of the content of requests.</p>
${rows.length > 0 ? descriptionTable('Schemas', ['Collection', 'Schemas'], rows) : html`<p class="empty">You may read no collection.</p>`}`
  return { title: 'Schemas', main }
}

interface CatalogLink {
  readonly href: string
  readonly title?: string
  readonly type?: string
}

const catalogTexts: Readonly<Record<string, string>> = {
  item: 'Interface',
  'service-desc': 'OpenAPI description, for programs',
  'service-doc': 'Documentation, for people',
}

/** The links of the linkset (RFC 9264), each with its meaning. */
export function catalogPage(_layout: PageLayout, { data }: DocumentView): HtmlPage {
  // The data of documents/api-catalog.ts.
  const { linkset } = data as { linkset: readonly Readonly<Record<string, unknown>>[] }
  const links = linkset.flatMap(({ anchor: _, ...relations }) => Object.entries(relations))
  const rows = links.flatMap(([relation, targets]) =>
    (targets as readonly CatalogLink[]).map(
      ({ href, title, type }) =>
        html`<tr><th scope="row">${catalogTexts[relation] ?? relation}</th><td><a href="${href}">${title ?? href}</a></td><td>${type ?? ''}</td></tr>`,
    ),
  )
  const main = html`<h1>API catalogue</h1>
<p class="lead">Where programs find the interface of this service (RFC 9727).</p>
${descriptionTable('API catalogue', ['Meaning', 'Address', 'Type'], rows)}`
  return { title: 'API catalogue', main }
}

function descriptionTable(label: string, heads: readonly string[], rows: readonly Markup[]): Markup {
  const cells = heads.map((text) => html`<th scope="col">${text}</th>`)
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table><thead><tr>${cells}</tr></thead><tbody>${rows}</tbody></table></div>`
}
