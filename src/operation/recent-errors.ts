/**
 * The last errors of the service by request id, for /status. As in the log, no header field, content,
 * query or id of an item is kept; messages of exceptions may contain such values, so only the log has them.
 */

import { knownMethods } from '../http/method.ts'
import type { Observation, Observer, RequestObservation } from '../observation.ts'
import { problemTypes } from '../refusal.ts'
import { isServerError } from './log-entry.ts'
import type { ErrorFigures } from './status-figures.ts'

/** The number of errors that are kept of each status, so that an overload does not displace all others. */
const maxErrors = 20

export interface RecentErrors {
  readonly observe: Observer
  /** The newest first, as plain data for RPC. */
  read(): readonly ErrorFigures[]
}

export function createRecentErrors(now: () => number): RecentErrors {
  let errors: readonly ErrorFigures[] = []

  /** A failure is observed before the response of its request, or after it where the content is streamed. */
  function add(error: ErrorFigures): void {
    const earlier = errors.find(({ request, status }) => request === error.request && status === null)
    const others = errors.filter((other) => other !== earlier)
    errors = newestErrors([{ ...error, ...(earlier && { summary: earlier.summary }) }, ...others])
  }

  return {
    observe(observation) {
      const error = errorOf(observation)
      if (error) add({ at: new Date(now()).toISOString(), ...error })
    },
    read: () => errors,
  }
}

/** The last errors of several processes. */
export function mergeErrors(all: readonly (readonly ErrorFigures[])[]): readonly ErrorFigures[] {
  return newestErrors(all.flat().toSorted((one, other) => (one.at < other.at ? 1 : -1)))
}

function newestErrors(errors: readonly ErrorFigures[]): readonly ErrorFigures[] {
  const counts = new Map<number | null, number>()
  return errors.filter(({ status }) => {
    const count = (counts.get(status) ?? 0) + 1
    counts.set(status, count)
    return count <= maxErrors
  })
}

/** The error without its time; undefined where the observation is none of a request. */
function errorOf(observation: Observation): Omit<ErrorFigures, 'at'> | undefined {
  switch (observation.kind) {
    case 'request':
      return isServerError(observation.status) ? errorOfRequest(observation) : undefined
    case 'bug':
      return failureOf(observation.request, `Unexpected ${nameOfError(observation.cause)}`)
    case 'file-damaged':
      return failureOf(observation.request, 'The content of a file is damaged')
    case 'logic-failed':
      return observation.request === undefined
        ? undefined
        : failureOf(observation.request, `${observation.hook} failed`)
    default:
      return undefined
  }
}

function failureOf(request: string, summary: string): Omit<ErrorFigures, 'at'> {
  return { request, method: null, route: null, status: null, decision: null, summary }
}

function errorOfRequest(observation: RequestObservation): Omit<ErrorFigures, 'at'> {
  const { request, method, route, status, decision = null, problem } = observation
  const summary = problem === undefined ? `Response ${status}` : problemTypes[problem].title
  return { request, method: knownMethods.has(method) ? method : 'other', route, status, decision, summary }
}

/** Code can give an error any name, so other names than those of classes are not shown. */
function nameOfError(cause: unknown): string {
  return cause instanceof Error && /^[A-Z][A-Za-z]{0,39}$/.test(cause.name) ? cause.name : 'error'
}
