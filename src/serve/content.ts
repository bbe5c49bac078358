/** The content of a request, read from the socket when and only when it is wanted. */

import type { IncomingMessage } from 'node:http'
import type { Content, Fields } from '../http/message.ts'
import { type Refusal, refuse } from '../refusal.ts'

/** What the socket side knows of a content besides what the service sees. */
export interface IncomingContent extends Content {
  /** Octets still to come; undefined where only the end will tell. */
  readonly remaining: number | undefined
  /** Makes a read, running or to come, refuse with this. */
  fail(refusal: Refusal): void
}

/** `onFirstRead` is called once, when the content is wanted and some is to come. */
export function contentOf(
  incoming: IncomingMessage,
  fields: Fields,
  onFirstRead: () => void,
): IncomingContent {
  const length =
    fields['content-length'] === undefined ? undefined : Number(fields['content-length'])
  const chunked = fields['transfer-encoding'] !== undefined
  const present = chunked || (length !== undefined && length > 0)
  let failure: Refusal | undefined
  let rejectRead: ((refusal: Refusal) => void) | undefined
  let received = 0
  let wanted = false

  function read(limit: number): Promise<Uint8Array> {
    if (wanted) return Promise.reject(new Error('The content of a request is read once.'))
    wanted = true
    if (!present) return Promise.resolve(noOctets)
    if (failure !== undefined) return Promise.reject(failure)
    if (length !== undefined && length > limit) return Promise.reject(tooLarge(limit))
    onFirstRead()
    return collect(limit)
  }

  function collect(limit: number): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const parts: Uint8Array[] = []
      const refuseWith = (refusal: Refusal) => {
        incoming.off('data', onData)
        reject(refusal)
      }
      const onData = (part: Uint8Array) => {
        received += part.length
        // RFC 9112 §7.1: of chunks the sum is known only as they come.
        if (received > limit) refuseWith(tooLarge(limit))
        else parts.push(part)
      }
      rejectRead = refuseWith
      incoming.on('data', onData)
      incoming.on('end', () => resolve(parts.length === 1 ? parts[0]! : Buffer.concat(parts)))
      incoming.on('error', (cause) => refuseWith(incomplete(cause)))
      incoming.on('close', () => refuseWith(incomplete(undefined)))
    })
  }

  return {
    present,
    length: chunked ? undefined : (length ?? 0),
    read,
    get remaining() {
      if (incoming.complete) return 0
      return chunked ? undefined : (length ?? 0) - received
    },
    fail(refusal) {
      failure ??= refusal
      rejectRead?.(refusal)
    },
  }
}

const noOctets = new Uint8Array(0)

function tooLarge(limit: number): Refusal {
  return refuse('content-too-large', { detail: `The content may have ${limit} octets.` })
}

function incomplete(cause: unknown): Refusal {
  return refuse('malformed-request', { detail: 'The content ended before its length.', cause })
}
