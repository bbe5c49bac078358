/** Line charts over time as SVG, without a script. */

import { html, type Markup } from './markup.ts'

export interface LineChart {
  readonly title: string
  /** The unit of the values, such as `ms` or `/s`. */
  readonly unit: string
  readonly series: readonly ChartSeries[]
  /** The start of the time axis, in words. */
  readonly since: string
}

export interface ChartSeries {
  readonly name: string
  /** In order of time, at equal intervals; null if unknown. */
  readonly values: readonly (number | null)[]
}

const width = 480
const height = 150
const left = 4
const top = 10
const bottom = 132

export function lineChart({ title, unit, series, since }: LineChart): Markup {
  const most = roundUpScale(Math.max(0, ...series.flatMap(({ values }) => values.map((one) => one ?? 0))))
  const lines = series.map(({ name, values }, index) => chartLine(name, values, most, index))
  const now = series.map(({ name, values }) => {
    const last = values.at(-1) ?? null
    const shown = last === null ? 'no data yet' : `${formatNumber(last)} ${unit}`
    return series.length > 1 ? `${name} ${shown}` : shown
  })
  return html`<figure class="plot"><figcaption><strong>${title}</strong> <span>${now.join(' · ')}</span></figcaption>
<svg role="img" aria-label="${`${title}: ${now.join(', ')}`}" viewBox="0 0 ${width} ${height}">
<path class="grid" d="M0 ${top}H${width}M0 ${(top + bottom) / 2}H${width}M0 ${bottom}H${width}"></path>
<text x="${left}" y="${top - 2}">${formatNumber(most)} ${unit}</text><text x="${left}" y="${height - 4}">${since}</text><text class="end" x="${width - left}" y="${height - 4}">now</text>
${lines}</svg></figure>`
}

/** Unknown values interrupt the line; a single value is a dot. */
function chartLine(name: string, values: readonly (number | null)[], most: number, index: number): Markup {
  const step = width / Math.max(1, values.length - 1)
  let path = ''
  let drawing = false
  values.forEach((value, at) => {
    if (value === null) {
      drawing = false
      return
    }
    const x = Math.round(at * step * 10) / 10
    const y = Math.round((bottom - (value / most) * (bottom - top)) * 10) / 10
    path += drawing ? `L${x} ${y}` : `M${x} ${y}h.1`
    drawing = true
  })
  return html`<path class="line line-${index}" d="${path}"><title>${name}</title></path>`
}

/** Rounds up to 1, 2 or 5 times a power of ten. */
function roundUpScale(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  const step = [1, 2, 5, 10].find((one) => one * power >= value) ?? 10
  return step * power
}

export function formatNumber(value: number): string {
  if (value === 0) return '0'
  if (value >= 100) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(3)))
}
