/**
 * `npm run bench`: the service beside the limits of its platform and beside its peers, in one run
 * on one machine. Figures of different machines cannot be compared; the ratios can.
 */

import { rmSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { runFolder } from './cache.ts'
import { loader } from './load.ts'
import { type Options, readOptions, usage } from './options.ts'
import { measurePostgres } from './parts/postgres.ts'
import { measureThroughput } from './parts/throughput.ts'
import { costTable, memoryTable, throughputTable } from './report.ts'
import { connections, runOf } from './run.ts'
import { formatTable } from './table.ts'

const options = readOptions(process.argv.slice(2))
if (options === undefined) process.stdout.write(usage)
else await bench(options)

async function bench(options: Options): Promise<void> {
  const folder = runFolder()
  try {
    process.stdout.write(`${machine()}; ${settingText(options)}\n`)
    const run = runOf(options, folder)
    if (options.parts.includes('throughput')) {
      const result = await measureThroughput(run)
      for (const table of [throughputTable, costTable, memoryTable]) {
        process.stdout.write(`\n${formatTable(table(result))}`)
      }
    }
    if (options.parts.includes('postgres')) {
      const result = await measurePostgres(run)
      for (const table of [throughputTable, costTable]) {
        process.stdout.write(`\n${formatTable(table(result))}`)
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function machine(): string {
  const [{ model } = { model: 'unknown' }] = cpus()
  return `${availableParallelism()} × ${model}, ${process.platform}, Node.js ${process.version}`
}

function settingText({ rounds, seconds, parts }: Options): string {
  const how = `${loader}, ${connections} connections, ${rounds} rounds of ${seconds} s`
  return `${how}; parts: ${parts.join(', ')}`
}
