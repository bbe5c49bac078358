/** The moment the port closes: nobody who got through is cut off. */

import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { SocketServer } from './request-listener.ts'

/** Milliseconds between two looks for new connections, and how many looks at most. */
const checkInterval = 10
const maxChecks = 30
/** Turns of the event loop in which connections that wait are accepted, one in each. */
const maxTurns = 1000

/**
 * The system resets connections that wait to be accepted when the port closes, with the requests
 * already sent on them. So answers are held back until nobody new comes: who has no answer does
 * not connect again. `gone` resolves once the last connection is.
 */
export async function closePort(server: Server, socketServer: SocketServer) {
  const release = socketServer.holdResponses()
  await waitForNoNewConnections(server)
  const gone = stopListening(server)
  release()
  return { gone }
}

/** Until nobody new comes. */
export async function waitForNoNewConnections(server: NetServer): Promise<void> {
  let arrivals = 0
  const count = () => {
    arrivals += 1
  }
  const isQuiet = async (moment: Promise<unknown>) => {
    const before = arrivals
    await moment
    return arrivals === before
  }
  server.on('connection', count)
  for (let look = 0; look < maxChecks && !(await isQuiet(pause(checkInterval))); look += 1);
  for (let turn = 0; turn < maxTurns && !(await isQuiet(nextTurn())); turn += 1);
  server.off('connection', count)
}

/**
 * Node's own close would also end the watch for late requests; here it goes on until the last
 * connection is gone.
 */
function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => {
    NetServer.prototype.close.call(server, () => {
      server.close()
      resolve()
    })
  })
}
