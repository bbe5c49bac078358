/** The HTML pages of documents that programs read: /schemas and the API catalogue. */

import type { DocumentView } from '../../views/view.ts'
import type { HtmlPage } from '../layout.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { labelOfCollection } from '../markup/collection-nouns.ts'
import { html, type Markup } from '../markup/markup.ts'
import { phrase, translated } from '../page-language.ts'

/** The schemas of each collection: of its items, and of what requests send. */
export function schemasPage(layout: PageLayout, { data }: DocumentView): HtmlPage {
  // The data of describe/documents/schemas.ts.
  const byCollection = Map.groupBy(Object.entries(data as Readonly<Record<string, string>>), ([name]) =>
    name.replace(/\..*$/, ''),
  )
  const rows = [...byCollection].map(([collection, schemas]) => {
    const links = schemas.map(([name, uri]) => html`<li><a href="${uri}"><code>${name}</code></a></li>`)
    return html`<tr><th scope="row">${labelOfCollection(layout.model, collection)}</th><td><ul class="inline">${links}</ul></td></tr>`
  })
  const title = phrase`Schemas`
  const main = html`<h1>${title}</h1>
<p class="lead">The JSON Schemas of each collection: of its items, and of the content of requests.</p>
${rows.length > 0 ? descriptionTable(title, [phrase`Collection`, title], rows) : html`<p class="empty">You may read no collection.</p>`}`
  return { title, main }
}

interface CatalogLink {
  readonly href: string
  readonly title?: string
  readonly type?: string
}

function meaningOf(relation: string): string {
  if (relation === 'item') return phrase`Interface`
  if (relation === 'service-desc') return phrase`OpenAPI description, for programs`
  return relation === 'service-doc' ? phrase`Documentation, for people` : relation
}

/** The links of the linkset (RFC 9264), each with its meaning. */
export function catalogPage(_layout: PageLayout, { data }: DocumentView): HtmlPage {
  // The data of describe/documents/api-catalog.ts.
  const { linkset } = data as { linkset: readonly Readonly<Record<string, unknown>>[] }
  const links = linkset.flatMap(({ anchor: _, ...relations }) => Object.entries(relations))
  const rows = links.flatMap(([relation, targets]) =>
    (targets as readonly CatalogLink[]).map(
      ({ href, title, type }) =>
        html`<tr><th scope="row">${meaningOf(relation)}</th><td><a href="${href}">${title === undefined ? html`<code>${href}</code>` : translated(title)}</a></td><td>${type ?? ''}</td></tr>`,
    ),
  )
  const title = phrase`API catalogue`
  const main = html`<h1>${title}</h1>
<p class="lead">Where programs find the interface of this service (RFC 9727).</p>
${descriptionTable(title, [phrase`Meaning`, phrase`Address`, phrase`Type`], rows)}`
  return { title, main }
}

function descriptionTable(label: string, heads: readonly string[], rows: readonly Markup[]): Markup {
  const cells = heads.map((text) => html`<th scope="col">${text}</th>`)
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table><thead><tr>${cells}</tr></thead><tbody>${rows}</tbody></table></div>`
}
