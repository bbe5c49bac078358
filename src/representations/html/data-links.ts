/** Links to the same data in other formats, and a curl command. */

import type { PageLayout } from '../../view/page-layout.ts'
import { html, type Markup } from './markup.ts'
import { copyableSnippet, formatCurl } from './request-example.ts'

export function dataLinks(layout: PageLayout): Markup {
  const { alternates, origin, uri } = layout
  const links = alternates.map(
    (alternate) =>
      html`<li><a href="${alternate.uri}" type="${alternate.mediaType}">${alternate.name.toUpperCase()}</a></li>`,
  )
  const request = { method: 'GET', url: origin + uri, fields: { Accept: 'application/json' } }
  return html`<section class="data" aria-label="This data in other formats">
<p>This data as</p><ul class="inline">${links}</ul>
<details><summary>Get it with curl</summary>${copyableSnippet('curl', formatCurl(request))}</details>
</section>`
}
