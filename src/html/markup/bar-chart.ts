/** Bar charts as SVG, without a script: one horizontal bar for each value. */

import { phrase } from '../page-language.ts'
import { html, type Markup } from './markup.ts'

export interface BarChart {
  readonly title: string
  readonly bars: readonly Bar[]
}

export interface Bar {
  readonly label: string
  /** The length of the bar. */
  readonly value: number
  /** The value as text. */
  readonly text: string
}

const width = 640
const labelWidth = 190
const textWidth = 110
const rowHeight = 24
const barHeight = 16
const maxLabelLength = 28
/** More bars would be too many to compare. */
export const maxBars = 50

export function barChart({ title, bars }: BarChart): Markup {
  const shown = bars.slice(0, maxBars)
  const least = Math.min(0, ...shown.map(({ value }) => value))
  const most = Math.max(0, ...shown.map(({ value }) => value))
  // Halved, because the difference of two numbers may exceed the largest.
  const range = most / 2 - least / 2 || 1
  const lengthOf = (value: number) => round((value / 2 / range) * (width - labelWidth - textWidth))
  const zero = labelWidth + lengthOf(-least)
  const rows = shown.map((bar, at) =>
    barRow(bar, { top: at * rowHeight, zero, length: lengthOf(Math.abs(bar.value)) }),
  )
  const height = shown.length * rowHeight
  const rest = bars.length - shown.length
  return html`<figure class="plot bars"><figcaption><strong>${title}</strong>${rest > 0 && html` <span>the first ${maxBars} of ${bars.length} groups</span>`}</figcaption>
<svg role="img" aria-label="${phrase`Bar chart: ${title}. The table has the values.`}" viewBox="0 0 ${width} ${height}">
${rows}<path class="grid" d="M${zero} 0V${height}"></path></svg></figure>`
}

interface BarPlace {
  readonly top: number
  /** The place of the value 0. */
  readonly zero: number
  readonly length: number
}

function barRow({ label, value, text }: Bar, { top, zero, length }: BarPlace): Markup {
  const left = value < 0 ? zero - length : zero
  const base = top + rowHeight / 2 + 4
  return html`<text class="end" x="${labelWidth - 8}" y="${base}">${shorten(label)}</text><rect x="${round(left)}" y="${top + (rowHeight - barHeight) / 2}" width="${length}" height="${barHeight}"></rect><text x="${round(left + length + 6)}" y="${base}">${text}</text>
`
}

function shorten(label: string): string {
  if (label.length <= maxLabelLength) return label
  return `${label.slice(0, maxLabelLength - 1).toWellFormed()}…`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
