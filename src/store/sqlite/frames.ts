/** Messages over a stream of octets: each after its length. A message may be empty. */

import type { Duplex } from 'node:stream'

export interface Frames {
  send(octets: Uint8Array): void
}

const HEADER = 4

/** Hands each message to `receive` in memory of its own, which may be transferred. */
export function framesOver(
  stream: Duplex,
  receive: (octets: Uint8Array<ArrayBuffer>) => void,
): Frames {
  let rest: Buffer = Buffer.alloc(0)
  stream.on('data', (chunk: Buffer) => {
    let octets = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    while (octets.length >= HEADER) {
      const end = HEADER + octets.readUInt32LE(0)
      if (octets.length < end) break
      receive(new Uint8Array(octets.subarray(HEADER, end)))
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
