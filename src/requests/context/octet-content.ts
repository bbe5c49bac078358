/** Content that is complete in memory, of a request that did not arrive on a socket. */

import type { Content } from '../../http/message.ts'
import { refuse } from '../../refusal.ts'

/** The octets as content; refuses 413 when they are read with a lower limit. */
export function octetContent(octets: Uint8Array): Content {
  const read = async (limit: number) => {
    if (octets.length > limit) throw refuse('content-too-large')
    return octets
  }
  return {
    present: octets.length > 0,
    length: octets.length,
    read,
    async *stream(limit) {
      yield await read(limit)
    },
  }
}
