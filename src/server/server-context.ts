/** What the parts of the socket side share: its options, its limits, whether it is stopping. */

import type { Networks } from '../http/ip-network.ts'
import type { Fields, Handler, HttpResponse, Peer } from '../http/message.ts'
import type { Observer } from '../observation.ts'
import { Refusal, refuse } from '../refusal.ts'
import type { SendBuffers } from './send-buffers.ts'
import type { SocketLimits } from './socket-limits.ts'

export interface ServerContextOptions {
  readonly handle: Handler
  /** Makes the problem; fields are undefined where the header section could not be read. */
  readonly refusalResponse: (
    refusal: Refusal,
    requestId: string,
    fields: Fields | undefined,
  ) => HttpResponse
  readonly observe: Observer
  /** Whether a request is refused as it arrives; the first of those that wait has waited so long. */
  readonly refusesArrival?: (milliseconds: number) => boolean
  /** Whether the request to this target is answered before all others, and never refused so. */
  readonly isUrgent?: (target: string) => boolean
  readonly limits?: Partial<SocketLimits>
  /** The networks of proxies whose word on the client is taken; none by default. */
  readonly trusted?: Networks
  /** Names a request; a trusted proxy's trace id by default, else a new UUIDv7. */
  readonly requestIdOf?: (fields: Fields | undefined, peer: Peer) => string
  /** Methods that some resource here allows: what CONNECT is told in Allow. */
  readonly allow?: string
  /** The wall clock, in milliseconds. */
  readonly now?: () => number
}

export interface ServerContext {
  readonly options: ServerContextOptions
  readonly limits: SocketLimits
  readonly trusted: Networks
  readonly requestIdOf: (fields: Fields | undefined, peer: Peer) => string
  readonly now: () => number
  readonly sendBuffers: SendBuffers
  /** From now on every response says Connection: close. */
  stopping: boolean
  /** While set, responses wait for it. */
  responseHold: Promise<void> | undefined
}

export interface ServerRefusal {
  readonly id: string
  readonly method: string
  readonly refusal: Refusal
  readonly milliseconds: number
}

/** The response to a refusal, or to a bug: which is noticed, and never shown. */
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

/** A request that the service never saw is noticed here; it has no route. */
export function observeRefusal(server: ServerContext, refused: ServerRefusal): void {
  const { refusal } = refused
  server.options.observe({
    kind: 'request',
    request: refused.id,
    method: refused.method,
    route: '-',
    status: refusal.status,
    milliseconds: refused.milliseconds,
    ...(refusal.decision === undefined ? {} : { decision: refusal.decision }),
  })
}
