/** Hands connections from the process that listens to a process that serves. */

import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'

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

export function createConnectionHandoff(process: ChildProcess): ConnectionHandoff {
  /** In the order they were sent. */
  const unconfirmed: SentConnection[] = []
  return {
    send(socket) {
      const connection: SentConnection = { socket, sent: false }
      unconfirmed.push(connection)
      process.send({ kind: 'connection' }, socket, { keepOpen: true }, (error) => {
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
