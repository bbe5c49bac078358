/**
 * Stops reading connections while many requests wait: what is not read costs nothing, and waits in
 * the system. Connections are read on in the order in which they were answered.
 */

import type { Socket } from 'node:net'
import { countWaiting } from './request-batching.ts'

/** Requests that wait for their turn before answered connections are no longer read. */
const maxWaitingRequests = 128

const pausedSockets = new Set<Socket>()

/** Reads on after a response: now, or when fewer requests wait. */
export function resumeReading(socket: Socket): void {
  if (countWaiting() < maxWaitingRequests) {
    if (socket.isPaused()) socket.resume()
    return
  }
  if (pausedSockets.size === 0) setImmediate(resumePaused)
  socket.pause()
  pausedSockets.add(socket)
}

function resumePaused(): void {
  let places = maxWaitingRequests - countWaiting()
  for (const socket of pausedSockets) {
    if (places <= 0) break
    places -= 1
    pausedSockets.delete(socket)
    socket.resume()
  }
  if (pausedSockets.size > 0) setImmediate(resumePaused)
}
