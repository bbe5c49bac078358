/** A thread that runs the program of the writer for one database after the other; see reused-writer.ts. */

import { syncBuiltinESMExports } from 'node:module'
import workers, { type MessagePort, parentPort } from 'node:worker_threads'

export interface WriterStart {
  /** The URL of the program. */
  readonly program: string
  readonly data: unknown
  readonly port: MessagePort
}

const host = parentPort as MessagePort
let runs = 0

host.on('message', async ({ program, data, port }: WriterStart) => {
  runs += 1
  // The program reads both while it is evaluated, and closes the port at its end.
  Object.assign(workers, { workerData: data, parentPort: port })
  syncBuiltinESMExports()
  port.once('close', () => host.postMessage('ended'))
  // Each URL is a module of its own, with its own state.
  await import(`${program}?run=${runs}`)
})
