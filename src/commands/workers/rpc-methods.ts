/** What the primary and its workers ask of each other. */

import type { HistorySlice } from '../../observability/history.ts'
import type { Figures } from '../../observability/metrics.ts'
import type { StatusFigures } from '../../view/status-figures.ts'

/** How often callers were served, by their names. */
export type RateUsage = readonly (readonly [caller: string, count: number])[]

export interface PrimaryMethods {
  /** The worker can take connections. */
  ready(value: undefined): void
  /** The worker cannot start; what to tell the operator. */
  failed(message: string): void
  /** A connection that was handed over is there. */
  connectionReceived(value: undefined): void
  /** All processes together. */
  status(value: undefined): Promise<StatusFigures>
  formatMetrics(value: undefined): Promise<string>
  /** Begins a sign-in attempt, and gives its number. Refuses. */
  enterAttempt(attempt: { readonly login: string; readonly address: string }): Promise<number>
  leaveAttempt(end: { readonly attempt: number; readonly failed: boolean }): void
  /** To be told to the other workers. */
  reportUsage(usage: RateUsage): void
}

export interface WorkerMethods {
  start(start: WorkerStart): void
  figures(value: undefined): Figures
  takeSlice(value: undefined): HistorySlice
  /** What other workers have given to callers. */
  applyUsage(usage: RateUsage): void
  retire(reason: string): void
  countConnections(value: undefined): number
  holdResponses(value: undefined): void
  releaseResponses(value: undefined): void
  /** Resolves when what was taken is answered and the store is closed. */
  drain(value: undefined): Promise<void>
}

export interface SharedFile {
  readonly file: string
  readonly temporary: boolean
  /** The path of the socket that its writer listens on. */
  readonly writer: string
}

export interface WorkerStart {
  readonly args: readonly string[]
  /** The file that the primary writes; undefined where each process has the database for itself. */
  readonly file: SharedFile | undefined
  /** The tables of the primary: a worker with others would write what fits nothing. */
  readonly schema: string
}

/** Where a worker finds the moment of the file. */
export const seqlockDescriptor = 4
