/** What a journey needs of the service around it; wired once in service.ts. */

import type { Attempts } from '../access/attempts.ts'
import type { Schemes } from '../access/authenticate.ts'
import type { Overload } from '../access/overload.ts'
import type { Rate } from '../access/rate.ts'
import type { StreamLimit } from '../access/stream-limit.ts'
import type { Tokens } from '../access/token.ts'
import type { Model } from '../declare/model.ts'
import type { Notice } from '../http/happening.ts'
import type { CursorSeal } from '../query/cursor.ts'
import type { Store } from '../store/store.ts'
import type { StatusFigures } from '../view/status.ts'
import type { RunningKeys } from './idempotency.ts'
import type { PageMemory } from './page-memory.ts'

export interface Context {
  readonly model: Model
  readonly store: Store
  readonly schemes: Schemes
  /** Failed password checks. */
  readonly attempts: Attempts
  /** Undefined where there are no accounts to make tokens for. */
  readonly tokens: Tokens | undefined
  /** Undefined where callers may send as many requests as they like. */
  readonly rate: Rate | undefined
  readonly overload: Overload
  readonly streams: StreamLimit
  readonly cursors: CursorSeal
  readonly pages: PageMemory
  /**
   * Part of the keys of forms that ask for a password, and not in the database: the database keeps a
   * fast hash of what was sent under a key, against which its reader could try passwords.
   */
  readonly formSecret: Uint8Array
  readonly limits: Limits
  readonly clock: Clock
  /** The URI of the entry point as clients have it, without a slash at its end; undefined: as they ask. */
  readonly publicUrl: string | undefined
  readonly notice: Notice
  readonly running: RunningKeys
  /** Why a load balancer should send nothing here now; undefined while all is well. */
  whyNotReady(): string | undefined
  /** How the service has been doing. */
  status(): Promise<StatusFigures>
  /** What monitoring reads, in Prometheus' text format. */
  formatMetrics(): string | Promise<string>
}

export interface Limits {
  /** Octets of a request's content. */
  readonly content: number
  /** Octets of the content of a QUERY. */
  readonly query: number
  /** Octets of a page of a list: a page of larger items has fewer of them. */
  readonly page: number
}

export const defaultLimits: Limits = Object.freeze({
  content: 1024 * 1024,
  query: 64 * 1024,
  page: 4_000_000,
})

export interface Clock {
  /** Milliseconds since 1970 UTC. */
  now(): number
}
