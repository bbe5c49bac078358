/** /status: figures of the service, which the script refreshes. */

import type { HtmlPage } from '../html/layout.ts'
import type { PageLayout } from '../html/loading/page-layout.ts'
import { timeMarkup } from '../html/markup/display-value.ts'
import { formatSize } from '../html/markup/file-markup.ts'
import { html, type Markup, trustedMarkup } from '../html/markup/markup.ts'
import { columnHeads, tableMarkup } from '../html/markup/table-markup.ts'
import { formatNumber, phrase, translated } from '../html/page-language.ts'
import type { DocumentView } from '../views/view.ts'
import type {
  ErrorFigures,
  JobFigures,
  RouteFigures,
  StatusFigures,
  VersionFigures,
  WorkFigures,
} from './status-figures.ts'

export function statusPage(_layout: PageLayout, { data }: DocumentView): HtmlPage {
  // The data of operation/operator-documents.ts.
  const figures = data as StatusFigures
  const { started, uptime, memory } = figures
  const main = html`<div class="heading"><h1>Status</h1></div>
<div id="figures" data-live="10">
<dl class="fields"><dt>Running since</dt><dd>${trustedMarkup(timeMarkup(started))} (${formatDuration(uptime)})</dd><dt>Memory</dt><dd>${formatSize(memory)}</dd><dt>Database</dt><dd>${describeDatabase(figures)}</dd><dt>Change log</dt><dd>${describeLog(figures)}</dd>${describeWork(phrase`Webhooks`, figures.deliveries)}${describeWork(phrase`After hooks`, figures.after)}${describeWork(phrase`Jobs`, figures.jobs)}${describeFiles(figures)}${describeBackups(figures)}${figures.versions.map(describeVersion)}</dl>
${routesTable(figures.routes)}
${errorsTable(figures.recentErrors)}</div>`
  return { title: phrase`Status`, main }
}

const stateTexts: Readonly<Record<StatusFigures['databaseState'], () => string>> = {
  ready: () => phrase`ready`,
  full: () => phrase`the disk is full, so nothing can be written. Free some space`,
  unreachable: () => phrase`unreachable`,
  slow: () => phrase`does not respond in time`,
  unfit: () => phrase`its tables do not match the definition. Run restwell migrate`,
  damaged: () => phrase`damaged, so nothing can be written. Restore a backup`,
}

function describeDatabase({ database, databaseState, freeSpace }: StatusFigures): string {
  return [
    ...(database === null ? [] : [formatSize(database)]),
    stateTexts[databaseState](),
    ...(freeSpace === null ? [] : [phrase`${formatSize(freeSpace)} left on the disk`]),
  ].join(', ')
}

function describeLog({ log }: StatusFigures): Markup | string {
  if (log === null) return phrase`unavailable`
  const retention = formatDuration(log.retention)
  if (log.oldest === null) return phrase`no entries, kept for ${retention}`
  const entries = log.entries === 1 ? phrase`1 entry` : phrase`${log.entries} entries`
  return html`${entries} since ${trustedMarkup(timeMarkup(log.oldest))}, kept for ${retention}`
}

function describeWork(name: string, figures: JobFigures | WorkFigures | null): Markup | undefined {
  if (figures === null) return undefined
  const { waiting, lag } = figures
  const late = waiting === 0 ? '' : phrase`, the oldest for ${formatDuration(lag)}`
  const parked = 'parked' in figures ? phrase`; ${figures.parked} parked` : ''
  return html`<dt>${name}</dt><dd>${phrase`${waiting} waiting`}${late}${parked}</dd>`
}

function describeFiles({ files }: StatusFigures): Markup | undefined {
  if (files === null) return undefined
  const { quota, used, accounts } = files
  const most = accounts.map(({ account, used: octets }) => {
    const name = account === null ? phrase`a deleted account` : html`<a href="${account}">${account}</a>`
    return html`<li>${name}: ${formatSize(octets)}</li>`
  })
  return html`<dt>Files</dt><dd>${formatSize(used)} of all accounts; each may store ${formatSize(quota)}${most.length > 0 && html`<ul>${most}</ul>`}</dd>`
}

