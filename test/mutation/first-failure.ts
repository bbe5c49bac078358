/**
 * Runs the given test files in this one process, which is quicker than a process for each, and ends
 * at the first test that fails: its file is the last line printed, and the exit status is 1. When all
 * pass, the last line is a JSON object with the milliseconds of each file.
 */

import { relative } from 'node:path'
import { run } from 'node:test'

const durations: Record<string, number> = {}

run({ files: process.argv.slice(2), isolation: 'none', concurrency: 1 })
  .on('test:fail', ({ file, name, todo }) => {
    if (todo !== undefined) return
    process.stdout.write(`\n${nameOf(file) ?? name}`)
    process.exit(1)
  })
  .on('test:pass', ({ file, name, nesting, details }) => {
    if (nesting > 0) return
    const key = nameOf(file) ?? name
    durations[key] = (durations[key] ?? 0) + details.duration_ms
  })
  .on('end', () => {
    process.stdout.write(`\n${JSON.stringify(durations)}`)
    process.exit(0)
  })
  .resume()

function nameOf(file: string | undefined): string | undefined {
  return file === undefined ? undefined : relative(process.cwd(), file)
}
