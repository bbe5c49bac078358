/** A port whose connections are handed on, unread, to whoever answers them. */

import { createServer, type Socket } from 'node:net'
import { connectionLimit } from './descriptor-limit.ts'
import { waitForNoNewConnections } from './graceful-close.ts'
import { type Address, listen } from './server.ts'

export interface Acceptor {
  readonly url: string
  readonly port: number
  /** Connections go there from now on, those that have waited first; undefined: they wait. */
  setHandler(hand: ((socket: Socket) => void) | undefined): void
  /** Hands on one that has come back. */
  accept(socket: Socket): void
  /** Resolves once nobody new comes and the port is closed; all that came have been handed on. */
  close(): Promise<void>
}

const maxWaiting = 1000

/** Rejects with an Error whose message says what to do where the address cannot be had. */
export async function openAcceptor(address: Address): Promise<Acceptor> {
  const waiting: Socket[] = []
  let handler: ((socket: Socket) => void) | undefined
  const accept = (socket: Socket) => {
    if (handler) handler(socket)
    else if (waiting.length < maxWaiting) waiting.push(socket)
    else socket.destroy()
  }
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
    // Of one that is gone before it is handed on nobody need know.
    socket.on('error', () => undefined)
    accept(socket)
  })
  // Those that no worker has yet; Node closes one too many.
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
      // Its callback would wait for connections that others have now.
      server.close()
      for (const socket of waiting.splice(0)) socket.destroy()
    },
  }
}
