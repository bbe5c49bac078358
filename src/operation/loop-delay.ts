/** The delay of the event loop, measured by a timer. */

import { createHistogram, type Histogram } from './metric-families.ts'

export interface LoopDelay {
  readonly delay: Histogram
  close(): void
}

const interval = 100
const buckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]

export function createLoopDelayHistogram(): Histogram {
  const options = { labels: [], buckets }
  return createHistogram('nodejs_event_loop_delay_seconds', 'Delay of a timer of the event loop.', options)
}

/** Measures how late a timer fires. It does not keep the process alive. */
export function measureLoopDelay(clock: { now(): number }): LoopDelay {
  const delay = createLoopDelayHistogram()
  let due = clock.now() + interval
  const timer = setInterval(() => {
    const now = clock.now()
    delay.observe([], Math.max(0, now - due) / 1000)
    due = now + interval
  }, interval)
  timer.unref()
  return { delay, close: () => clearInterval(timer) }
}
