/** How the service does, in figures: what /status shows in every format. */

export interface StatusFigures {
  /** When the process started, and for how many seconds it has been running. */
  readonly started: string
  readonly uptime: number
  /** In octets. */
  readonly memory: number
  /** In octets; null where it cannot be asked now. */
  readonly database: number | null
  /** `ready`, or the trouble that it is in. */
  readonly databaseState: 'ready' | 'full' | 'unreachable' | 'slow' | 'unfit' | 'damaged'
  /** Seconds that each value of a series stands for, and how many values a whole series has. */
  readonly step: number
  readonly length: number
  /** The oldest value first. */
  readonly series: {
    readonly requests: readonly number[]
    readonly errors: readonly number[]
    readonly median: readonly (number | null)[]
    readonly slowest: readonly (number | null)[]
    readonly loopDelay: readonly number[]
    readonly memory: readonly number[]
    readonly database: readonly (number | null)[]
  }
}
