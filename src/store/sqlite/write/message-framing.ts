/** Messages over a stream of octets: each after its length. */

import type { Duplex } from 'node:stream'

export interface FramedMessages {
  send(octets: Uint8Array): void
}

const HEADER = 4

export function framedMessages(
  stream: Duplex,
  receive: (octets: Uint8Array) => void,
): FramedMessages {
  let rest: Buffer = Buffer.alloc(0)
  stream.on('data', (chunk: Buffer) => {
    let octets = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    while (octets.length >= HEADER) {
      const end = HEADER + octets.readUInt32LE(0)
      if (octets.length < end) break
      receive(octets.subarray(HEADER, end))
      octets = octets.subarray(end)
    }
    rest = octets
  })
  return {
    send(octets) {
      const frame = Buffer.allocUnsafe(HEADER + octets.length)
      frame.writeUInt32LE(octets.length, 0)
      frame.set(octets, HEADER)
      stream.write(frame)
    },
  }
}
