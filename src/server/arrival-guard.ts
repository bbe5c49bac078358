/** Refuses requests on arrival with a prepared 503 when the service is overloaded. */

import { closeAfterResponse, type Exchange } from './connection.ts'
import { type PreparedRefusal, prepareUnavailable } from './prepared-refusal.ts'
import { endsConnection } from './process-requests.ts'
import { longestWait } from './request-batching.ts'
import { isUrgent, observeRefusal, type ServerContext } from './server-context.ts'
import { SingleWriteResponse } from './single-write-response.ts'

/** Returns a function that refuses a request, or returns false when it is to be handled. */
export function createArrivalGuard(server: ServerContext): (exchange: Exchange) => boolean {
  const { refusesArrival } = server.options
  if (refusesArrival === undefined) return () => false
  const prepared = prepareUnavailable(server, 'arrival', 'The service is overloaded.')
  return (exchange) => {
    if (!refusesArrival(longestWait()) || isUrgent(server, exchange.incoming)) return false
    return sendPrepared(server, exchange, prepared())
  }
}

function sendPrepared(server: ServerContext, exchange: Exchange, prepared: PreparedRefusal): boolean {
  const { response, incoming } = exchange
  if (!(response instanceof SingleWriteResponse) || !response.isNext) return false
  if (!canSendPrepared(server, exchange)) return false
  const { id, refusal, staying, closing } = prepared
  const ends = endsConnection(server, exchange, { status: refusal.status, fields: {} })
  if (ends) {
    closeAfterResponse(exchange, server.limits.linger)
    response.closeConnectionWhenSent()
  }
  response.sendComplete(refusal.status, ends ? closing : staying, undefined)
  observeRefusal(server, { id, method: incoming.method ?? '-', refusal, milliseconds: 0 })
  return true
}

/** A prepared response has fixed octets: no HEAD, HTTP/1.0 or CORS, and no earlier response pending. */
function canSendPrepared(server: ServerContext, { connection, incoming, headerSection }: Exchange): boolean {
  if (connection.queue.length > 0 || server.responseHold !== undefined) return false
  if (incoming.method === 'HEAD' || incoming.httpVersionMinor === 0) return false
  return headerSection.fields.origin === undefined
}
