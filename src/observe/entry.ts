/** What a happening says in the log: its level, and an allow-list of fields. */

import type { LogLevel } from '../config.ts'
import type { Happening, RequestHappening } from '../http/happening.ts'

export interface Entry {
  readonly level: LogLevel
  readonly fields: Readonly<Record<string, string | number>>
}

/** Milliseconds from which on a request is worth a line at the default level. */
const slow = 1000

/** What is not named here is never logged: no field of a request, no content, no id, no query. */
export function entryOf(happening: Happening): Entry {
  switch (happening.kind) {
    case 'started': {
      const { url, database } = happening
      return { level: 'info', fields: { url, database: withoutCredentials(database) } }
    }
    case 'stopping':
      return { level: 'info', fields: { reason: happening.reason } }
    case 'stopped':
      return { level: 'info', fields: {} }
    case 'request':
      return { level: levelOf(happening), fields: requestFields(happening) }
    case 'bug':
      return { level: 'error', fields: { request: happening.request, ...causeOf(happening.cause) } }
    case 'store-trouble':
      return { level: 'error', fields: { trouble: happening.trouble, ...causeOf(happening.cause) } }
    case 'writer-restarted':
      return { level: 'error', fields: causeOf(happening.cause) }
    case 'crash':
      return { level: 'fatal', fields: causeOf(happening.cause) }
  }
}

function levelOf({ status, milliseconds }: RequestHappening): LogLevel {
  if (status >= 500) return 'error'
  return milliseconds >= slow ? 'warn' : 'debug'
}

function requestFields(happening: RequestHappening) {
  const { request, method, route, status, milliseconds, decision } = happening
  const ms = Math.round(milliseconds * 100) / 100
  return { request, method, route, status, ms, ...(decision === undefined ? {} : { decision }) }
}

/** The message, and the stack with those of the causes behind it. */
function causeOf(cause: unknown): Entry['fields'] {
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
