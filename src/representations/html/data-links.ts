/** "This data as …": the same in the formats for programs, and the request that gets it. */

import type { PageChrome } from '../../view/page-chrome.ts'
import { html, type Markup } from './markup.ts'
import { copyableSnippet, formatCurl } from './request-example.ts'

const names: Readonly<Record<string, string>> = {
  json: 'JSON',
  'hal-forms': 'HAL-FORMS',
  hal: 'HAL',
  xml: 'XML',
  csv: 'CSV',
  ndjson: 'NDJSON',
}

export function dataLinks(chrome: PageChrome): Markup {
  const { alternates, origin, uri } = chrome
  const links = alternates.flatMap(({ name, mediaType, uri: at }) => {
    const shown = names[name]
    return shown === undefined
      ? []
      : [html`<li><a href="${at}" type="${mediaType}">${shown}</a></li>`]
  })
  const request = { method: 'GET', url: origin + uri, fields: { Accept: 'application/json' } }
  return html`<section class="data" aria-label="This data for programs">
<p>This data as</p><ul class="inline">${links}</ul>
<details><summary>This page with curl</summary>${copyableSnippet('curl', formatCurl(request))}</details>
</section>`
}
