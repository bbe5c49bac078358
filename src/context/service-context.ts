/** What a journey needs of the service around it; wired once in service.ts. */

import type { TokenContext } from '../access/api-token.ts'
import type { AuthenticationSchemes } from '../access/authenticate.ts'
import type { OverloadGuard } from '../access/overload-guard.ts'
import type { RateLimiter } from '../access/rate-limit.ts'
import type { SignInAttempts } from '../access/sign-in-attempts.ts'
import type { StreamLimit } from '../access/stream-limit.ts'
import type { Model } from '../definition/model.ts'
import type { Capabilities } from '../describe/capabilities.ts'
import type { HttpResponse } from '../http/message.ts'
import type { Observer } from '../observation.ts'
import type { CursorCodec } from '../query/cursor.ts'
import type { Store } from '../store/store.ts'
import type { StatusFigures } from '../view/status-figures.ts'
import { relationUri } from '../view/uri.ts'

export interface ServiceContext {
  readonly model: Model
  readonly store: Store
  readonly schemes: AuthenticationSchemes
  /** Failed password checks. */
  readonly attempts: SignInAttempts
  /** Undefined where there are no accounts to make tokens for. */
  readonly tokens: TokenContext | undefined
  /** Undefined where callers may send as many requests as they like. */
  readonly rate: RateLimiter | undefined
  readonly overload: OverloadGuard
  readonly streams: StreamLimit
  readonly cursors: CursorCodec
  readonly responseCache: ResponseCache
  /** What the service can do, for its own description. */
  readonly capabilities: Capabilities
  /**
   * Part of the keys of forms that ask for a password, and not in the database: the database keeps a
   * fast hash of what was sent under a key, against which its reader could try passwords.
   */
  readonly formSecret: Uint8Array
  readonly limits: ContentLimits
  readonly clock: Clock
  /** The URI of the entry point as clients have it, without a slash at its end; undefined: as they ask. */
  readonly publicUrl: string | undefined
  readonly observe: Observer
  readonly keysInUse: KeysInUse
  /** Why a load balancer should send nothing here now; undefined while all is well. */
  whyNotReady(): string | undefined
  /** How the service has been doing. */
  status(): Promise<StatusFigures>
  /** What monitoring reads, in Prometheus' text format. */
  formatMetrics(): string | Promise<string>
}

export interface ContentLimits {
  /** Octets of a request's content. */
  readonly content: number
  /** Octets of the content of a QUERY. */
  readonly query: number
  /** Octets of a page of a list: a page of larger items has fewer of them. */
  readonly page: number
}

export const defaultLimits: ContentLimits = Object.freeze({
  content: 1024 * 1024,
  query: 64 * 1024,
  page: 4_000_000,
})

export interface Clock {
  /** Milliseconds since 1970 UTC. */
  now(): number
}

export interface ResponseCache {
  get(name: string, revisions: string): HttpResponse | undefined
  put(name: string, revisions: string, response: HttpResponse): void
}

/** Below PUBLIC_URL, else below the origin that the client asked. */
export function relationsAt({ model, publicUrl }: ServiceContext, origin: string): string {
  return publicUrl === undefined ? origin + relationUri(model, '') : `${publicUrl}/relations/`
}

/** A key that a request was sent under. Disposing of it lets others under the same key go on. */
export interface IdempotencyKey extends Disposable {
  /** What the answer is kept under: the key within its caller, method and path. */
  readonly name: string
  /**
   * Renames the key for its content. Only keys of pages have it: a page that is opened again has the
   * same key, so another form under it is another request.
   */
  readonly renameForContent?: () => Promise<void>
  /** Of the content, under the key: without the key it tells nothing of what was sent. */
  fingerprint(): Promise<string>
}

/** The names under which a request is being answered in this process, each with its key. */
export type KeysInUse = Map<string, IdempotencyKey>
