/**
 * Runs the given test files in this one process, which is quicker than a process for each, and ends
 * at the first test that fails: its file is the last line printed, and the exit status is 1.
 */

import { relative } from 'node:path'
import { run } from 'node:test'

run({ files: process.argv.slice(2), isolation: 'none', concurrency: 1 })
  .on('test:fail', ({ file, name, todo }) => {
    if (todo !== undefined) return
    process.stdout.write(`\n${file === undefined ? name : relative(process.cwd(), file)}`)
    process.exit(1)
  })
  .on('end', () => process.exit(0))
  .resume()
