/** docs/performance.md: what stands between its marks is written by the bench, the rest by hand. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatChart } from './chart.ts'
import { claimsOf, claimTable, holds } from './claims.ts'
import { type PartName, partNames } from './options.ts'
import { tablesOf } from './report.ts'
import { type Circumstances, type Results, writeResults } from './results.ts'
import { formatMarkdown, type Table } from './table.ts'

const folder = join(import.meta.dirname, '../docs')
const marks = ['<!-- written by npm run bench -->', '<!-- until here -->'] as const

export function writeDocument(results: Results): void {
  writeResults(results)
  if (results.throughput) {
    writeFileSync(join(folder, 'performance.svg'), formatChart(results.throughput.result))
  }
  const file = join(folder, 'performance.md')
  const page = readFileSync(file, 'utf8')
  const [before, after] = [page.indexOf(marks[0]), page.indexOf(marks[1])]
  if (before < 0 || after < before) throw new Error(`${file} has not both of ${marks.join(', ')}`)
  const text = `${marks[0]}\n\n${formatResults(results)}\n${marks[1]}`
  writeFileSync(file, page.slice(0, before) + text + page.slice(after + marks[1].length))
}

const headings: Readonly<Record<PartName, string>> = {
  throughput: 'Requests a second',
  growth: 'A thousand and a million rows',
  workers: 'Workers',
  latency: 'Waiting beside writes',
  crowd: 'Beside a crowd',
  start: 'Installing and starting',
  definitions: 'Small and large definitions',
  pages: 'Pages for people',
  postgres: 'PostgreSQL',
}

function formatResults(results: Results): string {
  const parts = partNames.map((name) => formatPart(name, results))
  return [formatClaims(results), ...parts].filter((text) => text !== '').join('\n')
}

function formatClaims(results: Results): string {
  const claims = claimsOf(results)
  const missed = claims.filter((claim) => holds(claim) === false).length
  const unmeasured = claims.filter((claim) => holds(claim) === undefined).length
  const summary = `Of ${claims.length} targets ${missed} are missed and ${unmeasured} not measured.`
  return `## Targets\n\n${summary}\n\n${formatMarkdown(claimTable(claims))}`
}

function formatPart(name: PartName, results: Results): string {
  const part = results[name]
  if (part === undefined) return ''
  // The part's own result goes with the part's own tables.
  const tables = (tablesOf[name] as (result: unknown) => readonly Table[])(part.result)
  const texts = tables.map(formatMarkdown).join('\n')
  const chart = name === 'throughput' ? '![Requests a second](performance.svg)\n\n' : ''
  return `## ${headings[name]}\n\n${formatCircumstances(part, name, results)}\n\n${chart}${texts}`
}

function formatCircumstances(
  { date, machine, setting }: Circumstances,
  name: PartName,
  { throughput, postgres }: Results,
): string {
  if (unloaded.includes(name)) return `${date}; ${machine}.`
  const rows = { throughput, postgres }[name as 'throughput' | 'postgres']?.result.rows
  const at = rows === undefined ? '' : ` ${rows.toLocaleString('en')} rows;`
  return `${date};${at} ${machine}; ${setting}.`
}

/** These have no load. */
const unloaded: readonly PartName[] = ['start', 'definitions', 'pages']
