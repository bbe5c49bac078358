/** What the parts of the socket side share: its options, its limits, whether it is stopping. */

import type { Notice } from '../http/happening.ts'
import type { Fields, Handler, HttpResponse, Peer } from '../http/message.ts'
import type { Networks } from '../http/network.ts'
import { Refusal, refuse } from '../refusal.ts'
import type { WireLimits } from './limits.ts'
import type { SendBuffers } from './send-buffers.ts'

export interface WireOptions {
  readonly handle: Handler
  /** Makes the problem; fields are undefined where the header section could not be read. */
  readonly refusalResponse: (
    refusal: Refusal,
    requestId: string,
    fields: Fields | undefined,
  ) => HttpResponse
  readonly notice: Notice
  /** Whether a request is refused as it arrives; the first of those that wait has waited so long. */
  readonly refusesArrival?: (milliseconds: number) => boolean
  /** Whether the request to this target is answered before all others, and never refused so. */
  readonly isUrgent?: (target: string) => boolean
  readonly limits?: Partial<WireLimits>
  /** The networks of proxies whose word on the client is taken; none by default. */
  readonly trusted?: Networks
  /** Names a request; a trusted proxy's trace id by default, else a new UUIDv7. */
  readonly requestIdOf?: (fields: Fields | undefined, peer: Peer) => string
  /** Methods that some resource here allows: what CONNECT is told in Allow. */
  readonly allow?: string
  /** The wall clock, in milliseconds. */
  readonly now?: () => number
}

export interface Wire {
  readonly options: WireOptions
  readonly limits: WireLimits
  readonly trusted: Networks
  readonly requestIdOf: (fields: Fields | undefined, peer: Peer) => string
  readonly now: () => number
  readonly sendBuffers: SendBuffers
  /** From now on every response says Connection: close. */
  stopping: boolean
  /** While set, responses wait for it. */
  held: Promise<void> | undefined
}

export interface WireRefusal {
  readonly id: string
  readonly method: string
  readonly refusal: Refusal
  readonly milliseconds: number
}

/** The response to a refusal, or to a bug: which is noticed, and never shown. */
export function explainRefusal(
  wire: Wire,
  error: unknown,
  requestId: string,
  fields: Fields | undefined,
): HttpResponse {
  const refusal = error instanceof Refusal ? error : refuse('internal-error', { cause: error })
  if (refusal.type === 'internal-error') {
    wire.options.notice({ kind: 'bug', request: requestId, cause: refusal.cause })
  }
  try {
    return wire.options.refusalResponse(refusal, requestId, fields)
  } catch (cause) {
    wire.options.notice({ kind: 'bug', request: requestId, cause })
    return { status: refusal.status, fields: { 'Cache-Control': 'no-store' } }
  }
}

export function isUrgent(
  { options }: Wire,
  { url }: { readonly url?: string | undefined },
): boolean {
  return options.isUrgent?.(url ?? '') === true
}

/** A request that the service never saw is noticed here; it has no route. */
export function noticeRefusal(wire: Wire, refused: WireRefusal): void {
  const { refusal } = refused
  wire.options.notice({
    kind: 'request',
    request: refused.id,
    method: refused.method,
    route: '-',
    status: refusal.status,
    milliseconds: refused.milliseconds,
    ...(refusal.decision === undefined ? {} : { decision: refusal.decision }),
  })
}
