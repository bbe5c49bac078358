/** A server of rows in another process: sends its port, then its memory on each message. */

import { serve } from '../service.ts'
import { rows } from './rows.ts'

const server = await serve(rows, { database: process.argv[2] as string })
process.send?.(server.port)
process.on('message', async (message) => {
  // All of it: heap, caches, and pages of the file that are mapped.
  if (message === 'memory') process.send?.(process.memoryUsage.rss())
  else {
    await server[Symbol.asyncDispose]()
    process.disconnect?.()
  }
})
