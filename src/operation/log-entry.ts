/** The log entry of an observation: its level, and an allow-list of fields. */

import type { LogicFailedObservation, Observation, RequestObservation } from '../observation.ts'
import type { LogLevel } from './configuration/config.ts'

/** Milliseconds from which a request is logged as slow. */
const slowRequestTime = 1000

export function levelOf(observation: Observation): LogLevel {
  if (observation.kind !== 'request') return levels[observation.kind]
  const level = serverErrorLevels[observation.status]
  if (level) return level
  return observation.milliseconds >= slowRequestTime ? 'warn' : 'debug'
}

/**
 * Server errors that the operator should know. 501 and 505 (RFC 9110 §15.6) are faults of the
 * request. The cause of a 503 other than overload has its own observation.
 */
const serverErrorLevels: Readonly<Record<number, LogLevel | undefined>> = {
  500: 'error',
  503: 'warn',
  507: 'error',
}

/** Whether a response with this status counts as an error of the service. */
export function isServerError(status: number): boolean {
  return serverErrorLevels[status] !== undefined
}

const levels: Readonly<Record<Exclude<Observation['kind'], 'request'>, LogLevel>> = {
  started: 'info',
  stopping: 'info',
  stopped: 'info',
  'objects-kept': 'warn',
  'result-dropped': 'warn',
  'signature-refused': 'warn',
  'slow-list': 'warn',
  'issuer-unavailable': 'warn',
  'provider-refused': 'warn',
  'replica-unavailable': 'warn',
  'task-failed': 'warn',
  'clock-ahead': 'warn',
  'database-set-back': 'warn',
  'spans-dropped': 'warn',
  bug: 'error',
  'logic-failed': 'error',
  'file-damaged': 'error',
  'store-unavailable': 'error',
  'writer-restarted': 'error',
  'worker-restarted': 'error',
  crash: 'fatal',
}

export type EntryFields = Readonly<Record<string, string | number>>

/** The allow-list: header fields, content, ids and queries of requests are never logged. */
export function fieldsOf(observation: Observation): EntryFields {
  switch (observation.kind) {
    case 'started':
      return { url: observation.url, database: withoutCredentials(observation.database) }
    case 'stopping':
      return { reason: observation.reason }
    case 'stopped':
      return {}
    case 'request':
      return requestFields(observation)
    case 'bug':
    case 'file-damaged':
      return { request: observation.request, ...causeOf(observation.cause) }
    case 'logic-failed':
      return logicFailureFields(observation)
    case 'signature-refused': {
      const { request, route, reason } = observation
      return { request, route, reason }
    }
    case 'result-dropped': {
      const { request, hook, reason } = observation
      return { request, hook, reason }
    }
    case 'store-unavailable':
      return { reason: observation.reason, ...causeOf(observation.cause) }
    case 'slow-list': {
      const { table, columns, milliseconds } = observation
      return { table, index: columns.join(), ms: Math.round(milliseconds) }
    }
    case 'objects-kept':
      return { foreign: formatNames(observation.foreign), unused: formatNames(observation.unused) }
    case 'issuer-unavailable':
    case 'provider-refused':
      return { issuer: observation.issuer, ...causeOf(observation.cause) }
    case 'replica-unavailable':
      return { replica: withoutCredentials(observation.replica), ...causeOf(observation.cause) }
    case 'task-failed':
      return { task: observation.task, ...causeOf(observation.cause) }
    case 'database-set-back':
      return { position: observation.position }
    case 'clock-ahead':
      return { clock: formatTime(observation.present), expected: formatTime(observation.expected) }
    case 'spans-dropped':
      return { count: observation.count }
    case 'writer-restarted':
    case 'worker-restarted':
    case 'crash':
      return causeOf(observation.cause)
  }
}

function formatTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

function logicFailureFields({ request, hook, parked, cause }: LogicFailedObservation): EntryFields {
  const ids = { ...(request !== undefined && { request }), ...(parked !== undefined && { parked }) }
  return { ...ids, hook, ...causeOf(cause) }
}

const maxNames = 50

function formatNames(names: readonly string[]): string {
  const more = names.length > maxNames ? `, and ${names.length - maxNames} more` : ''
  return names.slice(0, maxNames).join(', ') + more
}

function requestFields(observation: RequestObservation) {
  const { request, method, route, status, milliseconds, decision } = observation
  const ms = Math.round(milliseconds * 100) / 100
  return { request, method, route, status, ms, ...(decision === undefined ? {} : { decision }) }
}

/** The message, and the stacks of the error and its causes. */
function causeOf(cause: unknown): EntryFields {
  if (!(cause instanceof Error)) return { cause: String(cause) }
  return { cause: cause.message, stack: stacksOf(cause).join('\nCaused by: ') }
}

const maxCauses = 5

function stacksOf(error: Error): readonly string[] {
  const stacks: string[] = []
  let cause: unknown = error
  while (cause instanceof Error && stacks.length < maxCauses) {
    stacks.push(cause.stack ?? cause.message)
    cause = cause.cause
  }
  return stacks
}

/** A URL without user, password and query. */
export function withoutCredentials(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1').replace(/\?.*$/s, '')
}
