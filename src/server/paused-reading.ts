/**
 * Pauses reading from connections while many requests wait. Unread requests stay in the system's
 * buffers and cost this process nothing. Paused connections resume in order.
 */

import type { Socket } from 'node:net'
import { countWaiting } from './request-batching.ts'

/** From this number of waiting requests on, connections are paused after their response. */
const maxWaitingRequests = 128

const pausedSockets = new Set<Socket>()

/** Resumes reading after a response: at once, or when fewer requests wait. */
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
  let room = maxWaitingRequests - countWaiting()
  for (const socket of pausedSockets) {
    if (room <= 0) break
    room -= 1
    pausedSockets.delete(socket)
    socket.resume()
  }
  if (pausedSockets.size > 0) setImmediate(resumePaused)
}
