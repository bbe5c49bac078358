/**
 * Threads run from the bundles that test/run.ts makes, as in the package: a thread that runs from the sources loads many
 * files, and most tests start one. Writers share threads, except in a soak. Without the runner threads run from the
 * sources, each by itself.
 */

import { syncBuiltinESMExports } from 'node:module'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import workers, { type WorkerOptions } from 'node:worker_threads'
import { isFull } from './cases.ts'
import { ReusedWriter } from './reused-writer.ts'

const { Worker } = workers
const bundles = join(import.meta.dirname, '../dist')

/** In the place of the constructor of `Worker`. */
function BuiltWorker(file: string | URL, options?: WorkerOptions) {
  const program = bundleOf(String(file))
  const reuses = !isFull && basename(program) === 'writer-main.js'
  return reuses ? new ReusedWriter(pathToFileURL(program).href, options) : new Worker(program, options)
}

/** Returns the bundle of an entry file of src/; other files are returned as they are. */
function bundleOf(file: string): string {
  return /\/src\/.*-main\.ts$/.test(file) ? join(bundles, `${basename(file, '.ts')}.js`) : file
}

if (process.env.TEST_PACKAGE === 'built') {
  workers.Worker = BuiltWorker as unknown as typeof Worker
  syncBuiltinESMExports()
}
