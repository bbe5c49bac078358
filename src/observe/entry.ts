/** What a happening says in the log: its level, and an allow-list of fields. */

import type { LogLevel } from '../config.ts'
import type { Happening, RequestHappening } from '../http/happening.ts'

/** Milliseconds from which on a request is worth a line at the default level. */
const slow = 1000

export function levelOf(happening: Happening): LogLevel {
  if (happening.kind !== 'request') return levels[happening.kind]
  const level = serverErrorLevels[happening.status]
  if (level) return level
  return happening.milliseconds >= slow ? 'warn' : 'debug'
}

/**
 * Answers of 500 and above that tell of trouble in the service. 501 and 505 (RFC 9110 §15.6) tell of
 * the request alone. What a 503 is about has a line of its own, unless it is the load.
 */
const serverErrorLevels: Readonly<Record<number, LogLevel | undefined>> = {
  500: 'error',
  503: 'warn',
  507: 'error',
}

/** Whether an answer with this status counts as an error of the service. */
export function isServerError(status: number): boolean {
  return serverErrorLevels[status] !== undefined
}

const levels: Readonly<Record<Exclude<Happening['kind'], 'request'>, LogLevel>> = {
  started: 'info',
  stopping: 'info',
  stopped: 'info',
  'objects-kept': 'warn',
  'slow-list': 'warn',
  'issuer-trouble': 'warn',
  'replica-trouble': 'warn',
  'task-failed': 'warn',
  bug: 'error',
  'store-trouble': 'error',
  'writer-restarted': 'error',
  'worker-restarted': 'error',
  crash: 'fatal',
}

export type EntryFields = Readonly<Record<string, string | number>>

/** What is not named here is never logged: no field of a request, no content, no id, no query. */
export function fieldsOf(happening: Happening): EntryFields {
  switch (happening.kind) {
    case 'started':
      return { url: happening.url, database: withoutCredentials(happening.database) }
    case 'stopping':
      return { reason: happening.reason }
    case 'stopped':
      return {}
    case 'request':
      return requestFields(happening)
    case 'bug':
      return { request: happening.request, ...causeOf(happening.cause) }
    case 'store-trouble':
      return { trouble: happening.trouble, ...causeOf(happening.cause) }
    case 'slow-list': {
      const { table, columns, milliseconds } = happening
      return { table, index: columns.join(), ms: Math.round(milliseconds) }
    }
    case 'objects-kept':
      return { foreign: listed(happening.foreign), unused: listed(happening.unused) }
    case 'issuer-trouble':
      return { issuer: happening.issuer, ...causeOf(happening.cause) }
    case 'replica-trouble':
      return { replica: withoutCredentials(happening.replica), ...causeOf(happening.cause) }
    case 'task-failed':
      return { task: happening.task, ...causeOf(happening.cause) }
    case 'writer-restarted':
    case 'worker-restarted':
    case 'crash':
      return causeOf(happening.cause)
  }
}

const mostNames = 50

function listed(names: readonly string[]): string {
  const more = names.length > mostNames ? `, and ${names.length - mostNames} more` : ''
  return names.slice(0, mostNames).join(', ') + more
}

function requestFields(happening: RequestHappening) {
  const { request, method, route, status, milliseconds, decision } = happening
  const ms = Math.round(milliseconds * 100) / 100
  return { request, method, route, status, ms, ...(decision === undefined ? {} : { decision }) }
}

/** The message, and the stack with those of the causes behind it. */
function causeOf(cause: unknown): EntryFields {
  if (!(cause instanceof Error)) return { cause: String(cause) }
  return { cause: cause.message, stack: stacksOf(cause).join('\nCaused by: ') }
}

const deepest = 5

function stacksOf(error: Error): readonly string[] {
  const stacks: string[] = []
  let cause: unknown = error
  while (cause instanceof Error && stacks.length < deepest) {
    stacks.push(cause.stack ?? cause.message)
    cause = cause.cause
  }
  return stacks
}

/** A database URL may have a user and a password in it. */
export function withoutCredentials(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1').replace(/\?.*$/s, '')
}
