/** The options, limits and state that the modules of the server share. */

import { randomUUIDv7 } from 'node:crypto'
import type { Networks } from '../http/ip-network.ts'
import type { Fields, Handler, HttpResponse, Peer } from '../http/message.ts'
import { parseTraceParent } from '../http/trace-context.ts'
import type { Observer } from '../observation.ts'
import { Refusal, refuse } from '../refusal.ts'
import type { SocketLimits } from './socket-limits.ts'
import type { UnreadResponseLimit } from './unread-response-limit.ts'

export interface ServerContextOptions {
  readonly handle: Handler
  /** Creates the problem response; fields are undefined when the header section was not readable. */
  readonly refusalResponse: (refusal: Refusal, requestId: string, fields: Fields | undefined) => HttpResponse
  readonly observe: Observer
  /** Whether to refuse an arriving request, given how long the oldest waiting request has waited. */
  readonly refusesArrival?: (milliseconds: number) => boolean
  /** Whether requests to this target skip the queue and the refusal on arrival. */
  readonly isUrgent?: (target: string) => boolean
  readonly limits?: Partial<SocketLimits>
  /** The networks of trusted proxies; none by default. */
  readonly trusted?: Networks
  /** The wall clock, in milliseconds. */
  readonly now?: () => number
}

export interface ServerContext {
  readonly options: ServerContextOptions
  readonly limits: SocketLimits
  readonly trusted: Networks
  readonly now: () => number
  readonly sendBuffers: UnreadResponseLimit
  /** When true, every response has Connection: close. */
  stopping: boolean
  /** While set, responses wait for this promise. */
  responseHold: Promise<void> | undefined
}

export interface ServerRefusal {
  readonly id: string
  readonly method: string
  readonly refusal: Refusal
  readonly milliseconds: number
}

/** Returns the response to a refusal. Other errors are observed as bugs and become a plain 500. */
export function explainRefusal(
  server: ServerContext,
  error: unknown,
  requestId: string,
  fields: Fields | undefined,
): HttpResponse {
  const refusal = error instanceof Refusal ? error : refuse('internal-error', { cause: error })
  if (refusal.type === 'internal-error') {
    server.options.observe({ kind: 'bug', request: requestId, cause: refusal.cause })
  }
  try {
    return server.options.refusalResponse(refusal, requestId, fields)
  } catch (cause) {
    server.options.observe({ kind: 'bug', request: requestId, cause })
    return { status: refusal.status, fields: { 'Cache-Control': 'no-store' } }
  }
}

/** The id of a request: the trace id of a trusted proxy, else a new UUIDv7. */
export function requestIdOf({ trusted }: ServerContext, fields: Fields | undefined, peer: Peer): string {
  const traced = fields && trusted.has(peer.address) ? requestIdFromTrace(fields) : undefined
  return traced ?? randomUUIDv7()
}

/**
 * The trace id of `traceparent` in the form of a UUID, so that the logs of a trusted proxy and of the
 * service use the same id.
 */
function requestIdFromTrace(fields: Fields): string | undefined {
  const id = parseTraceParent(fields.traceparent)?.traceId
  return id?.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

export function isUrgent(
  { options }: ServerContext,
  { url }: { readonly url?: string | undefined },
): boolean {
  return options.isUrgent?.(url ?? '') === true
}

/** Observes a request that was refused before it had a route. */
export function observeRefusal(server: ServerContext, refused: ServerRefusal): void {
  const { refusal } = refused
  server.options.observe({
    kind: 'request',
    request: refused.id,
    method: refused.method,
    route: '-',
    status: refusal.status,
    milliseconds: refused.milliseconds,
    problem: refusal.type,
    ...(refusal.decision === undefined ? {} : { decision: refusal.decision }),
  })
}
