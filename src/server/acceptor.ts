/** Listens on a port and passes each connection, unread, to a handler. */

import { createServer, type Socket } from 'node:net'
import { waitForNoNewConnections } from './close-port.ts'
import { connectionLimit } from './descriptor-limit.ts'
import { type Address, listen } from './server.ts'

export interface Acceptor {
  readonly url: string
  readonly port: number
  /** Passes connections to the handler, waiting ones first; with undefined they wait. */
  setHandler(hand: ((socket: Socket) => void) | undefined): void
  /** Passes on a connection that a worker returned. */
  accept(socket: Socket): void
  /** Closes the port when no new connections arrive; all accepted ones have been passed on. */
  close(): Promise<void>
}

const maxWaiting = 1000

/** Resolves when the port is open. Rejects with an OperatorFault. */
export async function openAcceptor(address: Address): Promise<Acceptor> {
  const waiting: Socket[] = []
  let handler: ((socket: Socket) => void) | undefined
  const accept = (socket: Socket) => {
    if (handler) handler(socket)
    else if (waiting.length < maxWaiting) waiting.push(socket)
    else socket.destroy()
  }
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
    // Ignore errors on sockets closed before hand-off.
    socket.on('error', () => undefined)
    accept(socket)
  })
  // Node closes connections beyond this number of unhanded ones.
  server.maxConnections = connectionLimit()
  const { port, url } = await listen(server, address)
  return {
    url,
    port,
    accept,
    setHandler(hand) {
      handler = hand
      if (hand) for (const socket of waiting.splice(0)) hand(socket)
    },
    async close() {
      await waitForNoNewConnections(server)
      // Its callback would wait for connections that workers own.
      server.close()
      for (const socket of waiting.splice(0)) socket.destroy()
    },
  }
}
