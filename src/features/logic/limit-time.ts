/** Limits the time of code that runs after a commit, store calls included. */

import { LogicFailure } from '../../requests/write/logic-runner.ts'

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
    const timers: NodeJS.Timeout[] = []
    const clear = () => {
      for (const timer of timers) clearTimeout(timer)
      ending.removeEventListener('abort', stop)
    }
    const failAfter = (milliseconds: number, reason: string) => {
      const fail = () => {
        // Before the work ends, which may never happen: a timer would keep the process running.
        clear()
        const failure = new LogicFailure(place, reason)
        controller.abort(failure)
        reject(failure)
      }
      timers.push(setTimeout(fail, milliseconds))
    }
    const stop = () => {
      controller.abort(ending.reason)
      failAfter(grace, `${place} did not end with the service.`)
    }
    failAfter(timeout, `${place} took longer than ${timeout} ms.`)
    ending.addEventListener('abort', stop, { once: true })
    if (ending.aborted) stop()
    Promise.try(work, controller.signal).then(resolve, reject).finally(clear)
  })
}
