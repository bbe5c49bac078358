/**
 * `npm run bench`: measures the service, the limits of its platform and other frameworks in one run
 * on one machine. Figures of different machines cannot be compared; ratios can.
 */

import { rmSync } from 'node:fs'
import { runFolder } from './cache.ts'
import { claimsOf, claimTable } from './claims.ts'
import { OptionFault, type Options, type PartName, readOptions, usage } from './options.ts'
import { measurePages } from './pages.ts'
import { measureCrowd } from './parts/crowd.ts'
import { measureDefinitions } from './parts/definitions.ts'
import { measureDemo } from './parts/demo.ts'
import { measureDerived } from './parts/derived.ts'
import { measureGrowth } from './parts/growth.ts'
import { measureLatency } from './parts/latency.ts'
import { measurePostgres } from './parts/postgres.ts'
import { measureStart } from './parts/start.ts'
import { measureTenants } from './parts/tenants.ts'
import { measureThroughput } from './parts/throughput.ts'
import { measureWorkers } from './parts/workers.ts'
import { tablesOf } from './report.ts'
import { circumstancesOf, type PartResults, type Results } from './results.ts'
import { type Run, runOf } from './run.ts'
import { formatTable, type Table } from './table.ts'

/** Returns undefined for a part that cannot be measured here, after printing why. */
const measures: {
  readonly [Name in PartName]: (run: Run) => Promise<PartResults[Name] | undefined>
} = {
  throughput: measureThroughput,
  demo: measureDemo,
  growth: measureGrowth,
  workers: measureWorkers,
  latency: measureLatency,
  crowd: measureCrowd,
  start: measureStart,
  definitions: measureDefinitions,
  pages: measurePages,
  tenants: measureTenants,
  derived: measureDerived,
  postgres: measurePostgres,
}

try {
  const options = readOptions(process.argv.slice(2))
  if (options === undefined) process.stdout.write(usage)
  else await bench(options)
} catch (error) {
  if (!(error instanceof OptionFault)) throw error
  process.stderr.write(`${error.message}\n\n${usage}`)
  process.exitCode = 2
}

async function bench(options: Options): Promise<void> {
  const { machine, setting } = circumstancesOf(options)
  process.stdout.write(`${machine}\n${setting}; ${options.parts.join(', ')}\n`)
  let results: Results = {}
  for (const name of options.parts) {
    // A folder of its own: a leftover database would distort the next part.
    const folder = runFolder()
    try {
      results = { ...results, ...(await measurePart(name, runOf(options, folder))) }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  printClaims(results, options)
}

async function measurePart(name: PartName, run: Run): Promise<Results> {
  process.stderr.write(`${name}\n`)
  const result = await measures[name](run)
  if (result === undefined) return {}
  // TypeScript cannot see that the result and the function belong to the same part.
  const tables = (tablesOf[name] as (result: unknown) => readonly Table[])(result)
  for (const table of tables) process.stdout.write(`\n${formatTable(table)}`)
  return { [name]: { ...circumstancesOf(run.options), result } }
}

function printClaims(results: Results, { rows }: Options): void {
  const claims = claimsOf(results).filter(({ figure }) => figure !== undefined)
  if (claims.length === 0) return
  const note = rows === 100_000 ? '' : ` (which are about 100000 rows, not ${rows})`
  process.stdout.write(`\nTargets${note}\n${formatTable(claimTable(claims))}`)
}
