/** The context of a request: caller, target, method and the negotiated format, known before anything is loaded. */

import type { Credentials } from '../../access/authenticate.ts'
import type { Principal } from '../../access/principal.ts'
import type { InterfaceVersion } from '../../definition/interface-version.ts'
import type { Format } from '../../formats/format.ts'
import type { Method } from '../../http/method.ts'
import type { IdempotencyKey, ServiceContext, Unit } from './service-context.ts'
import type { Target } from './target.ts'

/** The request after authentication and content negotiation, before its content is read. */
export interface RequestContext<T extends Target = Target> {
  readonly service: RequestService
  /** The store and the model that it reads and writes with. */
  readonly unit: Unit
  readonly caller: Principal
  readonly admission: Admission
  /** The id of the request, which the log and the change log record. */
  readonly requestId: string
  /** The address of the client. */
  readonly address: string
  readonly method: Method
  readonly target: T
  readonly format: Format
  /** The older version of the interface that it uses; undefined: the present one. */
  readonly version?: InterfaceVersion
  /** The scheme and authority that the client used. */
  readonly origin: string
  readonly coding: CodingChoice
  readonly preferences: Preferences
  /** Whether a session cookie came with it, also where it does not count because a page of another site sent it. */
  readonly hasCookie?: boolean
  /** Whether nothing is to be stored. */
  readonly isDryRun?: boolean
  /** Held until the response is complete; dry runs have none. */
  readonly idempotencyKey?: IdempotencyKey
  /** Whether it writes no row that earlier requests wait for: it waits after them. */
  readonly givesWay?: boolean
}

/** How and when the caller of a request was found: its content may come long after. */
export interface Admission {
  readonly credentials: Credentials
  /** In milliseconds. */
  readonly at: number
}

/** The service without its store: a request uses that of its unit. */
export type RequestService = Omit<ServiceContext, 'store'>

/** Whether the target is of one of these kinds; narrows the type of the context. */
export function hasTarget<Kind extends Target['kind']>(
  context: RequestContext,
  ...kinds: readonly Kind[]
): context is RequestContext<Extract<Target, { readonly kind: Kind }>> {
  return kinds.some((kind) => kind === context.target.kind)
}

/** The preferences that can be applied to the request (RFC 7240), by name. */
export type Preferences = ReadonlyMap<string, string>

export interface CodingChoice {
  readonly coding: 'identity' | 'gzip' | 'br' | 'zstd'
  /** Whether even small content must be coded, because the client excludes `identity`. */
  readonly isRequired: boolean
}
