/** What every process that serves does about what nobody else answers for. */

import type { Notice } from '../http/happening.ts'

/** A bug outside any request ends the process, but not without a line in the log. */
export function watchProcess(notice: Notice): void {
  process.once('uncaughtException', (cause) => {
    notice({ kind: 'crash', cause })
    process.exit(1)
  })
  // Whoever read the log or the output is gone: nobody is left to tell, and requests go on.
  process.stdout.on('error', () => undefined)
  process.stderr.on('error', () => undefined)
}
