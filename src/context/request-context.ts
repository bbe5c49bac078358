/** What is asked, by whom, of what, and how it is to be shown: settled before anything is loaded. */

import type { HashRequester } from '../access/hash-queue.ts'
import { callerKey, type Principal } from '../access/principal.ts'
import type { Representation } from '../representations/representation.ts'
import type { IdempotencyKey, ServiceContext } from './service-context.ts'
import type { Target } from './target.ts'

/** As far as it is known before the request's content is looked at. */
export interface NegotiatedRequest<T extends Target = Target> {
  readonly service: ServiceContext
  readonly caller: Principal
  /** Where the client calls from. */
  readonly address: string
  readonly method: Method
  readonly target: T
  readonly format: Representation
  /** Scheme and authority by which the client came here. */
  readonly origin: string
  readonly coding: CodingChoice
  readonly preferences: Preferences
}

export interface RequestContext<T extends Target = Target> extends NegotiatedRequest<T> {
  readonly key?: IdempotencyKey
}

/** Whether the errand is at a target of this kind. */
export function hasTarget<Kind extends Target['kind']>(
  context: RequestContext,
  kind: Kind,
): context is RequestContext<Extract<Target, { readonly kind: Kind }>> {
  return context.target.kind === kind
}

/** The caller as password hashing counts it. */
export function hashRequesterOf({ caller, address }: RequestContext): HashRequester {
  return { address, caller: callerKey(caller, address) }
}

export type Method = 'GET' | 'HEAD' | 'POST' | 'QUERY' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

/** By name, only those that can be honoured here. */
export type Preferences = ReadonlyMap<string, string>

export interface CodingChoice {
  readonly coding: 'identity' | 'gzip' | 'br' | 'zstd'
  /** The client takes nothing uncoded, so that even what is small must be coded. */
  readonly always: boolean
}

/** Content that was admitted; reading it twice reads it once. */
export interface RequestContent {
  /** What a PATCH means by it. */
  readonly patch: PatchKind
  /** Its octets without any content coding; refuses 413 and 400. */
  octets(): Promise<Uint8Array>
  /** The value it stands for; refuses 413 and 400. */
  read(): Promise<unknown>
}

/** `fields`: each member replaces its field as a whole; an absent value removes it. */
export type PatchKind = 'merge' | 'json-patch' | 'fields'
