/** Observations: noteworthy events of a running service. One union feeds the log and the metrics. See decision 0004. */

import type { ProblemName } from './refusal.ts'

export type Observation =
  | { readonly kind: 'started'; readonly url: string; readonly database: string }
  | { readonly kind: 'stopping'; readonly reason: string }
  | { readonly kind: 'stopped' }
  | RequestObservation
  | { readonly kind: 'bug'; readonly request: string; readonly cause: unknown }
  | LogicFailedObservation
  | ResultDroppedObservation
  /** The signature of a request to a route is missing, wrong or too old. */
  | {
      readonly kind: 'signature-refused'
      readonly request: string
      readonly route: string
      readonly reason: string
    }
  /** The content of a file is missing, or is not what its digest says. */
  | { readonly kind: 'file-damaged'; readonly request: string; readonly cause: unknown }
  | { readonly kind: 'store-unavailable'; readonly reason: string; readonly cause: unknown }
  /** A replica is unavailable; reads use the primary until it returns. */
  | { readonly kind: 'replica-unavailable'; readonly replica: string; readonly cause: unknown }
  | { readonly kind: 'writer-restarted'; readonly cause: unknown }
  /** A worker ended unexpectedly and is replaced. */
  | { readonly kind: 'worker-restarted'; readonly cause: unknown }
  | SlowListObservation
  /** A background task failed and will be retried. */
  | { readonly kind: 'task-failed'; readonly task: string; readonly cause: unknown }
  /** The database went back in time after this position of the change log: event streams get `reset`. */
  | { readonly kind: 'database-set-back'; readonly position: number }
  /** The clock is far ahead of the newest entry of the change log, or was set ahead: nothing is deleted by it yet. */
  | { readonly kind: 'clock-ahead'; readonly expected: number; readonly present: number }
  /** Spans of traces did not fit into the queue to the collector. */
  | { readonly kind: 'spans-dropped'; readonly count: number }
  | KeptObjectsObservation
  /** An uncaught exception; the process ends. */
  | { readonly kind: 'crash'; readonly cause: unknown }
  /** The keys of an issuer of JWTs could not be fetched. */
  | { readonly kind: 'issuer-unavailable'; readonly issuer: string; readonly cause: unknown }
  | { readonly kind: 'provider-refused'; readonly issuer: string; readonly cause: unknown }

/** Code of the definition threw, took too long, or broke a rule. */
export interface LogicFailedObservation {
  readonly kind: 'logic-failed'
  /** Undefined where no request made the change that the code ran for. */
  readonly request: string | undefined
  readonly hook: string
  /** The id of the queued work, where its last attempt has failed. */
  readonly parked?: string
  readonly cause: unknown
}

/** An action returned a value that its definition does not declare, so the response does not have it. */
export interface ResultDroppedObservation {
  readonly kind: 'result-dropped'
  readonly request: string
  /** The place of the code in the definition. */
  readonly hook: string
  readonly reason: string
}

/** The database has objects that are not in the definition; the start left them unchanged. */
export interface KeptObjectsObservation {
  readonly kind: 'objects-kept'
  /** Created by another program. */
  readonly foreign: readonly string[]
  /** Created for an earlier definition; `restwell migrate --apply` drops them. */
  readonly unused: readonly string[]
}

/** A list query exceeded its time; an index on these columns may help. */
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
  /** The route, such as `/users/{id}`, without ids and query. */
  readonly route: string
  readonly status: number
  readonly milliseconds: number
  /** The name of the decision that refused, if any. */
  readonly decision?: string
  /** The type of the problem that answers it, if any. */
  readonly problem?: ProblemName
  /** The older version of the interface that it used, and its caller. */
  readonly usage?: { readonly version: string; readonly caller: string } | undefined
}

export type Observer = (observation: Observation) => void

/** Returns an observer that passes each observation to all of the observers. */
export function observeAll(observers: readonly Observer[]): Observer {
  return (observation) => {
    for (const observe of observers) observe(observation)
  }
}
