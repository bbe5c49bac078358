/** Line charts over time as SVG, without a script. */

import { formatNumber, phrase } from '../page-language.ts'
import { html, type Markup } from './markup.ts'

export interface LineChart {
  readonly title: string
  /** A value with its unit. */
  readonly format: (value: number) => string
  readonly series: readonly ChartSeries[]
  /** Seconds between two values. */
  readonly step: number
}

export interface ChartSeries {
  readonly name: string
  /** In order of time, at equal intervals; null if unknown. */
  readonly values: readonly (number | null)[]
}

const width = 480
const height = 150
const left = 4
const top = 18
const bottom = 132

export function lineChart(chart: LineChart): Markup {
  const { title, format, series } = chart
  const most = roundUpScale(Math.max(0, ...series.flatMap(({ values }) => values.map((one) => one ?? 0))))
  const lines = series.map(({ name, values }, index) => chartLine(name, values, most, index))
  const now = series.map(({ name, values }) => {
    const last = values.at(-1) ?? null
    const shown = last === null ? phrase`no data yet` : format(last)
    return series.length > 1 ? `${name} ${shown}` : shown
  })
  const since = formatAge(lengthOf(series) * chart.step)
  return html`<figure class="plot"><figcaption><strong>${title}</strong> <span>${now.join(' · ')}</span></figcaption>
<svg role="img" aria-label="${`${title}: ${now.join(', ')}`}" viewBox="0 0 ${width} ${height}">
<path class="grid" d="M0 ${top}H${width}M0 ${(top + bottom) / 2}H${width}M0 ${bottom}H${width}"></path>
<text x="${left}" y="${top - 2}">${format(most)}</text><text x="${left}" y="${height - 4}">${since}</text><text class="end" x="${width - left}" y="${height - 4}">now</text>
${lines}${hoverBands(chart)}</svg></figure>`
}

function lengthOf(series: readonly ChartSeries[]): number {
  return Math.max(0, ...series.map(({ values }) => values.length))
}

/** More would be narrower than a pointer is exact. */
const maxBands = 60

/** Parts of the time axis. The one under the pointer shows the largest values of its time, without a script. */
function hoverBands({ series, step, format }: LineChart): readonly Markup[] {
  const length = lengthOf(series)
  const size = Math.max(1, Math.ceil(length / maxBands))
  const bandWidth = round((size * (width - 2 * left)) / Math.max(1, length))
  return Array.from({ length: Math.ceil(length / size) }, (_, band) => {
    const start = band * size
    const shown = series.flatMap(({ name, values }) => {
      const known = values.slice(start, start + size).filter((value) => value !== null)
      if (known.length === 0) return []
      return `${series.length > 1 ? `${name} ` : ''}${format(Math.max(...known))}`
    })
    if (shown.length === 0) return html``
    const text = `${formatAge((length - start) * step)}: ${shown.join(' · ')}`
    const x = round(left + band * bandWidth)
    return html`<g class="hover"><rect x="${x}" width="${bandWidth}" height="${height}"></rect><text class="end" x="${width - left}" y="${top - 2}">${text}</text></g>`
  })
}

function formatAge(seconds: number): string {
  if (seconds < 60) return phrase`${seconds} s ago`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return phrase`${minutes} min ago`
  return phrase`${Math.floor(minutes / 60)} h ${minutes % 60} min ago`
}

interface ChartPoint {
  readonly x: number
  readonly y: number
}

/** Unknown values interrupt the line; a value between unknown ones is a point. */
function chartLine(name: string, values: readonly (number | null)[], most: number, index: number): Markup {
  const runs = connectedRuns(values, most)
  const path = runs.filter((run) => run.length > 1).map(formatPath)
  const points = runs
    .filter((run) => run.length === 1)
    .flat()
    .map(({ x, y }) => html`<circle class="point point-${index}" cx="${x}" cy="${y}" r="3"></circle>`)
  return html`<g><title>${name}</title><path class="line line-${index}" d="${path.join('')}"></path>${points}</g>`
}

/** The points of the chart, cut at unknown values. They keep clear of the edges, which would clip the line. */
function connectedRuns(values: readonly (number | null)[], most: number): readonly (readonly ChartPoint[])[] {
  const step = (width - 2 * left) / Math.max(1, values.length - 1)
  const runs: ChartPoint[][] = [[]]
  values.forEach((value, at) => {
    if (value === null) runs.push([])
    else runs.at(-1)?.push({ x: round(left + at * step), y: round(bottom - (value / most) * (bottom - top)) })
  })
  return runs
}

function formatPath(run: readonly ChartPoint[]): string {
  return run.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${x} ${y}`).join('')
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

/** Rounds up to 1, 2 or 5 times a power of ten. */
function roundUpScale(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  const step = [1, 2, 5, 10].find((one) => one * power >= value) ?? 10
  return step * power
}

/** With three significant digits, or as a whole number. */
export function formatFigure(value: number): string {
  return formatNumber(value >= 100 ? Math.round(value) : Number(value.toPrecision(3)))
}
