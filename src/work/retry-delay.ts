/** When failed work is tried again: after growing delays with jitter, which end after about three days. */

/** The delays between attempts, in seconds: their sum is 71 hours and 35 minutes. */
const hour = 3600
const delays: readonly number[] = [
  5,
  30,
  300,
  1800,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  20 * hour,
]

/** Of a delay that is asked for by the receiver, in milliseconds. */
const maxAskedDelay = 24 * hour * 1000

export interface FailedAttempt {
  /** How many attempts were made, this one included. */
  readonly attempts: number
  /** The milliseconds that the receiver asked to wait; undefined: it did not. */
  readonly askedDelay: number | undefined
  /** A number from 0 to 1. */
  readonly random: number
}

/**
 * The milliseconds to the next attempt; undefined after the last one. Jitter shortens a delay by up to
 * a fifth, so that work that failed together is not repeated together.
 */
export function retryDelay({ attempts, askedDelay = 0, random }: FailedAttempt): number | undefined {
  const seconds = delays[attempts - 1]
  if (seconds === undefined) return undefined
  return Math.max(seconds * 1000 * (1 - random / 5), Math.min(askedDelay, maxAskedDelay))
}
