/** Hands connections from the process that listens to a process that serves. */

import type { ChildProcess } from 'node:child_process'
import { Socket } from 'node:net'
import type { RpcConnection } from './rpc.ts'

export interface ConnectionHandoff {
  /** Sends the connection to the process. */
  send(socket: Socket): void
  /** The process has received the oldest unconfirmed connection. */
  confirm(): void
  /**
   * Takes back the unsent connections of a process that has ended, and closes the other unconfirmed
   * ones, because the process may have read from them.
   */
  reclaim(): readonly Socket[]
}

/** A connection that stays open here until the process confirms it. */
interface SentConnection {
  readonly socket: Socket
  /** Whether Node has sent it; Node sends one handle at a time. */
  sent: boolean
}

export function createConnectionHandoff(serving: ChildProcess): ConnectionHandoff {
  /** In the order they were sent. */
  const unconfirmed: SentConnection[] = []
  return {
    send(socket) {
      const connection: SentConnection = { socket, sent: false }
      unconfirmed.push(connection)
      serving.send({ kind: 'connection' }, socket, { keepOpen: true }, (error) => {
        connection.sent = error === null
      })
    },
    confirm() {
      unconfirmed.shift()?.socket.destroy()
    },
    reclaim() {
      const connections = unconfirmed.splice(0)
      for (const { socket, sent } of connections) if (sent) socket.destroy()
      return connections.filter(({ sent }) => !sent).map(({ socket }) => socket)
    },
  }
}

/** Receives the connections, in the process that serves. */
export function receiveConnections(
  listening: Pick<RpcConnection<{ connectionReceived(value: undefined): void }>, 'notify'>,
  serve: (socket: Socket) => void,
): void {
  process.on('message', (message: { readonly kind: string }, socket) => {
    if (message.kind !== 'connection') return
    listening.notify('connectionReceived', undefined)
    // Node sends no handle for a connection that has closed.
    if (socket instanceof Socket) serve(socket)
  })
}
