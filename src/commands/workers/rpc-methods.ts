/** The RPC methods of the primary and of its workers. */

import type { Figures } from '../../operation/metrics.ts'

/** The number of requests per caller. */
export type RateUsage = readonly (readonly [caller: string, count: number])[]

export interface PrimaryMethods {
  /** The worker accepts connections. */
  ready(value: undefined): void
  /** The worker cannot start; the message is for the operator. */
  failed(message: string): void
  /** The oldest unconfirmed connection has arrived. */
  connectionReceived(value: undefined): void
  /** The figures of all processes together. */
  allFigures(value: undefined): Promise<Figures>
  /** Starts a sign-in attempt and returns its number. Refuses when there are too many. */
  enterAttempt(attempt: { readonly login: string; readonly address: string }): Promise<number>
  leaveAttempt(end: { readonly attempt: number; readonly failed: boolean }): void
  /** Usage that the primary passes to the other workers. */
  reportUsage(usage: RateUsage): void
}

export interface WorkerMethods {
  start(start: WorkerStart): void
  figures(value: undefined): Figures
  /** Counts requests that other workers handled. */
  applyUsage(usage: RateUsage): void
  retire(reason: string): void
  countConnections(value: undefined): number
  holdResponses(value: undefined): void
  releaseResponses(value: undefined): void
  /** Resolves when all requests have their responses and the store is closed. */
  drain(value: undefined): Promise<void>
}

export interface SharedFile {
  readonly file: string
  readonly temporary: boolean
  /** The path of the socket that the writer listens on. */
  readonly writer: string
}

export interface WorkerStart {
  readonly args: readonly string[]
  /** The SQLite file that the primary writes; undefined for PostgreSQL. */
  readonly file: SharedFile | undefined
  /** The schema of the primary. A worker with another schema refuses to start. */
  readonly schema: string
}

/** The file descriptor of the seqlock in a worker. */
export const seqlockDescriptor = 4
