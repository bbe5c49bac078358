/** Closes a port without resetting connections that wait to be accepted. */

import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { SocketServer } from './request-listener.ts'

/** Milliseconds between two checks for new connections, and the largest number of checks. */
const checkInterval = 10
const maxChecks = 30
/** Turns of the event loop to wait for; Node accepts one connection per turn. */
const maxTurns = 1000

/**
 * When a port closes, the system resets the connections that wait to be accepted. So responses are
 * held until no new connections arrive: clients without a response do not connect again. `gone`
 * resolves when the last connection has closed.
 */
export async function closePort(server: Server, socketServer: SocketServer) {
  const release = socketServer.holdResponses()
  await waitForNoNewConnections(server)
  const gone = stopListening(server)
  release()
  return { gone }
}

/** Resolves when no new connections arrive. */
export async function waitForNoNewConnections(server: NetServer): Promise<void> {
  let arrivals = 0
  const count = () => {
    arrivals += 1
  }
  const isQuiet = async (interval: Promise<unknown>) => {
    const before = arrivals
    await interval
    return arrivals === before
  }
  server.on('connection', count)
  for (let check = 0; check < maxChecks && !(await isQuiet(pause(checkInterval))); check += 1);
  for (let turn = 0; turn < maxTurns && !(await isQuiet(nextTurn())); turn += 1);
  server.off('connection', count)
}

/** Node's own `close` also stops the request timeouts; this does so after the last connection closes. */
function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    NetServer.prototype.close.call(server, () => {
      server.close()
      resolve()
    })
  })
}
