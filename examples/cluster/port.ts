/** Ports that nobody uses. */

import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

export function freePort(): Promise<number> {
  return triedPort(0)
}

/** Rejects with what to do where the port is taken. */
export async function allowPort(port: number): Promise<void> {
  try {
    await triedPort(port)
  } catch (cause) {
    throw new Error(`Port ${port} cannot be had: choose another with PORT.`, { cause })
  }
}

/** Listens there for a moment; 0 is any free one. */
async function triedPort(port: number): Promise<number> {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  // A TCP server that listens has an address of this form.
  const tried = (server.address() as AddressInfo).port
  await new Promise((resolve) => server.close(resolve))
  return tried
}