/** The use of an older version, with its most frequent callers. */
function describeVersion({ version, requests, callers }: VersionFigures): Markup {
  const most = callers.slice(0, 5).map(({ caller, requests: own }) => `${translated(caller)} (${own})`)
  const named = most.length === 0 ? '' : `: ${most.join(', ')}`
  const count = requests === 1 ? phrase`1 request` : phrase`${requests} requests`
  return html`<dt>Version ${version}</dt><dd>${count}${named}</dd>`
}

function describeBackups({ backups }: StatusFigures): Markup | undefined {
  if (backups === null) return undefined
  const { newest, verified } = backups
  if (newest === null) return html`<dt>Backups</dt><dd>none yet</dd>`
  const tried =
    verified === null ? phrase`never verified` : html`last verified ${trustedMarkup(timeMarkup(verified))}`
  return html`<dt>Backups</dt><dd>the newest of ${trustedMarkup(timeMarkup(newest))}, ${tried}</dd>`
}

function formatDuration(seconds: number): string {
  const days = Math.floor(seconds / 86_400)
  const hours = Math.floor(seconds / 3600) % 24
  const minutes = Math.floor(seconds / 60) % 60
  if (days) return hours ? phrase`${days} d ${hours} h` : phrase`${days} d`
  return hours ? phrase`${hours} h ${minutes} min` : phrase`${minutes} min`
}

/** The JSON of /status has all routes. */
const maxRoutes = 30

function routesTable(routes: readonly RouteFigures[]): Markup {
  const rows = routes.slice(0, maxRoutes).map(routeRow)
  const more = routes.length - rows.length
  return html`<h2>Routes</h2>
<p>Since the start, the most frequent first. Times are in milliseconds.</p>
${tableMarkup(phrase`Routes`, routeHeads(), rows)}
${more > 0 && html`<p><a href="?format=json">${more} more in JSON</a></p>`}`
}

/** With three significant digits, or as a whole number. */
function formatFigure(value: number): string {
  return formatNumber(value >= 100 ? Math.round(value) : Number(value.toPrecision(3)))
}

function routeHeads(): readonly Markup[] {
  const figures = [
    phrase`Requests`,
    phrase`Refused (4xx)`,
    phrase`Errors (5xx)`,
    phrase`Mean`,
    phrase`p50`,
    phrase`p99`,
  ]
  return [...columnHeads([phrase`Route`]), ...columnHeads(figures, 'number')]
}

function routeRow({ method, route, requests, refused, errors, mean, median, slowest }: RouteFigures): Markup {
  const cells = [requests, refused, errors, mean, median, slowest].map(
    (value) => html`<td class="number">${formatFigure(value)}</td>`,
  )
  return html`<tr><th scope="row"><code>${method} ${route}</code></th>${cells}</tr>
`
}

function errorsTable(errors: readonly ErrorFigures[]): Markup {
  if (errors.length === 0) return html`<h2>Recent errors</h2><p>No errors since the start.</p>`
  const heads = columnHeads([
    phrase`Time`,
    phrase`Status`,
    phrase`Request`,
    phrase`Error`,
    phrase`Request id`,
  ])
  return html`<h2>Recent errors</h2>
<p>Find the request in the log by its id to read more.</p>
${tableMarkup(phrase`Recent errors`, heads, errors.map(errorRow))}`
}

function errorRow({ at, request, method, route, status, decision, summary }: ErrorFigures): Markup {
  const target = method === null ? '–' : html`<code>${method} ${route ?? ''}</code>`
  // Titles of problems are translated; the texts of the log are not.
  const named = translated(summary)
  const text = decision === null ? named : html`${named} (<code>${decision}</code>)`
  return html`<tr><td>${trustedMarkup(timeMarkup(at))}</td><td>${status ?? '–'}</td><td>${target}</td><td>${text}</td><td><code>${request}</code></td></tr>
`
}
