/** A server of rows in a process of its own: tells its port, then its memory whenever it is asked. */

import { readFile } from 'node:fs/promises'
import { serve } from '../service.ts'
import { insertRows, rows } from './rows.ts'

const server = await serve(rows)
await insertRows(server, Number(process.argv[2]), 'x'.repeat(100))
process.send?.(server.port)
process.on('message', async (message) => {
  if (message === 'memory') process.send?.(await ownMemory())
  else {
    await server[Symbol.asyncDispose]()
    process.disconnect?.()
  }
})

/** Without the pages of the database that are mapped: those are the kernel's, and it takes them back. */
async function ownMemory(): Promise<number> {
  if (process.platform !== 'linux') return process.memoryUsage.rss()
  const status = await readFile('/proc/self/status', 'utf8')
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
}
