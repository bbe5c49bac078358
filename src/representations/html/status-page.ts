/** /status: charts of the last hour, which the script refreshes. */

import type { PageLayout } from '../../view/page-layout.ts'
import type { JobFigures, StatusFigures, VersionFigures, WorkFigures } from '../../view/status-figures.ts'
import type { DocumentView } from '../../view/view.ts'
import { timeMarkup } from './display-value.ts'
import { formatSize } from './file-markup.ts'
import type { HtmlPage } from './layout.ts'
import { formatNumber, lineChart } from './line-chart.ts'
import { html, type Markup, trustedMarkup } from './markup.ts'
import { errorsTable, routesTable } from './status-tables.ts'

const mebibyte = 1024 * 1024

export function statusPage(_layout: PageLayout, { data }: DocumentView): HtmlPage {
  // The data of documents/status.ts.
  const figures = data as StatusFigures
  const { step, started, uptime, memory } = figures
  const values = (name: keyof StatusFigures['series']) => padSeries(figures, name)
  const rates = (name: 'requests' | 'errors') => values(name).map((one) => (one === null ? null : one / step))
  const plots = [
    { title: 'Requests', unit: '/s', series: [{ name: 'all', values: rates('requests') }] },
    {
      title: 'Latency',
      unit: 'ms',
      series: [
        { name: 'p50', values: values('median') },
        { name: 'p99', values: values('slowest') },
      ],
    },
    { title: 'Errors', unit: '/s', series: [{ name: '5xx', values: rates('errors') }] },
    {
      title: 'Event-loop delay',
      unit: 'ms',
      series: [{ name: 'delay', values: values('loopDelay') }],
    },
    {
      title: 'Memory',
      unit: 'MiB',
      series: [{ name: 'used', values: toMebibytes(values('memory')) }],
    },
    {
      title: 'Database',
      unit: 'MiB',
      series: [{ name: 'size', values: toMebibytes(values('database')) }],
    },
  ]
  const main = html`<h1>Status</h1>
<p class="lead">The last hour, with one value every ${step} seconds.</p>
<div id="figures" data-live="10">
<dl class="fields"><dt>Running since</dt><dd>${trustedMarkup(timeMarkup(started))} (${formatDuration(uptime)})</dd><dt>Memory</dt><dd>${formatNumber(memory / mebibyte)} MiB</dd><dt>Database</dt><dd>${describeDatabase(figures)}</dd><dt>Change log</dt><dd>${describeLog(figures)}</dd>${describeWork('Webhooks', figures.deliveries)}${describeWork('After hooks', figures.after)}${describeWork('Jobs', figures.jobs)}${describeFiles(figures)}${describeBackups(figures)}${figures.versions.map(describeVersion)}</dl>
<div class="plots">${plots.map((one) => lineChart({ ...one, step }))}</div>
${routesTable(figures.routes)}
${errorsTable(figures.recentErrors)}</div>`
  return { title: 'Status', main }
}

const stateTexts: Readonly<Record<StatusFigures['databaseState'], string>> = {
  ready: 'ready',
  full: 'the disk is full, so nothing can be written. Free some space',
  unreachable: 'unreachable',
  slow: 'does not respond in time',
  unfit: 'its tables do not match the definition. Run restwell migrate',
  damaged: 'damaged, so nothing can be written. Restore a backup',
}

function describeDatabase({ database, databaseState, freeSpace }: StatusFigures): string {
  const size = database === null ? '' : `${formatSize(database)}, `
  const left = freeSpace === null ? '' : `, ${formatSize(freeSpace)} left on the disk`
  return `${size}${stateTexts[databaseState]}${left}`
}

function describeLog({ log }: StatusFigures): Markup | string {
  if (log === null) return 'unavailable'
  const kept = `kept for ${formatDuration(log.retention)}`
  if (log.oldest === null) return `no entries, ${kept}`
  const entries = `${log.entries} ${log.entries === 1 ? 'entry' : 'entries'}`
  return html`${entries} since ${trustedMarkup(timeMarkup(log.oldest))}, ${kept}`
}

function describeWork(name: string, figures: JobFigures | WorkFigures | null): Markup | undefined {
  if (figures === null) return undefined
  const { waiting, lag } = figures
  const late = waiting === 0 ? '' : `, the oldest for ${formatDuration(lag)}`
  const parked = 'parked' in figures ? `; ${figures.parked} parked` : ''
  return html`<dt>${name}</dt><dd>${waiting} waiting${late}${parked}</dd>`
}

function describeFiles({ files }: StatusFigures): Markup | undefined {
  if (files === null) return undefined
  const { quota, used, accounts } = files
  const most = accounts.map(({ account, used: octets }) => {
    const name = account === null ? 'a deleted account' : html`<a href="${account}">${account}</a>`
    return html`<li>${name}: ${formatSize(octets)}</li>`
  })
  return html`<dt>Files</dt><dd>${formatSize(used)} of all accounts; each may store ${formatSize(quota)}${most.length > 0 && html`<ul>${most}</ul>`}</dd>`
}

/** The use of an older version, with its most frequent callers. */
function describeVersion({ version, requests, callers }: VersionFigures): Markup {
  const most = callers.slice(0, 5).map(({ caller, requests: own }) => `${caller} (${own})`)
  const named = most.length === 0 ? '' : `: ${most.join(', ')}`
  return html`<dt>Version ${version}</dt><dd>${requests} ${requests === 1 ? 'request' : 'requests'}${named}</dd>`
}

function describeBackups({ backups }: StatusFigures): Markup | undefined {
  if (backups === null) return undefined
  const { newest, verified } = backups
  if (newest === null) return html`<dt>Backups</dt><dd>none yet</dd>`
  const tried =
    verified === null ? 'never verified' : html`last verified ${trustedMarkup(timeMarkup(verified))}`
  return html`<dt>Backups</dt><dd>the newest of ${trustedMarkup(timeMarkup(newest))}, ${tried}</dd>`
}

/** At least five minutes, so that the first values do not fill the chart. */
function seriesLength({ series, length, step }: StatusFigures): number {
  return Math.min(length, Math.max(300 / step, series.requests.length))
}

function padSeries(figures: StatusFigures, name: keyof StatusFigures['series']) {
  const known = figures.series[name]
  return [...new Array<null>(seriesLength(figures) - known.length).fill(null), ...known]
}

function toMebibytes(values: readonly (number | null)[]): readonly (number | null)[] {
  return values.map((one) => (one === null ? null : one / mebibyte))
}

function formatDuration(seconds: number): string {
  const [days, hours, minutes] = [seconds / 86_400, (seconds / 3600) % 24, (seconds / 60) % 60].map(
    Math.floor,
  )
  if (days) return hours ? `${days} d ${hours} h` : `${days} d`
  return hours ? `${hours} h ${minutes} min` : `${minutes} min`
}
