/** Free TCP ports. */

import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

export function freePort(): Promise<number> {
  return tryPort(0)
}

/** Rejects if the port is in use. */
export async function allowPort(port: number): Promise<void> {
  try {
    await tryPort(port)
  } catch (cause) {
    throw new Error(`Port ${port} is not available. Set PORT to another one.`, { cause })
  }
}

/** Listens on the port briefly and returns it; 0 chooses a free port. */
async function tryPort(port: number): Promise<number> {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  // A TCP server that listens has an address of this form.
  const { port: boundPort } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return boundPort
}
