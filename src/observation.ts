/**
 * What is noteworthy while the service runs. One union feeds logs and metrics alike; whoever
 * notices something calls the `Notice` it was handed, and never a logger.
 */

export type Observation =
  | { readonly kind: 'started'; readonly url: string; readonly database: string }
  | { readonly kind: 'stopping'; readonly reason: string }
  | { readonly kind: 'stopped' }
  | RequestObservation
  | { readonly kind: 'bug'; readonly request: string; readonly cause: unknown }
  | { readonly kind: 'store-unavailable'; readonly reason: string; readonly cause: unknown }
  /** A replica cannot be read from; the primary is, until it can. */
  | { readonly kind: 'replica-unavailable'; readonly replica: string; readonly cause: unknown }
  | { readonly kind: 'writer-restarted'; readonly cause: unknown }
  /** A worker ended that was not told to; another takes its place. */
  | { readonly kind: 'worker-restarted'; readonly cause: unknown }
  | SlowListObservation
  /** Work beside requests failed; it is tried again. */
  | { readonly kind: 'task-failed'; readonly task: string; readonly cause: unknown }
  | KeptObjectsObservation
  /** Something was thrown where nothing can answer for it; the process ends. */
  | { readonly kind: 'crash'; readonly cause: unknown }
  /** The keys of an issuer of JWTs could not be fetched. */
  | { readonly kind: 'issuer-unavailable'; readonly issuer: string; readonly cause: unknown }

/** A start has left objects of the database alone that the definition does not have. */
export interface KeptObjectsObservation {
  readonly kind: 'objects-kept'
  /** Made by another program. */
  readonly foreign: readonly string[]
  /** Made for an earlier definition: `restwell migrate --apply` drops them. */
  readonly unused: readonly string[]
}

/** A list was given up; an index on these columns may help. */
export interface SlowListObservation {
  readonly kind: 'slow-list'
  readonly table: string
  readonly columns: readonly string[]
  readonly milliseconds: number
}

export interface RequestObservation {
  readonly kind: 'request'
  readonly request: string
  readonly method: string
  /** The kind of target, such as `/users/{id}`: never the ids or the query a client sent. */
  readonly route: string
  readonly status: number
  readonly milliseconds: number
  /** The name of the decision that refused, where one did. */
  readonly decision?: string
}

export type Observer = (observation: Observation) => void

/** One notice that tells several. */
export function observeAll(notices: readonly Observer[]): Observer {
  return (observation) => {
    for (const observe of notices) observe(observation)
  }
}
