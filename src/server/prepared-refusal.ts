/**
 * Refusals with prepared octets, so that refusing costs far less than handling. Each second has
 * several variants with different Retry-After.
 */

import { randomUUIDv7 } from 'node:crypto'
import { type Refusal, unavailable } from '../refusal.ts'
import { memoizePerSecond } from '../tools/memoize.ts'
import { explainRefusal, type ServerContext } from './server-context.ts'
import { type Framing, formatResponse } from './write-response.ts'

export interface PreparedRefusal {
  /** Requests that are refused with the same octets share this id. */
  readonly id: string
  readonly refusal: Refusal
  /** The response in ISO 8859-1, for a connection that stays open and for one that closes. */
  readonly staying: string
  readonly closing: string
}

const variantsPerSecond = 8

/** Returns a function that returns prepared 503 responses in turn. `decision` is for logs and metrics. */
export function prepareUnavailable(
  server: ServerContext,
  decision: string,
  detail: string,
): () => PreparedRefusal {
  let next = 0
  const variants = memoizePerSecond(() =>
    Array.from({ length: variantsPerSecond }, () => prepare(server, decision, detail)),
  )
  return () => variants(server.now())[next++ % variantsPerSecond]!
}

function prepare(server: ServerContext, decision: string, detail: string): PreparedRefusal {
  const refusal = unavailable(detail)
  refusal.decision = decision
  const id = randomUUIDv7()
  const message = explainRefusal(server, refusal, id, undefined)
  const format = (connection: Framing['connection']) => {
    const framing = { requestId: id, method: undefined, secure: false, connection }
    return formatResponse(message, framing, server.now()).toString('latin1')
  }
  return { id, refusal, staying: format(undefined), closing: format('close') }
}
