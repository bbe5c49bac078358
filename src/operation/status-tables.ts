/** The tables of /status: the requests of each route, and the last errors. */

import { timeMarkup } from '../html/markup/display-value.ts'
import { formatFigure } from '../html/markup/line-chart.ts'
import { html, type Markup, trustedMarkup } from '../html/markup/markup.ts'
import { translated } from '../html/page-language.ts'
import type { ErrorFigures, RouteFigures } from './status-figures.ts'

/** The JSON of /status has all routes. */
const maxRoutes = 30

export function routesTable(routes: readonly RouteFigures[]): Markup {
  const rows = routes.slice(0, maxRoutes).map(routeRow)
  const more = routes.length - rows.length
  return html`<h2>Routes</h2>
<p>Since the start, the most frequent first. Times are in milliseconds.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Routes"><table><thead><tr><th scope="col">Route</th><th scope="col" class="number">Requests</th><th scope="col" class="number">Refused (4xx)</th><th scope="col" class="number">Errors (5xx)</th><th scope="col" class="number">Mean</th><th scope="col" class="number">p50</th><th scope="col" class="number">p99</th></tr></thead>
<tbody>${rows}</tbody></table></div>
${more > 0 && html`<p><a href="?format=json">${more} more in JSON</a></p>`}`
}

function routeRow({ method, route, requests, refused, errors, mean, median, slowest }: RouteFigures): Markup {
  const cells = [requests, refused, errors, mean, median, slowest].map(
    (value) => html`<td class="number">${formatFigure(value)}</td>`,
  )
  return html`<tr><th scope="row"><code>${method} ${route}</code></th>${cells}</tr>
`
}

export function errorsTable(errors: readonly ErrorFigures[]): Markup {
  if (errors.length === 0) return html`<h2>Recent errors</h2><p>No errors since the start.</p>`
  return html`<h2>Recent errors</h2>
<p>Find the request in the log by its id to read more.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Recent errors"><table><thead><tr><th scope="col">Time</th><th scope="col">Status</th><th scope="col">Request</th><th scope="col">Error</th><th scope="col">Request id</th></tr></thead>
<tbody>${errors.map(errorRow)}</tbody></table></div>`
}

function errorRow({ at, request, method, route, status, decision, summary }: ErrorFigures): Markup {
  const target = method === null ? '–' : html`<code>${method} ${route ?? ''}</code>`
  // Titles of problems are translated; the texts of the log are not.
  const named = translated(summary)
  const text = decision === null ? named : html`${named} (<code>${decision}</code>)`
  return html`<tr><td>${trustedMarkup(timeMarkup(at))}</td><td>${status ?? '–'}</td><td>${target}</td><td>${text}</td><td><code>${request}</code></td></tr>
`
}
