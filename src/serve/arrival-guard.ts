/** Refuses requests as they arrive, with a prepared 503, where there are more than can be carried. */

import { closeAfterResponse, type Exchange } from './connection.ts'
import { endsConnection } from './exchange.ts'
import { type PreparedRefusal, prepareUnavailable } from './prepared-refusal.ts'
import { longestWait } from './turn.ts'
import { WholeResponse } from './whole-response.ts'
import { isUrgent, noticeRefusal, type Wire } from './wire.ts'

/** Gives whether a request was refused; else it is handled as any other. */
export function arrivalGuard(wire: Wire): (exchange: Exchange) => boolean {
  const { refusesArrival } = wire.options
  if (refusesArrival === undefined) return () => false
  const prepared = prepareUnavailable(wire, 'arrival', 'The service is overloaded.')
  return (exchange) => {
    if (!refusesArrival(longestWait()) || isUrgent(wire, exchange.incoming)) return false
    return sendPrepared(wire, exchange, prepared())
  }
}

function sendPrepared(wire: Wire, exchange: Exchange, prepared: PreparedRefusal): boolean {
  const { response, incoming } = exchange
  if (!(response instanceof WholeResponse) || !response.isNext) return false
  if (!takesPrepared(wire, exchange)) return false
  const { id, refusal, staying, closing } = prepared
  const ends = endsConnection(wire, exchange, { status: refusal.status, fields: {} })
  if (ends) {
    closeAfterResponse(exchange, wire.limits.linger)
    response.endConnection()
  }
  response.sendWhole(refusal.status, ends ? closing : staying, undefined)
  noticeRefusal(wire, { id, method: incoming.method ?? '-', refusal, milliseconds: 0 })
  return true
}

/** Not where responses come before it, nor where it needs fields of its own, or no body. */
function takesPrepared(wire: Wire, { connection, incoming, section }: Exchange): boolean {
  if (connection.queue.length > 0 || wire.held !== undefined) return false
  if (incoming.method === 'HEAD' || incoming.httpVersionMinor === 0) return false
  return section.fields.origin === undefined
}
