/** Requests per second as an SVG chart for light and dark pages. */

import type { Throughput } from './parts/throughput.ts'
import { labelOf } from './report.ts'
import type { Figures } from './rounds.ts'

const width = 820
const margin = 16
const left = 150
const right = 60
const bar = { height: 11, gap: 2 }
const groupGap = 16
const legendHeight = 44

/** Colours for light and dark pages, which differ in lightness too. */
const colours: Readonly<Record<string, readonly [light: string, dark: string]>> = {
  restwell: ['#0b6e4f', '#3ddc97'],
  sqlite: ['#8a8f98', '#9aa0aa'],
  fastify: ['#b8bdc6', '#6b717c'],
  express: ['#d0a44c', '#a67c1e'],
  'json-server': ['#e0c99a', '#6e5a2a'],
}

/** Each workload has its own scale: its longest bar fills the width. */
export function formatChart({ rows, workloads }: Throughput): string {
  const names = Object.keys(colours).filter((name) =>
    Object.values(workloads).some((figures) => figures[name] !== undefined),
  )
  let top = legendHeight
  const groups = Object.entries(workloads).map(([workload, figures]) => {
    const group = formatGroup(workload, figures, { names, top })
    top += heightOf(figures, names) + groupGap
    return group
  })
  const title = `Requests per second at ${rows.toLocaleString('en')} rows; longer is faster`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${-margin} ${-margin} ${width + 2 * margin} ${top + margin}" role="img" aria-labelledby="title">
<title id="title">${title}</title>
<style>${formatStyle()}</style>
<rect class="ground" x="${-margin}" y="${-margin}" width="${width + 2 * margin}" height="${top + margin}" rx="8"/>
<text x="0" y="14" class="title">${title}</text>
${formatLegend(names)}
${groups.join('\n')}
</svg>
`
}

function heightOf(figures: Figures, names: readonly string[]): number {
  return names.filter((name) => figures[name] !== undefined).length * (bar.height + bar.gap)
}

interface Place {
  readonly names: readonly string[]
  readonly top: number
}

function formatGroup(workload: string, figures: Figures, { names, top }: Place): string {
  const present = names.filter((name) => figures[name] !== undefined)
  const rates = present.map((name) => figures[name]?.perSecond ?? 0)
  const longest = Math.max(...rates)
  const bars = present.map((name, at) => {
    const y = top + at * (bar.height + bar.gap)
    const rate = rates[at] as number
    const length = Math.max(1, ((width - left - right) * rate) / longest)
    const box = `<rect class="${name}" x="${left}" y="${y}" width="${length.toFixed(1)}" height="${bar.height}" rx="2"/>`
    const figure = Math.round(rate).toLocaleString('en')
    return `${box}<text x="${(left + length + 5).toFixed(1)}" y="${y + 9}" class="figure">${figure}</text>`
  })
  const middle = top + heightOf(figures, names) / 2 + 3
  return `<text x="0" y="${middle}">${workload}</text>${bars.join('')}`
}

function formatLegend(names: readonly string[]): string {
  let x = 0
  return names
    .map((name) => {
      const label = labelOf(name)
      const entry = `<rect class="${name}" x="${x}" y="24" width="11" height="11" rx="2"/><text x="${x + 16}" y="33">${label}</text>`
      x += 34 + label.length * 6.6
      return entry
    })
    .join('')
}

function formatStyle(): string {
  const fills = (which: 0 | 1) =>
    Object.entries(colours)
      .map(([name, pair]) => `.${name}{fill:${pair[which]}}`)
      .join('')
  const text = '.ground{fill:#ffffff}text{font:12px system-ui,sans-serif;fill:#1f2328}'
  const light = `${text}.title{font-weight:600;font-size:13px}.figure{font-size:10px}${fills(0)}`
  return `${light}@media(prefers-color-scheme:dark){.ground{fill:#0d1117}text{fill:#e6edf3}${fills(1)}}`
}
