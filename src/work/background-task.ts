/** Work beside requests, in each process of a service. */
export interface BackgroundTask {
  /** Begins, when all tasks are registered. */
  start?(): void
  /** Looks for work now instead of at the next interval. */
  wake?(): void
  /** Resolves when all work has ended; rejects with its failure. */
  settled?(): Promise<void>
  /** Runs what is due until a time; `advance` sets the clock. */
  runUntil?(until: number, advance: (now: number) => void): Promise<void>
  /** Queues the work of all changes so far, so that the change log can be pruned. */
  queueAll?(): Promise<void>
  close(): Promise<void>
}
