/** A port whose connections are handed on, unread, to whoever answers them. */

import { createServer, type Socket } from 'node:net'
import { connectionLimit } from './descriptors.ts'
import { untilQuiet } from './port.ts'
import { type Address, listen } from './server.ts'

export interface Door {
  readonly url: string
  readonly port: number
  /** Connections go there from now on, those that have waited first; undefined: they wait. */
  leadTo(hand: ((socket: Socket) => void) | undefined): void
  /** Hands on one that has come back. */
  admit(socket: Socket): void
  /** Resolves once nobody new comes and the port is closed; all that came have been handed on. */
  close(): Promise<void>
}

const mostWaiting = 1000

/** Rejects with an Error whose message says what to do where the address cannot be had. */
export async function openDoor(address: Address): Promise<Door> {
  const waiting: Socket[] = []
  let lead: ((socket: Socket) => void) | undefined
  const admit = (socket: Socket) => {
    if (lead) lead(socket)
    else if (waiting.length < mostWaiting) waiting.push(socket)
    else socket.destroy()
  }
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
    // Of one that is gone before it is handed on nobody need know.
    socket.on('error', () => undefined)
    admit(socket)
  })
  // Those that no worker has yet; Node closes one too many.
  server.maxConnections = connectionLimit()
  const { port, url } = await listen(server, address)
  return {
    url,
    port,
    admit,
    leadTo(hand) {
      lead = hand
      if (hand) for (const socket of waiting.splice(0)) hand(socket)
    },
    async close() {
      await untilQuiet(server)
      // Its callback would wait for connections that others have now.
      server.close()
      for (const socket of waiting.splice(0)) socket.destroy()
    },
  }
}
