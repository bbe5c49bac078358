/** The sinks of noteworthy happenings: log lines by an allow-list of fields. */

import { type LogLevel, logLevels } from './config.ts'
import type { Happening, Notice } from './http/happening.ts'

/** A notice that writes one line for each happening at or above the level. */
export function logTo(write: (line: string) => void, level: LogLevel, now: () => number): Notice {
  const threshold = logLevels.indexOf(level)
  return (happening) => {
    const entry = describe(happening)
    if (logLevels.indexOf(entry.level) < threshold) return
    const time = new Date(now()).toISOString()
    write(JSON.stringify({ time, level: entry.level, event: happening.kind, ...entry.fields }))
  }
}

interface Entry {
  readonly level: LogLevel
  readonly fields: Readonly<Record<string, unknown>>
}

const slow = 1000

/** What is logged of a happening; what is not named here is never logged. */
function describe(happening: Happening): Entry {
  switch (happening.kind) {
    case 'started':
      return { level: 'info', fields: { url: happening.url, database: happening.database } }
    case 'stopping':
      return { level: 'info', fields: { reason: happening.reason } }
    case 'stopped':
      return { level: 'info', fields: {} }
    case 'request': {
      const { kind: _, milliseconds, ...fields } = happening
      const rounded = Math.round(milliseconds * 100) / 100
      return { level: levelOf(happening.status, milliseconds), fields: { ...fields, ms: rounded } }
    }
    case 'bug':
      return { level: 'error', fields: { request: happening.request, ...causeOf(happening.cause) } }
    case 'store-trouble':
      return { level: 'error', fields: { trouble: happening.trouble, ...causeOf(happening.cause) } }
    case 'slow-list': {
      const { table, columns, milliseconds } = happening
      return { level: 'warn', fields: { table, index: columns, ms: Math.round(milliseconds) } }
    }
    case 'writer-restarted':
      return { level: 'error', fields: causeOf(happening.cause) }
  }
}

function levelOf(status: number, milliseconds: number): LogLevel {
  if (status >= 500) return 'error'
  return milliseconds >= slow ? 'warn' : 'debug'
}

function causeOf(cause: unknown) {
  if (!(cause instanceof Error)) return { cause: String(cause) }
  return { cause: cause.message, stack: cause.stack }
}
