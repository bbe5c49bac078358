/** The options that a service is created with. */

import type { LookupAddress } from 'node:dns'
import type { PasswordCost } from '../access/password.ts'
import type { Model } from '../definition/model.ts'
import type { OverloadOptions } from '../limits/overload-guard.ts'
import type { RateLimiter } from '../limits/rate-limit.ts'
import type { SignInAttempts } from '../limits/sign-in-attempts.ts'
import type { StreamLimits } from '../limits/stream-limit.ts'
import type { Observer } from '../observation.ts'
import type { Figures, Metrics } from '../operation/metrics.ts'
import type { Clock, ContentLimits } from '../requests/context/service-context.ts'
import type { FilesPlace } from '../store/files/open-file-store.ts'
import type { Store } from '../store/store.ts'
import type { DatabaseSystem } from '../store/traced-store.ts'
import type { Tracer } from '../tracer.ts'

export interface CreateServiceOptions {
  readonly model: Model
  readonly store: Store
  readonly observe: Observer
  /** Metrics that `observe` feeds already; by default the service creates and feeds its own. */
  readonly metrics?: Metrics
  readonly clock?: Clock
  readonly limits?: Partial<ContentLimits>
  /** Requests for each minute and caller; 1200 by default. */
  readonly rate?: number | 'off'
  /** Milliseconds of slow reading for each minute and caller; not limited where the rate is not. The default is for all but tests. */
  readonly readTime?: number
  /** The URI of the entry point for clients; by default the origin that they use. */
  readonly publicUrl?: string | undefined
  /** When the process is overloaded; `off`: never. */
  readonly overload?: Partial<OverloadOptions> | 'off'
  /** Streams at a time; not limited when `overload` is `off`. */
  readonly streams?: StreamLimits
  /** Streams of changes at a time. */
  readonly eventStreams?: StreamLimits
  /** How webhooks are sent; `off`: not by this service. The defaults are for all but tests. */
  readonly webhooks?:
    | { readonly timeout?: number; resolve?(host: string): Promise<readonly LookupAddress[]> }
    | 'off'
  /** When schedules run: at their times by default; `asked`: only as `runSchedules` says, in tests with a clock. */
  readonly schedules?: 'asked'
  /** How `after` hooks run; the defaults are for all but tests. */
  readonly after?: { readonly timeout?: number }
  /** The URL of the mail server; `page`: mails are not sent, and `/mails` shows them. Without it they wait. */
  readonly mail?: string | undefined
  /** The variables that the definition names. */
  readonly variables?: ReadonlyMap<string, string>
  /** The cost of new password hashes; the default is for all but tests. */
  readonly passwordCost?: PasswordCost
  /** Where files are; needed by definitions that have fields for them. */
  readonly files?: FilesPlace
  /** `elsewhere`: another server responds to the paths of the site, so its folder may be missing. */
  readonly site?: 'elsewhere'
  /** The place of backups whose age is shown. */
  readonly backups?: string | undefined
  /** Records spans; undefined: there are no traces. */
  readonly tracing?: { readonly tracer: Tracer; readonly database: DatabaseSystem } | undefined
  /** The services that the processes of one service share. */
  readonly shared?: SharedServices
}

/** The services that the processes of one service share. */
export interface SharedServices {
  readonly attempts: SignInAttempts
  /** The rate limiter that counts the requests of all processes. */
  shareRate(rateLimiter: RateLimiter): RateLimiter
  /** The figures of all processes together. */
  figures(): Promise<Figures>
}
