/** The parts of the service that handle requests; created once in service.ts. */

import type { AuthenticationSchemes } from '../../access/authenticate.ts'
import type { AccountAuthentication } from '../../access/authentication-schemes.ts'
import type { CredentialContext } from '../../access/credentials.ts'
import type { PasswordCost } from '../../access/password.ts'
import type { JsonValue, Model } from '../../definition/model.ts'
import type { HttpResponse } from '../../http/message.ts'
import type { OverloadGuard } from '../../limits/overload-guard.ts'
import type { RateLimiter } from '../../limits/rate-limit.ts'
import type { ReadBudget } from '../../limits/read-budget.ts'
import type { StreamLimit } from '../../limits/stream-limit.ts'
import type { Observer } from '../../observation.ts'
import type { CursorCodec } from '../../query/cursor.ts'
import type { Store } from '../../store/store.ts'
import type { ValueEncryption } from '../../tools/value-encryption.ts'
import type { Tracer } from '../../tracer.ts'
import { relationUri } from '../../views/uri.ts'
import type { ChangeFeed } from '../events/change-feed.ts'
import type { CodeTool } from '../write/code-tool.ts'
import type { LogicRunner } from '../write/logic-runner.ts'
import type { Capabilities } from './capabilities.ts'
import type { FileHandler } from './file-handler.ts'
import type { ServiceParts } from './service-part.ts'

/**
 * The model, the store and their limits, with which work is done. The unit of a request may have another store than the
 * service: a replica, or one with changes that are not stored yet.
 */
export interface Unit {
  readonly model: Model
  readonly store: Store
  readonly clock: Clock
  readonly limits: ContentLimits
  readonly cursors: CursorCodec
  /** Handles files; undefined when the definition has no field for files. */
  readonly files: FileHandler | undefined
}

/** The unit with another store. */
export function withStore({ model, clock, limits, cursors, files }: Unit, store: Store): Unit {
  return { model, store, clock, limits, cursors, files }
}

/** The service. It is a unit itself, for work that is no request. */
export interface ServiceContext extends Unit {
  readonly schemes: AuthenticationSchemes
  /** Undefined when the definition has no accounts. */
  readonly accounts: AccountServices | undefined
  /** The cost of new password hashes. */
  readonly passwordCost: PasswordCost
  /** Encrypts the state of a sign-in. */
  readonly encryption: ValueEncryption
  /** Undefined when the rate is not limited. */
  readonly rateLimiter: RateLimiter | undefined
  /** The time of reading of each caller; undefined when the rate is not limited. */
  readonly readBudget: ReadBudget | undefined
  /** Mails that requests ask for. */
  readonly overload: OverloadGuard
  readonly streamLimit: StreamLimit
  readonly changes: ChangeFeed
  readonly responseCache: ResponseCache
  /** The capabilities of the service, for its own description. */
  readonly capabilities: Capabilities
  /** Keys the digests in entity tags of what only some readers see; the same on every node. */
  readonly tagKey: string
  /** The time by which stored data expires, which does not follow a jump of the clock. */
  readonly expiryClock: ExpiryClock
  /** The URI of the entry point for clients, without a final slash; undefined: the origin they used. */
  readonly publicUrl: string | undefined
  /** The routes of its documents, without the base path. */
  readonly routes: ReadonlySet<string>
  /** The parts that features add; `partOf` reads them. */
  readonly parts: ServiceParts
  readonly observe: Observer
  /** Records spans; undefined: there are no traces. */
  readonly tracer?: Tracer | undefined
  readonly idempotencyKeysInUse: IdempotencyKeysInUse
  /** The tool that a feature adds to the code of the definition; undefined: none. */
  readonly codeTool: CodeTool | undefined
  /** Runs the code of the definition; undefined when it has none. */
  readonly logic: LogicRunner | undefined
  readonly operation: OperationView
}

/** The state of the process, as operators see it. */
export interface OperationView {
  /** Why a load balancer must not send requests now; undefined while the service is ready. */
  whyNotReady(): string | undefined
  /** The figures of /status. */
  status(): Promise<JsonValue>
  /** The metrics in the text format of Prometheus. */
  formatMetrics(): string | Promise<string>
}

/** The parts of the service for accounts. */
export interface AccountServices extends AccountAuthentication {
  /** The second factors. */
  readonly credentials: CredentialContext
}

/** The parts for accounts. Throws where the definition has none: no request reaches that code. */
export function accountsOf({ accounts }: Pick<ServiceContext, 'accounts'>): AccountServices {
  if (!accounts) throw new Error('The definition has no accounts')
  return accounts
}

/** Whether the service has a document at the URI: those of features may be absent. */
export function hasDocument(
  { model, routes }: Pick<ServiceContext, 'model' | 'routes'>,
  uri: string,
): boolean {
  return routes.has(uri.slice(model.base.length))
}

export interface ContentLimits {
  /** Octets of the content of a request. */
  readonly content: number
  /** Octets of the content of a QUERY. */
  readonly query: number
  /** Octets of a page of a list; a page of larger items has fewer items. */
  readonly page: number
}

export const defaultLimits: ContentLimits = Object.freeze({
  content: 1024 * 1024,
  query: 64 * 1024,
  page: 4_000_000,
})

/** The earliest time that may be right, by which stored data expires. */
export interface ExpiryClock extends Clock {
  /** The latest time that may be right: what is much later has a wrong time. By default that of the clock. */
  latest?(): number
}

export interface Clock {
  /** Milliseconds since 1970 UTC. */
  now(): number
}

/** Responses by name; an entry is valid for the revisions it was stored with. */
export interface ResponseCache {
  get(name: string, revisions: string): HttpResponse | undefined
  put(name: string, revisions: string, response: HttpResponse): void
}

/** The absolute URI below which link relations are named: the public URL, else the origin of the request. */
export function relationsBaseUri(
  { model, publicUrl }: Pick<ServiceContext, 'model' | 'publicUrl'>,
  origin: string,
): string {
  return publicUrl === undefined ? origin + relationUri(model, '') : `${publicUrl}/${model.paths.relations}/`
}

/** The idempotency key of a request. Disposing of it releases the name for other requests. */
export interface IdempotencyKey extends Disposable {
  /** The name of the stored response: a hash of the key with its caller, method and path. */
  readonly name: string
  /** An HMAC of the content under the key; without the key it reveals nothing of the content. */
  fingerprint(): Promise<string>
}

/** The keys of the requests in progress in this process, by name. */
export type IdempotencyKeysInUse = Map<string, IdempotencyKey>
