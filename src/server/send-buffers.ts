/**
 * Response octets that clients have not read yet: bounded for each client and for the process, and
 * each client must read at a minimum rate.
 */

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { clientNetwork } from '../http/ip-network.ts'
import type { SocketLimits } from './socket-limits.ts'

export interface SendBuffers {
  /** Whether a response of so many octets may be buffered for the client at this address. */
  hasRoom(address: string, octets: number): boolean
  /** Counts the octets of a response that was just written, until the system has taken them. */
  add(address: string, response: ServerResponse, octets: number): void
  /** Requires the minimum rate of a connection until the function it gives is called. */
  watch(socket: Socket, octets: number): () => void
}

export function createSendBuffers(limits: SocketLimits): SendBuffers {
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
      return (
        ofClient + octets <= limits.bufferedPerClient && total + octets <= limits.bufferedPerProcess
      )
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

/** The responses on a connection that are not read yet: what is to be called when they are. */
const unsentResponses = new WeakMap<Socket, Set<() => void>>()

/** All of them are called when the connection closes, where Node tells responses in line nothing. */
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
  /** What the system had taken before. */
  readonly start: number
  /** Milliseconds in which octets waited for the client. */
  waited: number
}

function createRateWatch({
  checkInterval,
  readRate,
  readGrace,
}: SocketLimits): SendBuffers['watch'] {
  const watched = new Set<Watched>()
  let timer: NodeJS.Timeout | undefined

  function check(): void {
    for (const one of watched) {
      if (one.socket.writableLength === 0) continue
      one.waited += checkInterval
      const owed = (readRate * (one.waited - readGrace)) / 1000
      if (sentOctets(one.socket) - one.start < owed) one.socket.destroy()
    }
  }

  return (socket, octets) => {
    const one: Watched = { socket, start: socket.bytesWritten - octets, waited: 0 }
    watched.add(one)
    timer ??= setInterval(check, checkInterval).unref()
    return () => {
      watched.delete(one)
      if (watched.size > 0) return
      clearInterval(timer)
      timer = undefined
    }
  }
}

/** Octets that the system has taken; those of a write that it has taken in part are known to Node's handle alone. */
function sentOctets(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle')
  const queued: unknown =
    typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'writeQueueSize') : 0
  return socket.bytesWritten - (typeof queued === 'number' ? queued : 0)
}
