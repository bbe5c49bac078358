/**
 * Threads run from the bundles that test/run.ts makes, as in the package: a thread that runs from the sources loads many
 * files, and most tests start one. Without the runner threads run from the sources.
 */

import { syncBuiltinESMExports } from 'node:module'
import { basename, join } from 'node:path'
import workers, { type WorkerOptions } from 'node:worker_threads'

const { Worker } = workers
const bundles = join(import.meta.dirname, '../dist')

class BuiltWorker extends Worker {
  constructor(file: string | URL, options?: WorkerOptions) {
    super(bundleOf(String(file)), options)
  }
}

/** Returns the bundle of an entry file of src/; other files are returned as they are. */
function bundleOf(file: string): string {
  return /\/src\/.*-main\.ts$/.test(file) ? join(bundles, `${basename(file, '.ts')}.js`) : file
}

if (process.env.TEST_PACKAGE === 'built') {
  workers.Worker = BuiltWorker
  syncBuiltinESMExports()
}
