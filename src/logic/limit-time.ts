/** Limits the time of code that runs after a commit, store calls included. */

import { LogicFailure } from '../context/logic-runner.ts'

export interface TimeLimit {
  /** The place of the code in the definition. */
  readonly place: string
  /** In milliseconds. */
  readonly timeout: number
  /** Aborted when the service stops. */
  readonly ending: AbortSignal
}

/** Milliseconds that the code has to end when the service stops. */
const grace = 1000

/**
 * The result of the work. Its signal is aborted when the time is over and when the service stops.
 * Rejects with a LogicFailure when the time is over, and where the work does not end with the service.
 */
export function limitTime<Result>(
  { place, timeout, ending }: TimeLimit,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController()
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => {
      const failure = new LogicFailure(place, reason)
      controller.abort(failure)
      reject(failure)
    }
    const late = setTimeout(() => fail(`${place} took longer than ${timeout} ms.`), timeout)
    let graceful: NodeJS.Timeout | undefined
    const stop = () => {
      controller.abort(ending.reason)
      graceful = setTimeout(() => fail(`${place} did not end with the service.`), grace)
    }
    const clear = () => {
      clearTimeout(late)
      clearTimeout(graceful)
      ending.removeEventListener('abort', stop)
    }
    ending.addEventListener('abort', stop, { once: true })
    if (ending.aborted) stop()
    const started = Promise.try(work, controller.signal)
    started.then(resolve, reject).finally(clear)
  })
}
