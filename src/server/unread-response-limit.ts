/**
 * Limits the unread response octets per client and per process, and requires a minimum read rate of
 * clients.
 */

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { clientNetwork } from '../http/ip-network.ts'
import type { SocketLimits } from './socket-limits.ts'

export interface UnreadResponseLimit {
  /** Whether a response of so many octets may be buffered for the client at this address. */
  hasRoom(address: string, octets: number): boolean
  /** Counts the octets of a written response until the system has taken them. */
  add(address: string, response: ServerResponse, octets: number): void
  /** Closes the connection when it is slower than the minimum rate, until the returned function is called. */
  watch(socket: Socket, octets: number): () => void
}

export function createUnreadResponseLimit(limits: SocketLimits): UnreadResponseLimit {
  const perClient = new Map<string, number>()
  let total = 0
  const watch = createRateWatch(limits)

  function change(client: string, octets: number): void {
    const left = (perClient.get(client) ?? 0) + octets
    if (left > 0) perClient.set(client, left)
    else perClient.delete(client)
    total += octets
  }

  return {
    hasRoom(address, octets) {
      const ofClient = perClient.get(clientNetwork(address)) ?? 0
      return ofClient + octets <= limits.bufferedPerClient && total + octets <= limits.bufferedPerProcess
    },
    add(address, response, octets) {
      const client = clientNetwork(address)
      const { socket } = response.req
      const unwatch = watch(socket, octets)
      const unread = unsentOf(socket)
      const release = () => {
        if (!unread.delete(release)) return
        unwatch()
        change(client, -octets)
      }
      unread.add(release)
      change(client, octets)
      response.once('finish', release)
    },
    watch,
  }
}

/** The release functions of the unread responses of each connection. */
const unsentResponses = new WeakMap<Socket, Set<() => void>>()

/** Releases all on close, since Node emits no event for queued responses. */
function unsentOf(socket: Socket): Set<() => void> {
  const known = unsentResponses.get(socket)
  if (known) return known
  const unread = new Set<() => void>()
  unsentResponses.set(socket, unread)
  socket.once('close', () => {
    for (const release of unread) release()
  })
  return unread
}

interface Watched {
  readonly socket: Socket
  /** Octets that the system had taken at the start. */
  readonly start: number
  /** Milliseconds in which octets were unread. */
  waited: number
}

function createRateWatch({ checkInterval, readRate, readGrace }: SocketLimits): UnreadResponseLimit['watch'] {
  const watched = new Set<Watched>()
  let timer: NodeJS.Timeout | undefined

  function check(): void {
    for (const entry of watched) {
      if (entry.socket.writableLength === 0) continue
      entry.waited += checkInterval
      const required = (readRate * (entry.waited - readGrace)) / 1000
      if (sentOctets(entry.socket) - entry.start < required) entry.socket.destroy()
    }
  }

  return (socket, octets) => {
    const entry: Watched = { socket, start: socket.bytesWritten - octets, waited: 0 }
    watched.add(entry)
    timer ??= setInterval(check, checkInterval).unref()
    return () => {
      watched.delete(entry)
      if (watched.size > 0) return
      clearInterval(timer)
      timer = undefined
    }
  }
}

/** Octets that the system has taken. Only Node's handle knows those of a partial write. */
function sentOctets(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle')
  const queued: unknown =
    typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'writeQueueSize') : 0
  return socket.bytesWritten - (typeof queued === 'number' ? queued : 0)
}
