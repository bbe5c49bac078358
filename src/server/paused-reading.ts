/**
 * Stops reading connections while many requests wait: what is not read costs nothing, and waits in
 * the system. Connections are read on in the order in which they were answered.
 */

import type { Socket } from 'node:net'
import { countWaiting } from './request-batching.ts'

/** Requests that wait for their turn before answered connections are no longer read. */
const MOST_WAITING = 128

const unread = new Set<Socket>()

/** Reads on after a response: now, or when fewer requests wait. */
export function resumeReading(socket: Socket): void {
  if (countWaiting() < MOST_WAITING) {
    if (socket.isPaused()) socket.resume()
    return
  }
  if (unread.size === 0) setImmediate(readNext)
  socket.pause()
  unread.add(socket)
}

function readNext(): void {
  let places = MOST_WAITING - countWaiting()
  for (const socket of unread) {
    if (places <= 0) break
    places -= 1
    unread.delete(socket)
    socket.resume()
  }
  if (unread.size > 0) setImmediate(readNext)
}
