/** The options, limits and state that the modules of the server share. */

import type { Networks } from '../http/ip-network.ts'
import type { Fields, Handler, HttpResponse, Peer } from '../http/message.ts'
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
  /** The id of a request; by default the trace id of a trusted proxy, else a new UUIDv7. */
  readonly requestIdOf?: (fields: Fields | undefined, peer: Peer) => string
  /** The wall clock, in milliseconds. */
  readonly now?: () => number
}

export interface ServerContext {
  readonly options: ServerContextOptions
  readonly limits: SocketLimits
  readonly trusted: Networks
  readonly requestIdOf: (fields: Fields | undefined, peer: Peer) => string
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
