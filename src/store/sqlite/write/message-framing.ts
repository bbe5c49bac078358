/** Messages over a byte stream, each preceded by its length. */

import type { Duplex } from 'node:stream'

export interface FramedMessages {
  send(octets: Uint8Array): void
}

const headerLength = 4

/** Calls `receive` for each message of the stream; returns the sender. */
export function frameMessages(stream: Duplex, receive: (octets: Uint8Array) => void): FramedMessages {
  let rest: Buffer = Buffer.alloc(0)
  stream.on('data', (chunk: Buffer) => {
    let octets = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    while (octets.length >= headerLength) {
      const end = headerLength + octets.readUInt32LE(0)
      if (octets.length < end) break
      receive(octets.subarray(headerLength, end))
      octets = octets.subarray(end)
    }
    rest = octets
  })
  return {
    send(octets) {
      const frame = Buffer.allocUnsafe(headerLength + octets.length)
      frame.writeUInt32LE(octets.length, 0)
      frame.set(octets, headerLength)
      stream.write(frame)
    },
  }
}
